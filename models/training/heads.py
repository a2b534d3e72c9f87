"""Fits the heads of the signals (distress, need) once more, on the finished trunk.

    python heads.py --run RUN --hold w05,w15,d5 … [--epochs 8] [--signals need] [--new d14 --share 0.25]

While trunk and judge are trained, the signals see each text about once; on kept states a pass over all texts takes
seconds. RUN/heads.safetensors is replaced, with the given signals only (default: all), each of the epoch that held-out writers choose,
of the step as it stands or of a running mean of the steps. With --new, heads that are fitted already go on with these writers' texts and a share of the others.
"""

import argparse, json, random
import torch
import data, export, fit_signals
from model import SIGNALS
from mpnet import Pack, batches
from safetensors.torch import save_file


@torch.no_grad()
def states_of(M, rows):
    """For each row its states where the signals read: 4 × tokens × d, half floats."""
    order, out = sorted(range(len(rows)), key=lambda i: len(rows[i])), [None] * len(rows)
    net = M.net.bfloat16()
    for part in batches(order, rows):
        pack = Pack([len(rows[i]) for i in part])
        x = net.embed(torch.tensor([t for i in part for t in rows[i]]), pack)
        x, kept = net.run(x, pack, keep=(8, 9, 10))
        states = torch.stack([kept[8], kept[9], kept[10], x]).half()
        for i, k in zip(part, states.split(pack.lengths.tolist(), 1)):
            out[i] = k.clone()
    return out


# Whether an ad of the world could serve, of the kinds in text/distress; twins are of both sorts.
NEEDS = {"distress": 0.0, "ordinary": 1.0}


def texts(hold, most, rng):
    """(row text turns, distress or None, need or None, held): distress texts, conversations, and pieces of both."""
    cats, items = data.load()
    groups, none = data.adcat()
    held, rest = data.distress(hold)
    out = []
    for its, h in ((held, True), (rest, False)):
        out += [
            (i["turns"], float(i["sensitive"]), NEEDS.get(i["kind"]), h) for i in its
        ]
    mine = [i for i in items if i["writer"] in hold]
    others = [i for i in items if i["writer"] not in hold]
    for its, h in ((mine, True), (rng.sample(others, most), False)):
        for i in its:
            need = (
                1.0
                if i["rel"] or i["kind"] == "oov"
                else 0.0 if i["kind"] in ("none", "distress") else None
            )
            out.append(
                (i["turns"], None if i["sensitive"] is None else float(i["sensitive"]), need, h)
            )
    out += [(i["turns"], None, 0.0, False) for i in none if i["kind"] == "none"]
    # Plain needs and short errands, so that a terse complaint is not taken for distress by its length.
    plain = [i["turns"] for g in groups.values() for i in g["contexts"]]
    out += [(t, 0.0, 1.0, False) for t in rng.sample(plain, 3000)]
    _, errands = data.load_set(f"{data.EVAL}/clinc", "clinc", "contexts.train.jsonl")
    out += [(i["turns"], 0.0, None, False) for i in rng.sample(errands, 1200)]
    # Errands in many turns, with the asides of the people who ran them ("he cheated on me", "that's a load off my mind").
    for f, n in (("contexts.train.jsonl", 1000), ("contexts.mixed.train.jsonl", 1500)):
        _, errands = data.load_set(f"{data.EVAL}/star", "star", f)
        out += [(i["turns"], 0.0, None, False) for i in rng.sample(errands, n)]
    _, errands = data.load_set(f"{data.EVAL}/star", "star", "contexts.mixed.dev.jsonl")
    out += [(i["turns"], 0.0, None, True) for i in rng.sample(errands, 200)]
    for turns, distress, need, h in list(out):
        said = [t for s, t in turns if s == "user"]
        if len(said) > 1 and distress is not None:
            out.append(([("user", "\n".join(said)[-400:])], distress, None, h))
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--run"), ap.add_argument("--hold", default="")
    ap.add_argument("--signals", default=",".join(SIGNALS))
    ap.add_argument("--epochs", type=int, default=8), ap.add_argument(
        "--most", type=int, default=3500
    )
    ap.add_argument("--lr", type=float, default=3e-4)
    ap.add_argument("--new", default=""), ap.add_argument("--share", type=float, default=1.0)
    o = ap.parse_args()
    rng = random.Random(1)
    torch.manual_seed(1)
    M = export.load(o.run)
    tokenizer = data.text_tokenizer()
    rows = texts(set(o.hold.split(",")), o.most, rng)
    if o.new:
        new = {json.dumps(i["turns"]) for i in data.distress(o.new.split(","))[0]}
        rows = [r for r in rows if r[3] or json.dumps(r[0]) in new or rng.random() < o.share]
    X = states_of(M, [tokenizer.context(t) for t, *_ in rows])
    nan = float("nan")
    Y = torch.tensor([[nan if d is None else d, nan if n is None else n] for _, d, n, _ in rows])
    held = [i for i, r in enumerate(rows) if r[3]]
    train = [i for i, r in enumerate(rows) if not r[3]]
    print(len(train), "texts,", len(held), "held out", flush=True)

    def logits(ids):
        parts = [X[i] for i in ids]
        pack = Pack([p.shape[1] for p in parts])
        return M.signals(list(torch.cat(parts, 1).float()), pack)

    fit_signals.fit(M, logits, Y, train, held, rng, [SIGNALS.index(s) for s in o.signals.split(",")], o.epochs, o.lr)
    heads = {k: v.contiguous() for k, v in M.state_dict().items() if not k.startswith("net.")}
    save_file(heads, o.run + "/heads.safetensors")
