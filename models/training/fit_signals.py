"""Fits heads of the signals on states of a frozen trunk, for both encoders (heads.py, multilingual/heads.py)."""

import numpy as np, torch, torch.nn.functional as F
import evals, gate


def of_head(name, s):
    """Whether a parameter belongs to signal s; `mix` and `look` hold a row of each."""
    return name in ("mix", "look") or name.startswith(f"say.{s}.")


def figures(Z, Y):
    """Of each signal its loss once its log odds are scaled, since gate and score scale them, and its AUROC. Z, Y: n × s, NaN in Y where unknown."""
    out = []
    for z, y in zip(Z.T, Y.T):
        z, y = z[~y.isnan()], y[~y.isnan()]
        a, b = gate.fit(z[:, None].double().numpy(), y.double().numpy(), np.ones(len(y)))
        loss = F.binary_cross_entropy_with_logits(z * float(a) + float(b), y).item()
        out.append((round(loss, 4), round(evals.auroc(z[y > 0.5], z[y < 0.5]), 4)))
    return out


def fit(M, logits, Y, train, held, rng, signals, epochs=8, lr=3e-4, decay=0.01, weight=None):
    """Trains M's heads and leaves in them, of each signal named, the epoch at which its loss on `held` was least: as the step left it, or the
    running mean of some 400 steps. logits(ids) gives n × s; Y is the same of all texts, NaN where unknown; weight is one of each text."""
    names, params = zip(*[(n, p) for n, p in M.named_parameters() if n.startswith(("mix", "look", "say"))])
    count = Y.shape[1]
    weight = torch.ones(len(Y)) if weight is None else weight

    @torch.no_grad()
    def now_held():
        M.eval()
        Z = torch.cat([logits(held[at : at + 64]) for at in range(0, len(held), 64)])
        M.train()
        return figures(Z, Y[held])

    @torch.no_grad()
    def put(values):
        for p, v in zip(params, values):
            p.copy_(v)

    now = lambda: [p.detach().clone() for p in params]
    best, kept = now_held(), now()
    print("before", best, flush=True)

    def keep():
        found = now_held()
        for s in (s for s in range(count) if s in signals and found[s][0] < best[s][0]):
            best[s] = found[s]
            for n, k, p in zip(names, kept, params):
                if n in ("mix", "look"):
                    k[s] = p.detach()[s]
                elif of_head(n, s):
                    k.copy_(p.detach())
        return found

    opt = torch.optim.AdamW(params, lr=lr, weight_decay=decay)
    mean, done, steps = now(), 0, epochs * -(-len(train) // 32)
    for epoch in range(epochs):
        rng.shuffle(train)
        for at in range(0, len(train), 32):
            for g in opt.param_groups:
                g["lr"] = lr * (1 - done / steps)
            done += 1
            ids = train[at : at + 32]
            Z, y = logits(ids), Y[ids]
            known = ~y.isnan()
            w = weight[ids][:, None].expand(-1, count)[known]
            loss = F.binary_cross_entropy_with_logits(Z[known], y[known], weight=w)
            opt.zero_grad(), loss.backward(), opt.step()
            for m, p in zip(mean, params):
                m.lerp_(p.detach(), max(1 / done, 1 / 400))
        found, own = keep(), now()
        put(mean)
        smooth = keep()
        put(own)
        print(epoch, found, "mean", smooth, flush=True)
    put(kept)
    print("kept", best, flush=True)
