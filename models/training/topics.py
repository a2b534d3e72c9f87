"""What distress is about: a linear map from the states that the distress signal pools to the gate's topics.

    python topics.py --init RUN --out TOPICS.npz

Fitted on the distress texts whose topic is known, with an L2 penalty chosen on a fifth of them.
"""

import argparse
import numpy as np, torch, torch.nn.functional as F
import data, export
from model import D

TOPICS = sorted(
    "abuse addiction adult bereavement crime-victim disaster eating-disorder financial-distress grave-diagnosis hate "
    "legal-trouble minors suicide-self-harm violence war".split()
)
# none/sensitive.jsonl has finer ones.
SAME = {
    "self-harm": "suicide-self-harm",
    "serious-diagnosis": "grave-diagnosis",
    "pregnancy-loss": "bereavement",
    "minors-at-risk": "minors",
    "violence-threat": "violence",
    "weapons": "violence",
    "drugs-addiction": "addiction",
    "gambling-addiction": "addiction",
    "disaster-accident": "disaster",
    "war-refugee": "war",
    "hate-extremism": "hate",
    "financial-despair": "financial-distress",
    "legal-trouble-criminal": "legal-trouble",
}


@torch.no_grad()
def pooled(M, rows):
    """n × d: what the head of the distress signal reads."""
    out = []
    M.say[0].register_forward_pre_hook(lambda _, ins: out.append(ins[0].clone()))
    for at in range(0, len(rows), 16):
        M.contexts(rows[at : at + 16])
    return torch.cat(out)


def fit(X, y, penalty):
    W, b = torch.zeros(D, len(TOPICS), requires_grad=True), torch.zeros(
        len(TOPICS), requires_grad=True
    )
    opt = torch.optim.LBFGS([W, b], max_iter=200, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(X @ W + b, y) + penalty * (W**2).sum()
        loss.backward()
        return loss

    opt.step(closure)
    return W.detach(), b.detach()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--init"), ap.add_argument("--out")
    o = ap.parse_args()
    M = export.load(o.init)
    tokenizer = data.text_tokenizer()
    texts = [
        {**t, "topic": SAME.get(t["topic"], t["topic"])}
        for t in data.distress()[1]
        if t["sensitive"]
    ]
    texts = [t for t in texts if t["topic"] in TOPICS]
    X = pooled(M, [tokenizer.context(t["turns"]) for t in texts])
    y = torch.tensor([TOPICS.index(t["topic"]) for t in texts])
    held = torch.arange(len(texts)) % 5 == 0
    best = max(
        (((X[held] @ W + b).argmax(1) == y[held]).float().mean().item(), p)
        for p in (1e-4, 1e-3, 3e-3, 1e-2, 3e-2)
        for W, b in [fit(X[~held], y[~held], p)]
    )
    print(f"{len(texts)} texts; right on the held fifth: {best[0]:.3f} at penalty {best[1]}")
    W, b = fit(X, y, best[1])
    np.savez(o.out, weight=W.numpy(), bias=b.numpy())
