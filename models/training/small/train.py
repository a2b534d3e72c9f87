"""Trains the vectors of adjacent-small: its layers 4 to 6, on conversations labelled against whole catalogues.

    python train.py --out RUN --minutes 45 --hold w05,w15 …

A step takes conversations of one catalogue, or categories of adcat, and their ads: softmax over the whole catalogue (right ads and the
hardest wrong ones encoded now, the others as they were when last encoded) and a learnt similarity of "no ad"; acceptable ads are left
out. Goes on from RUN/state.pt where it stopped.
"""

import argparse, os, random, time
import torch
import network
from network import data

ap = argparse.ArgumentParser()
ap.add_argument("--model", default=os.path.join(network.HERE, "..", "..", "adjacent-small", "onnx", "model_quantized.onnx"))
ap.add_argument("--out"), ap.add_argument("--hold", default="")
ap.add_argument("--sources", default="wild:10,adcat:1,star:1,clinc:.8")
for name, value in (("minutes", 45), ("lr", 1e-4), ("tau", 0.05), ("drop", 0.05), ("keep", 0.0)):
    ap.add_argument("--" + name, type=float, default=value)
for name, value in (("contexts", 32), ("wrong", 32), ("seed", 0), ("warm", 40)):
    ap.add_argument("--" + name, type=int, default=value)
o = ap.parse_args()
torch.set_num_threads(int(os.environ.get("THREADS", 2)))
torch.manual_seed(o.seed)
rng, hold, memory = random.Random(o.seed), set(o.hold.split(",")), {}
net, R = network.load(o.model), network.Reader()
before = network.load(o.model).eval() if o.keep else None

cats, items = data.load()
sources = {k: float(w) for k, w in (s.split(":") for s in o.sources.split(","))}
pools = data.pools(cats, [i for i in items if i["kind"] != "distress"], hold, sources)
groups, nothing = data.adcat()
print({k: (len(p), sum(len(x) for _, x in p)) for k, p in pools.items()}, len(groups), flush=True)


def task():
    """(conversations, ads, name of their catalogue or None)"""
    source = rng.choices(list(sources), sources.values())[0]
    if source == "adcat":
        names, ads, rows = rng.sample(sorted(groups), o.contexts), [], []
        for n in names:
            g, first = groups[n], len(ads)
            ads += rng.sample(g["ads"], min(2, len(g["ads"])))
            if g["contexts"]:
                rows.append({**rng.choice(g["contexts"]), "rel": list(range(first, len(ads))), "acc": []})
        rows += [{**r, "rel": [], "acc": []} for r in rng.sample([n for n in nothing if n["kind"] == "none"], 4)]
        return rows, ads, None
    name, rows = rng.choices(pools[source], [len(x) ** 0.7 for _, x in pools[source]])[0]
    return rng.sample(rows, min(o.contexts, len(rows))), cats[name], name


def read(rows):
    x, pack = net.lower(rows, memory)
    return net.upper(x, pack, o.drop), x, pack


bank = {}


def chosen(name, ads, Q, rows):
    """Which ads of a catalogue are encoded now: a right one of each conversation, the hardest wrong ones of those encoded before, and some
    others. Gives them with all vectors, as they last were, and which of these there are."""
    vectors, seen = bank.setdefault(name, (torch.zeros(len(ads), network.D), torch.zeros(len(ads), dtype=torch.bool)))
    S = (Q.detach() @ vectors.T).masked_fill(~seen, -9)
    for i, r in enumerate(rows):
        S[i, list({*r["rel"], *r["acc"]})] = -9
    hardest = [i for i in set(S.topk(min(2, len(ads)), 1).indices.flatten().tolist()) if seen[i]]
    rng.shuffle(hardest)
    others = rng.sample(range(len(ads)), min(o.wrong, len(ads)))
    now = {rng.choice(r["rel"]) for r in rows if r["rel"]}
    return sorted({*now, *(hardest + others)[: o.wrong]}), vectors, seen


def said(r):
    """The conversation as another hand might have typed it; sometimes its newest turn alone, which is searched for as well."""
    ts = data.disturb(r["turns"], rng)
    if len(ts) > 1 and ts[-1][0] == "user" and rng.random() < 0.15 and r.get("kind") in ("switch", "short", "direct", "indirect"):
        ts = ts[-1:]
    return R.context(ts), ts == r["turns"]


def step():
    rows, ads, name = task()
    texts = [said(r) for r in rows]
    Q, x, pack = read([t for t, _ in texts])
    kept = 0.0
    if before is not None:
        with torch.no_grad():
            was = before.upper(x, pack)
        kept = (1 - (Q * was).sum(1)).mean()
    for t, same in texts:
        if not same:
            memory.pop(t, None)
    if name:
        now, vectors, seen = chosen(name, ads, Q, rows)
        fresh = read([R.ad(ads[i]) for i in now])[0]
        A = vectors.index_copy(0, torch.tensor(now), fresh)
        vectors[now] = fresh.detach()
        seen[now] = True
    else:
        A = read([R.ad(a) for a in ads])[0]
    logits = torch.cat([Q @ A.T, net.none.expand(len(rows), 1)], 1) / o.tau
    right = torch.zeros(logits.shape, dtype=torch.bool)
    skip = torch.zeros_like(right)
    for i, r in enumerate(rows):
        right[i, r["rel"] or [len(ads)]] = True
        skip[i, r["acc"]] = True
    if name:  # right ads that were not encoded now give no gradient, but must not count as wrong either
        stale = torch.ones(logits.shape[1], dtype=torch.bool)
        stale[[*now, len(ads)]] = False
        skip |= right & stale
        right &= ~stale
        skip[:, : len(ads)] |= ~seen
    good = right.any(1)
    logits = logits.masked_fill(skip & ~right, -1e4)
    each = torch.logsumexp(logits, 1) - torch.logsumexp(logits.masked_fill(~right, -1e4), 1)
    return each[good].mean(), kept


trained = [p for n, p in net.named_parameters() if p.requires_grad and not n.startswith(("heard", "look", "say"))]
opt = torch.optim.AdamW(trained, lr=o.lr, weight_decay=0.01)
count, spent = 0, 0.0
os.makedirs(o.out, exist_ok=True)
if os.path.exists(f"{o.out}/state.pt"):
    state = torch.load(f"{o.out}/state.pt", weights_only=False)
    net.load_state_dict(state["model"]), opt.load_state_dict(state["optimizer"])
    count, spent = state["step"], state["spent"]
    rng.seed(o.seed + count)
net.train()
began, losses = time.time() - spent, []


def save():
    torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "step": count, "spent": spent}, f"{o.out}/state.part")
    os.replace(f"{o.out}/state.part", f"{o.out}/state.pt")


while (spent := time.time() - began) < o.minutes * 60:
    left = 1 - spent / (o.minutes * 60)
    for g in opt.param_groups:
        g["lr"] = o.lr * min(1, (count + 1) / o.warm) * min(1, left / 0.6)
    loss, kept = step()
    opt.zero_grad()
    (loss + o.keep * kept).backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    opt.step()
    losses.append(loss.item())
    count += 1
    if len(memory) > 45000:
        memory.clear()
    if count % 20 == 0:
        print(f"{count} {spent:.0f}s loss {sum(losses[-60:]) / len(losses[-60:]):.3f} kept {float(kept):.3f} none {net.none.item():.3f}", flush=True)
    if count % 100 == 0:
        save()
save()
