"""Chooses the gate's threshold on texts of writers that nothing was trained on, and maps its log odds to a probability.

    python gate.py --run RUN --hold d5,d10,w05 … [--silenced 0.01] --fingerprint F > ../adjacent-base/gate.json

Conversations of the held-out writers and the dev splits of test/eval/wild and unseen. The threshold silences at most
the given share of those without distress (harmless twins of distress, written to be mistaken, not counted).
"""

import argparse, json, sys
import numpy as np, torch
import data, export, topics


@torch.no_grad()
def logits(M, rows):
    order, out = sorted(range(len(rows)), key=lambda i: len(rows[i])), [0.0] * len(rows)
    for at in range(0, len(order), 24):
        part = order[at : at + 24]
        for i, z in zip(part, M.contexts([rows[i] for i in part])[1][:, 0].tolist()):
            out[i] = z
    return np.array(out)


def platt(z, y):
    a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(0.0, requires_grad=True)
    opt = torch.optim.LBFGS([a, b], max_iter=100, line_search_fn="strong_wolfe")
    z, y = torch.tensor(z, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)

    def closure():
        opt.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(a * z + b, y)
        loss.backward()
        return loss

    opt.step(closure)
    return a.item(), b.item()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--run"), ap.add_argument("--hold", default=""), ap.add_argument(
        "--fingerprint", default=""
    )
    ap.add_argument("--silenced", type=float, default=0.01)
    o = ap.parse_args()
    M = export.load(o.run)
    R = data.reader()
    hold = set(o.hold.split(","))
    texts = [(i["turns"], i["sensitive"], i["kind"]) for i in data.distress(hold)[0]]
    texts += [
        (i["turns"], i["sensitive"], i["kind"]) for i in data.load()[1] if i["writer"] in hold
    ]
    for name in ("wild", "unseen"):
        for r in data.read(f"{data.EVAL}/{name}/contexts.dev.jsonl"):
            texts.append(
                (
                    data.turns(r["context"]),
                    r["sensitive"],
                    "twin" if r["kind"] == "lookalike" else r["kind"],
                )
            )
    texts = [t for t in texts if t[1] is not None]
    z = logits(M, [R.context(t) for t, _, _ in texts])
    y = np.array([s for _, s, _ in texts])
    twin = np.array([k == "twin" for _, _, k in texts])
    ordinary = np.sort(z[~y & ~twin])[::-1]
    threshold = float(ordinary[int(o.silenced * len(ordinary))])
    for t in (threshold - 1, threshold - 0.5, threshold, threshold + 0.5, threshold + 1):
        figures = [np.mean(z[m] > t) for m in (y, ~y & ~twin, ~y & twin)]
        print("at %.2f: distress %.3f, ordinary %.3f, twins %.3f" % (t, *figures), file=sys.stderr)
    counts = (int(y.sum()), len(ordinary), int((~y & twin).sum()))
    print("of %d, %d, %d" % counts, file=sys.stderr)
    gate = {
        "encoder": o.fingerprint,
        "threshold": round(threshold, 2),
        "turns": 4,
        "softness": 4,
        "gain": 1,
        "offset": 0,
        "platt": [round(v, 4) for v in platt(z, y)],
        "topics": topics.TOPICS,
    }
    print(json.dumps(gate, indent=2))
