"""Trains the vectors of adjacent-small: its layers 4 to 6, on conversations labelled against whole catalogues.

    python train.py --out RUN --minutes 45 --hold w05,w15 …

A step takes conversations of one catalogue, or categories of adcat, and their ads: softmax over the whole catalogue (right ads and the
hardest wrong ones encoded now, the others as they were when last encoded) and a learnt similarity of "no ad"; acceptable ads are left
out. Goes on from RUN/state.pt where it stopped.
"""

import argparse, os, random, time
import torch
import network
import matching
from network import data

ap = argparse.ArgumentParser()
ap.add_argument("--model", default=network.MODEL + "/onnx/model_quantized.onnx")
ap.add_argument("--out"), ap.add_argument("--hold", default="")
ap.add_argument("--sources", default="wild:10,adcat:1,star:1,clinc:.8")
for name, value in (("minutes", 45), ("lr", 1e-4), ("tau", 0.05), ("drop", 0.05)):
    ap.add_argument("--" + name, type=float, default=value)
for name, value in (("contexts", 32), ("wrong", 32), ("seed", 0), ("warm", 40)):
    ap.add_argument("--" + name, type=int, default=value)
o = ap.parse_args()
torch.set_num_threads(int(os.environ.get("THREADS", 2)))
torch.manual_seed(o.seed)
rng, hold, memory = random.Random(o.seed), set(o.hold.split(",")), {}
net, tokenizer = network.load(o.model), network.text_tokenizer()

cats, items = data.load()
sources = {k: float(w) for k, w in (s.split(":") for s in o.sources.split(","))}
pools = data.pools(cats, [i for i in items if i["kind"] != "distress"], hold, sources)
groups, nothing = data.adcat()
print({k: (len(p), sum(len(x) for _, x in p)) for k, p in pools.items()}, len(groups), flush=True)


def task():
    """(conversations, ads, name of their catalogue or None)"""
    source = rng.choices(list(sources), sources.values())[0]
    if source == "adcat":
        return *matching.of_categories(groups, nothing, o.contexts, rng), None
    name, rows = rng.choices(pools[source], [len(x) ** 0.7 for _, x in pools[source]])[0]
    return rng.sample(rows, min(o.contexts, len(rows))), cats[name], name


def read(rows):
    return net.upper(*net.lower(rows, memory), o.drop)[0]


bank = matching.Bank(network.D, o.wrong, rng, hardest=2)


def said(r):
    """The conversation as another hand might have typed it; sometimes its newest turn alone, which is searched for as well."""
    ts = data.disturb(r["turns"], rng)
    if len(ts) > 1 and ts[-1][0] == "user" and rng.random() < 0.15 and r.get("kind") in ("switch", "short", "direct", "indirect"):
        ts = ts[-1:]
    return tokenizer.context(ts), ts == r["turns"]


def step():
    rows, ads, name = task()
    texts = [said(r) for r in rows]
    Q = read([t for t, _ in texts])
    for t, same in texts:
        if not same:
            memory.pop(t, None)
    return matching.loss_of(Q, rows, ads, name, lambda some: read([tokenizer.ad(a) for a in some]), bank, net.none, o.tau)


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
    loss = step()
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    opt.step()
    losses.append(loss.item())
    count += 1
    if len(memory) > 45000:
        memory.clear()
    if count % 20 == 0:
        print(f"{count} {spent:.0f}s loss {sum(losses[-60:]) / len(losses[-60:]):.3f} none {net.none.item():.3f}", flush=True)
    if count % 100 == 0:
        save()
save()
