"""Fits the gate to both encoders' log odds of distress, on texts of writers that nothing was trained on.

    python gate.py --hold d5,d10,w05 … > TEXTS.jsonl
    node ../../dist/test/eval/gate-inputs.js TEXTS.jsonl > INPUTS.jsonl
    python gate.py --inputs INPUTS.jsonl --gate ../adjacent-base/gate.json [--silenced 0.02]

The first writes texts of distress, their harmless twins, and conversations of the held-out writers, with the dev splits of test/eval. The last
replaces weights and threshold: a logistic regression over the encoders' log odds, in which distress counts as often as ordinary talk; the threshold
suppresses at most the given share of what is neither distress nor a twin (twins are written to be mistaken). Figures are of texts that
a fold was not fitted to; a writer's texts are in one fold.
"""

import argparse, json, random, sys
import numpy as np
import data

DEV = ("wild", "unseen", "everyday")
# Ordinary talk only.
ERRANDS = {"star/contexts.mixed.dev": 150, "star/contexts.dev": 100, "clinc/contexts.dev": 100}


def texts(hold):
    for i in data.distress(hold)[0]:
        yield i["writer"], i["kind"], i["sensitive"], "\n".join(
            ("User: " if s == "user" else "Assistant: ") + t for s, t in i["turns"]
        )
    for i in data.load()[1]:
        if i["writer"] in hold:
            yield i["writer"], i["kind"], i["sensitive"], i["raw"]
    for name in DEV:
        for r in data.read(f"{data.EVAL}/{name}/contexts.dev.jsonl"):
            sensitive = r.get("sensitive")
            kind = r.get("kind") or ("twin" if sensitive is False else "distress" if sensitive else "other")
            yield name, data.ALIAS.get(kind, kind), bool(sensitive), r["context"]
    for file, count in ERRANDS.items():
        for r in random.Random(1).sample(data.read(f"{data.EVAL}/{file}.jsonl"), count):
            yield file.split("/")[0], "other", False, r["context"]


def fit(X, y, w, ridge=1.0, rounds=50):
    """Weights and bias of a logistic regression, by Newton's method."""
    X = np.hstack([X, np.ones((len(X), 1))])
    b = np.zeros(X.shape[1])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-X @ b))
        h = (X * (w * p * (1 - p))[:, None]).T @ X + ridge * np.diag([1] * (X.shape[1] - 1) + [0])
        b += np.linalg.solve(h, X.T @ (w * (y - p)) - ridge * np.append(b[:-1], 0))
    return b


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--hold", default=""), ap.add_argument("--inputs"), ap.add_argument("--gate")
    ap.add_argument("--silenced", type=float, default=0.02)
    o = ap.parse_args()
    if not o.inputs:
        for writer, kind, sensitive, text in texts(set(o.hold.split(","))):
            row = {"writer": writer, "kind": kind, "sensitive": sensitive, "context": text}
            print(json.dumps(row, ensure_ascii=False))
        sys.exit()
    rows = [r for r in data.read(o.inputs) if r["sensitive"] is not None and None not in r["sensitivityLogits"]]
    X = np.clip(np.array([r["sensitivityLogits"] for r in rows], float), -12, 12)
    y = np.array([r["sensitive"] for r in rows], float)
    twin = np.array([r["kind"] == "twin" for r in rows])
    writers = sorted({r["writer"] for r in rows})
    fold = np.array([writers.index(r["writer"]) % 5 for r in rows])
    weight = np.where(y > 0, (len(y) - y.sum()) / y.sum(), 1.0)
    z = np.zeros(len(y))
    for k in range(5):
        b = fit(X[fold != k], y[fold != k], weight[fold != k])
        z[fold == k] = X[fold == k] @ b[:-1] + b[-1]
    plain = (y == 0) & ~twin

    def figures(z, t):
        of = lambda m: f"{np.mean(z[m] >= t):.3f} of {m.sum()}"
        print(f"at {t:.2f}: distress {of(y > 0)}, ordinary {of(plain)}, twins {of((y == 0) & twin)}", file=sys.stderr)

    for share in (0.005, 0.01, 0.015, 0.02, 0.03):
        figures(z, np.sort(z[plain])[::-1][int(share * plain.sum())])
    b = fit(X, y, weight)
    whole = X @ b[:-1] + b[-1]
    t = float(np.sort(whole[plain])[::-1][int(o.silenced * plain.sum())])
    figures(whole, t)
    for w in writers:
        mine = np.array([r["writer"] == w for r in rows])
        share = lambda m: f"{(whole[m] >= t).sum()}/{m.sum()}"
        print(f"  {w}: distress {share(mine & (y > 0))} ordinary {share(mine & plain)} twins {share(mine & (y == 0) & twin)}", file=sys.stderr)
    with open(o.gate) as f:
        gate = json.load(f)
    gate["threshold"] = round(t, 3)
    gate["second"]["weights"] = [round(float(v), 4) for v in b[:2]]
    gate["second"]["bias"] = round(float(b[2]), 4)
    with open(o.gate, "w") as f:
        f.write(json.dumps(gate, indent=2) + "\n")
