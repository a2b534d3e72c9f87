"""Trains the signals together with the upper layers, whose vectors are held where they were.

    python train_signals.py --init RUN --tokenizer START --out AGAIN [--epochs 2] [--hold-by 20]

To the cross entropy of the signals it adds a penalty on how far each vector moves (1 - cosine with its old value), for the texts themselves and for as many
conversations and ads (anchors), so that the search finds what it found before. The dev splits of test/eval/languages choose among the running means after each half of an epoch.
Writes AGAIN/model.safetensors; then heads.py makes topics.
"""

import argparse, os, random, time
import numpy as np, torch, torch.nn.functional as F
import heads, network, text
from text import data
import fit_signals

ap = argparse.ArgumentParser()
ap.add_argument("--init"), ap.add_argument("--tokenizer"), ap.add_argument("--out")
for name, value in (("epochs", 2), ("lr", 6e-5), ("headlr", 4e-4), ("hold-by", 20), ("drop", 0.05)):
    ap.add_argument("--" + name, type=float, default=value)
ap.add_argument("--most", type=int, default=2000)
o = ap.parse_args()
torch.set_num_threads(int(os.environ.get("THREADS", 2)))
torch.manual_seed(1)
rng = random.Random(1)
M, tokenizer = network.load(o.init), text.TextTokenizer(o.tokenizer)
signal_texts = heads.texts(o.most, rng)
rows = [tokenizer.context(r[0]) for r in signal_texts]
nan = float("nan")
Y = torch.tensor([[nan if v is None else v for v in r[1:3]] for r in signal_texts])
W = torch.tensor([r[5] for r in signal_texts])
held = [i for i, r in enumerate(signal_texts) if r[4]]
train = [i for i, r in enumerate(signal_texts) if not r[4]]
cats, items = text.native()
anchors = [tokenizer.ad(a) for c in {**cats, **data.load()[0]}.values() for a in c]
anchors += [tokenizer.context(i["turns"]) for i in items if not i["cat"].endswith("-en")]
rng.shuffle(anchors)
found = data.read(f"{data.EVAL}/everyday/creatives.jsonl")
seen = [tokenizer.ad(data.ad(r)) for r in found[::3]] + [rows[i] for i in held[::3]]
began = time.time()
M.eval()
known = sorted({*rows, *anchors, *seen})
with torch.autocast("cpu", dtype=torch.bfloat16):
    before = {r: v.float() for r, v in zip(known, M.vectors(known))}
print(len(train), "texts,", len(held), "held out,", len(before), "vectors", round(time.time() - began), "s", flush=True)


def both(part):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        x, pack = M.lower(part)
        vectors, states = M.upper(x, pack, drop=o.drop)
    return vectors.float(), M.signals([s.float() for s in states], pack), pack


@torch.no_grad()
def figures():
    M.eval()
    Z = torch.cat([both([rows[i] for i in held[at : at + 64]])[1] for at in range(0, len(held), 64)])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        after = M.vectors(seen).float()
    moved = 1 - (after * torch.stack([before[r] for r in seen])).sum(1)
    M.train()
    return fit_signals.figures(Z, Y[held]), round(moved.mean().item(), 5), round(moved.quantile(0.99).item(), 5)


own = [(n, p) for n, p in M.named_parameters() if p.requires_grad and n != "none"]
is_signal_head = lambda n: n.startswith(("mix", "look", "say"))
opt = torch.optim.AdamW([{"params": [p for n, p in own if is_signal_head(n) == h], "lr": r, "most": r} for h, r in ((True, o.headlr), (False, o.lr))], weight_decay=0.01)
mean = [p.detach().clone() for _, p in own]
steps = int(o.epochs * len(train) / 32)
best, order, sums = None, [], []
print("before", figures(), flush=True)
M.train()
for step in range(steps):
    for g in opt.param_groups:
        g["lr"] = g["most"] * min(1, (step + 1) / 50) * (1 - step / steps)
    if len(order) < 32:
        order = rng.sample(train, len(train))
    ids, order = order[:32], order[32:]
    part = [rows[i] for i in ids] + rng.sample(anchors, 16)
    vectors, Z, _ = both(part)
    known = ~Y[ids].isnan()
    w = W[ids][:, None].expand(-1, 2)[known]
    heard = F.binary_cross_entropy_with_logits(Z[:32][known], Y[ids][known], weight=w)
    moved = (1 - (vectors * torch.stack([before[r] for r in part])).sum(1)).mean()
    opt.zero_grad()
    (heard + o.hold_by * moved).backward()
    torch.nn.utils.clip_grad_norm_([p for _, p in own], 1.0)
    opt.step()
    for m, (_, p) in zip(mean, own):
        m.lerp_(p.detach(), max(1 / (step + 1), 1 / 300))
    sums.append((heard.item(), moved.item()))
    if step % 100 == 99:
        print(step + 1, f"{time.time() - began:.0f}s heard %.4f moved %.5f" % tuple(np.mean(sums[-100:], 0)), flush=True)
    if (step + 1) % (len(train) // 64) == 0 or step + 1 == steps:
        kept = [p.detach().clone() for _, p in own]
        with torch.no_grad():
            for (_, p), m in zip(own, mean):
                p.copy_(m)
        now = figures()
        print("mean", now, flush=True)
        if best is None or now[0][0][0] + 0.3 * now[0][1][0] < best:
            best = now[0][0][0] + 0.3 * now[0][1][0]
            network.save(M, o.out)
        with torch.no_grad():
            for (_, p), k in zip(own, kept):
                p.copy_(k)
