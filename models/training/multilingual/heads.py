"""Fits the signals (distress, need) and the topics of distress on the finished trunk, whose states are made once.

    python heads.py --run RUN --tokenizer START [--epochs 8]

Replaces RUN/model.safetensors, writes RUN/topics.npz; with --epochs 0, after a training with --signals, the topics alone. The dev splits of test/eval/languages and the plain requests held out choose the epoch.
"""

import argparse, random
import numpy as np, torch
import network, text
from mpnet import Pack
from network import D, SIGNALS
from text import data
import fit_signals, topics

# The writers' topics in the gate's names.
NAMED = {
    "suicide": "suicide-self-harm", "self-harm": "suicide-self-harm", "panic": "suicide-self-harm", "assault": "crime-victim",
    "missing": "crime-victim", "eating": "eating-disorder", "gambling": "addiction", "debt": "financial-distress",
    "job": "financial-distress", "eviction": "financial-distress", "grief": "bereavement", "illness": "grave-diagnosis",
    "stalking": "abuse", "child": "minors",
}


def topic_of(name):
    name = NAMED.get(name, topics.SAME.get(name, name))
    return topics.TOPICS.index(name) if name in topics.TOPICS else None


def texts(most, rng):
    """[(turns, distress or None, need or None, topic or None, held, weight)]"""
    out = [(ts, float(distress), None if need is None else float(need), None, True, 1.0) for ts, distress, need in text.everyday("dev") + text.plain()]
    for ts, distress, _, topic, need in text.native_signals():
        need = 0.0 if distress else None if need is None else float(need)
        out.append((ts, float(distress), need, topic_of(topic) if distress else None, False, 2.0))
    for r in data.distress()[1]:
        need = {"distress": 0.0, "ordinary": 1.0}.get(r["kind"])
        out.append((r["turns"], float(r["sensitive"]), need, topic_of(r["topic"]) if r["sensitive"] else None, False, 1.0))
    english = [i for i in data.load()[1] if i["kind"] != "distress"]
    native = [i for i in text.native()[1] if not i["cat"].endswith("-en")]
    for i in rng.sample(english, most) + native:
        need = 1.0 if i["rel"] or i["kind"] == "oov" else 0.0 if i["kind"] == "none" else None
        out.append((i["turns"], 0.0 if i["sensitive"] is not None else None, need, None, False, 1.0))
    for ts, distress, need, topic, held, weight in list(out):
        said = [t for s, t in ts if s == "user"]
        if len(said) > 1:  # the newest turn alone, as the gate hears it too; of distress it need not show
            out.append(([("user", said[-1])], 0.0 if distress == 0 else None, None, None, held, 0.5))
    return out


@torch.no_grad()
def states_of(M, rows):
    order, out = sorted(range(len(rows)), key=lambda i: len(rows[i])), [None] * len(rows)
    for at in range(0, len(order), 32):
        part = order[at : at + 32]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x, pack = M.lower([rows[i] for i in part])
            kept = M.upper(x, pack)[1]
        kept = torch.stack(kept).half().split(pack.lengths.tolist(), 1)
        for i, k in zip(part, kept):
            out[i] = k.clone()
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--run"), ap.add_argument("--tokenizer")
    ap.add_argument("--epochs", type=int, default=8), ap.add_argument("--most", type=int, default=2500)
    o = ap.parse_args()
    rng = random.Random(1)
    torch.manual_seed(1)
    M, tokenizer = network.load(o.run).eval(), text.TextTokenizer(o.tokenizer)
    rows = texts(o.most, rng)
    if o.epochs == 0:
        rows = [r for r in rows if r[3] is not None]
    X = states_of(M, [tokenizer.context(r[0]) for r in rows])
    nan = float("nan")
    Y = torch.tensor([[nan if v is None else v for v in r[1:3]] for r in rows])
    W = torch.tensor([r[5] for r in rows])
    held = [i for i, r in enumerate(rows) if r[4]]
    train = [i for i, r in enumerate(rows) if not r[4]]
    print(len(train), "texts,", len(held), "held out", flush=True)

    def logits(ids):
        parts = [X[i] for i in ids]
        return M.signals(list(torch.cat(parts, 1).float()), Pack([p.shape[1] for p in parts]))

    if o.epochs:
        fit_signals.fit(M, logits, Y, train, held, rng, range(len(SIGNALS)), o.epochs, 4e-4, 0.02, W)
        network.save(M, o.run)
    about = [i for i, r in enumerate(rows) if r[3] is not None]
    read = []
    M.say[0].register_forward_pre_hook(lambda _, ins: read.append(ins[0].detach().clone()))
    with torch.no_grad():
        for at in range(0, len(about), 64):
            logits(about[at : at + 64])
    P, y = torch.cat(read), torch.tensor([rows[i][3] for i in about])
    apart = torch.arange(len(y)) % 5 == 0
    topics.D = D
    found = []
    for penalty in (1e-3, 1e-2, 1e-1):
        V, b = topics.fit(P[~apart], y[~apart], penalty)
        found.append((float(((P[apart] @ V + b).argmax(1) == y[apart]).float().mean()), penalty))
    print("topics", found)
    V, b = topics.fit(P, y, max(found)[1])
    np.savez(o.run + "/topics.npz", weight=V.numpy(), bias=b.numpy())
