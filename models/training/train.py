"""Trains vectors, judge and signals together.

    python train.py --init FOLDER --out FOLDER --steps N [--hold w05,w15] …

FOLDER of --init holds model.safetensors of all-mpnet-base-v2, or of an earlier run.

A step takes one source (a writer's catalogue, categories of adcat, star, clinc) and some of its conversations.
- vectors: softmax over the whole catalogue (right ads and the hardest wrong ones encoded now, the rest as they were at the last refresh) and a learnt
  similarity that stands for "no ad"; acceptable ads are left out.
- judge: the right ads and those of the best dozen that are not, each read beside the conversation: cross entropy over wrong, acceptable and right, and a softmax over
  the conversation's candidates and "none".
- signals: distress, and whether any ad of the world could be right.
With --judge 0 no pair is read, and nothing is measured on held-out writers. With --often 61:4,62:4 those catalogues are met four times as
often as their conversations are many. With --bfloat16 1 layers multiply in bfloat16: three times as fast on processors that do. With --mean N what is saved for
use is a running mean of some N steps. Goes on from OUT/state.pt where it stopped.
"""

import argparse, contextlib, itertools, os, random, sys, time
import numpy as np, torch, torch.nn.functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpnet, data, evals
from model import *
from safetensors.torch import load_file

ap = argparse.ArgumentParser()
for n, d in (
    ("init", None),
    ("out", None),
    ("hold", ""),
    ("sources", "wild:7,adcat:2,star:.7,clinc:.7,distress:1.2"),
    ("often", ""),
):
    ap.add_argument("--" + n, default=d)
for n, d in (
    ("lr", 2e-5),
    ("headlr", 5e-4),
    ("tau", 0.05),
    ("drop", 0.05),
    ("near", 0.62),
    ("minutes", 0),
    ("coolminutes", 0),
    ("judge", 1.0),
):
    ap.add_argument("--" + n, type=float, default=d)
for n, d in (
    ("steps", 300),
    ("contexts", 20),
    ("fresh", 60),
    ("pairs", 5),
    ("seed", 0),
    ("every", 100),
    ("refresh", 300),
    ("warm", 20),
    ("cool", 0),
    ("bfloat16", 0),
    ("mean", 0),
):
    ap.add_argument("--" + n, type=int, default=d)
o = ap.parse_args()
torch.set_num_threads(int(os.environ.get("THREADS", 2)))
torch.manual_seed(o.seed)
rng = random.Random(o.seed)
M = Model(mpnet.load(o.init))
freeze(M)
tokenizer = data.text_tokenizer()
half = lambda f, *args: bfloat16(f, *args) if o.bfloat16 else f(*args)


def bfloat16(f, *args):
    with torch.autocast("cpu", torch.bfloat16):
        return f(*args)


cats, items = data.load()
hold = set(o.hold.split(","))
dev = [i for i in items if i["writer"] in hold]
sources = data.shares(o.sources)
pools = data.pools(cats, items, hold, {"wild", *sources})
often = data.shares(o.often)
groups, none = data.adcat()
gids = sorted(groups)
cats["adcat"], owner_of = [], []
for g in gids:
    for a in groups[g]["ads"]:
        cats["adcat"].append(a)
        owner_of.append(gids.index(g))
owner_of = torch.tensor(owner_of)
gate_dev, gate_train = data.distress(hold)
print(
    {k: (len(v), sum(len(x) for _, x in v)) for k, v in pools.items()},
    len(gids),
    "categories",
    len(gate_train),
    "distress texts",
    len(dev),
    len(gate_dev),
    "held out",
    flush=True,
)

heads = [p for n, p in M.named_parameters() if p.requires_grad and not n.startswith("net.")]
body = [p for n, p in M.named_parameters() if p.requires_grad and n.startswith("net.")]
opt = torch.optim.AdamW(
    [{"params": body, "weight_decay": 0.01}, {"params": heads, "weight_decay": 0.0}],
    lr=o.lr,
    betas=(0.9, 0.98),
)
step, run = 0, []
mean, averages = None, 0  # of the trained parameters, over some --mean of so many steps
os.makedirs(o.out, exist_ok=True)
state = o.out + "/state.pt"
if os.path.exists(state):
    s = torch.load(state, weights_only=False)
    M.load_state_dict(s["model"])
    opt.load_state_dict(s["opt"])
    step = s["step"]
    if o.mean:
        mean, averages = s.get("mean"), s.get("averages", 0)
    rng.setstate(s["rng"])
    print("goes on from step", step, flush=True)
elif os.path.exists(o.init + "/heads.safetensors"):
    have = {
        k: v
        for k, v in load_file(o.init + "/heads.safetensors").items()
        if k in M.state_dict() and v.shape == M.state_dict()[k].shape
    }
    M.load_state_dict(have, strict=False)
    print("heads taken over:", sorted(have), flush=True)

low = {}


def lower(c, a, with_cats):
    """States of an ad after the frozen layers, kept as half floats."""
    key = (c, a, with_cats)
    if key not in low:
        fill(c, [a], with_cats)
    return low[key].float()


def fill(c, ids, with_cats):
    ids = [a for a in ids if (c, a, with_cats) not in low]
    ids.sort(key=lambda a: len(cats[c][a]["name"]) + len(cats[c][a]["text"]))
    for b in range(0, len(ids), 64):
        part = ids[b : b + 64]
        x, pack = half(M.lower, [tokenizer.ad(cats[c][a], with_cats) for a in part])
        for a, h in zip(part, x.split(pack.lengths.tolist())):
            low[c, a, with_cats] = h.half()


cache = {}


@torch.no_grad()
def catalogue(c):
    """Vectors of a catalogue's ads, at most `refresh` steps old."""
    if c not in cache or step - cache[c][0] > o.refresh * (3 if c == "adcat" else 1):
        M.eval()
        out = []
        ids = list(range(len(cats[c])))
        fill(c, ids, True)
        order = sorted(ids, key=lambda a: len(low[c, a, True]))
        for b in range(0, len(order), 96):
            x, pack = repack([lower(c, a, True) for a in order[b : b + 96]])
            out.append(half(lambda: M.ad_vectors(M.middle(x, pack), pack)).float())
        V = torch.cat(out)
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        cache[c] = (step, V[back])
        M.train()
    return cache[c][1]


near = None


def adcat_batch():
    """Conversations of categories near each other and of far ones. Right: the ads of the category; those of near categories are left out."""
    global near
    V = catalogue("adcat")
    if near is None or near[0] != cache["adcat"][0]:
        C = F.normalize(torch.zeros(len(gids), D).index_add(0, owner_of, V), dim=-1)
        near = (cache["adcat"][0], C @ C.T)
    N = near[1]
    a = rng.randrange(len(gids))
    k = list(dict.fromkeys(N[a].topk(8).indices.tolist() + rng.sample(range(len(gids)), 40)))[
        : o.contexts - 4
    ]
    out = []
    for g in k:
        x = rng.choice(groups[gids[g]]["contexts"])
        mine = (owner_of == g).nonzero()[:, 0].tolist()
        out.append(
            {
                "turns": x["turns"],
                "rel": mine,
                "acc": ((N[g][owner_of] > o.near) & (owner_of != g)).nonzero()[:, 0].tolist(),
                "kind": x["kind"],
                "sensitive": False,
            }
        )
    out += [
        {"turns": x["turns"], "rel": [], "acc": [], "kind": x["kind"], "sensitive": x["sensitive"]}
        for x in rng.sample(none, 4)
    ]
    return "adcat", out


def bce(z, y, w=1.0):
    return F.binary_cross_entropy_with_logits(z, y, reduction="none") * w


def step_loss():
    name = rng.choices(list(sources), list(sources.values()))[0]
    if name == "distress":
        its = rng.sample(gate_train, o.contexts + 8)
        rows = [tokenizer.context(data.for_gate(data.disturb(i["turns"], rng), rng)) for i in its]
        sig = half(M.contexts, rows, o.drop)[1].float()
        y = torch.tensor([float(i["sensitive"]) for i in its])
        return name, bce(sig[:, 0], y).mean(), {"gate": bce(sig[:, 0], y).mean().item()}
    c, its = (
        adcat_batch()
        if name == "adcat"
        else data.draw(rng, pools[name], often)
    )
    if name != "adcat":
        its = rng.sample(its, min(o.contexts, len(its)))
    V = catalogue(c)
    Q, sig, memory = half(M.contexts, [tokenizer.context(data.disturb(i["turns"], rng)) for i in its], o.drop)
    Q, sig = Q.float(), sig.float()
    S0 = Q.detach() @ V.T
    # which ads are encoded now, and which pairs the judge reads
    fresh, negatives, pairs, labels = {}, [], [], []
    for k, it in enumerate(its):
        rel, acc = it["rel"], it["acc"]
        right = rng.sample(rel, min(2, len(rel)))
        s = S0[k].clone()
        s[rel + acc] = -2
        hard = s.topk(min(10, len(s))).indices.tolist()
        wrong = hard[:1] + rng.sample(hard[1:], min(len(hard) - 1, 3))
        fresh.update(dict.fromkeys(right))
        negatives.append(wrong[:3])
        shrug = [] if name == "adcat" else rng.sample(acc, min(1, len(acc)))
        for a, l in (
            [(a, 2) for a in right[: 2 if name == "wild" else 1]]
            + [(a, 1) for a in shrug]
            + [(a, 0) for a in wrong]
        ):
            pairs.append((k, a))
            labels.append(l)
    pairs = pairs if o.judge else []
    # Right ads first, then each conversation's hardest wrong one, then its second …
    fresh.update(dict.fromkeys(a for rank in itertools.zip_longest(*negatives) for a in rank if a is not None))
    fresh = set(list(fresh)[: o.fresh]) | {a for _, a in pairs if a in fresh}
    ids = sorted(fresh | {a for _, a in pairs})
    with_cats = {a: rng.random() < 0.7 for a in ids}
    for w in (True, False):
        fill(c, [a for a in ids if with_cats[a] == w], w)
    x, pack = repack([lower(c, a, with_cats[a]) for a in ids])
    mid = half(M.middle, x, pack, o.drop).split(pack.lengths.tolist())
    at = {a: j for j, a in enumerate(ids)}
    new = [a for a in ids if a in fresh]
    new.sort(key=lambda a: len(mid[at[a]]))
    x, pack = repack([mid[at[a]] for a in new])
    A = V.clone()
    A = A.index_copy(0, torch.tensor(new), half(M.ad_vectors, x, pack, o.drop).float())
    S = torch.cat([Q @ A.T, M.floor.expand(len(its), 1)], 1) / o.tau
    l_bi = []
    for k, it in enumerate(its):
        z = S[k]
        if it["acc"]:
            m = torch.zeros_like(z)
            m[it["acc"]] = -1e4
            z = z + m
        right = [a for a in it["rel"] if a in fresh] or (
            [len(V)] if not it["rel"] else it["rel"][:1]
        )
        others = [a for a in it["rel"] if a not in fresh]
        if others:
            m = torch.zeros_like(z)
            m[others] = -1e4
            z = z + m
        l_bi.append(torch.logsumexp(z, 0) - torch.logsumexp(z[right], 0))
    l_bi = torch.stack(l_bi).mean()
    wj = o.judge * (0.4 if name == "adcat" else 1.0)
    l_judge, parts = judge_loss(pairs, labels, its, mid, at, memory, Q, S0) if wj else (0.0, {})
    # signals
    l_sig = torch.zeros(())
    y0 = [(k, float(it["sensitive"])) for k, it in enumerate(its) if it["sensitive"] is not None]
    if y0:
        l_sig = l_sig + bce(sig[[k for k, _ in y0], 0], torch.tensor([v for _, v in y0])).mean()
    y1 = [(k, data.need_of(it)) for k, it in enumerate(its) if data.need_of(it) is not None]
    if y1:
        l_sig = (
            l_sig + 0.5 * bce(sig[[k for k, _ in y1], 1], torch.tensor([v for _, v in y1])).mean()
        )
    loss = l_bi + wj * l_judge + 0.5 * l_sig
    return name, loss, {"bi": l_bi.item(), **parts, "sig": l_sig.item()}


def judge_loss(pairs, labels, its, mid, at, memory, Q, S0):
    # pairs sorted by length, in two halves, for less padding
    order = sorted(range(len(pairs)), key=lambda p: len(mid[at[pairs[p][1]]]))
    Z = torch.zeros(len(pairs), 3)
    parts = []
    for some in (order[: len(order) // 2], order[len(order) // 2 :]):
        x, pack = repack([mid[at[pairs[p][1]]] for p in some])
        of, ad = (torch.tensor([pairs[p][i] for p in some]) for i in (0, 1))
        parts.append(half(M.judged, x, pack, of, memory, Q.detach(), S0[of, ad], o.drop).float())
    Z = torch.cat(parts)[torch.argsort(torch.tensor(order))]
    y = torch.tensor(labels)
    weight = torch.tensor([1.0, 0.5, 1.5])[y]
    l_pair = (F.cross_entropy(Z, y, reduction="none", label_smoothing=0.02) * weight).mean()
    r, l_list = log_odds(Z), []
    who = torch.tensor([k for k, _ in pairs])
    for k, it in enumerate(its):
        mine = (who == k).nonzero()[:, 0]
        z = torch.cat([r[mine], torch.zeros(1)])
        z = z + torch.cat([(y[mine] == 1).float() * -1e4, torch.zeros(1)])
        good = (y[mine] == 2).nonzero()[:, 0].tolist() or [len(mine)]
        l_list.append(torch.logsumexp(z, 0) - torch.logsumexp(z[good], 0))
    l_list = torch.stack(l_list).mean()
    return l_pair + l_list, {"pair": l_pair.item(), "list": l_list.item()}


@torch.no_grad()
def average():
    global mean, averages
    now = [p.detach() for p in body + heads]
    if mean is None:
        mean = [p.clone() for p in now]
    averages += 1
    share = max(1 / averages, 1 / o.mean)
    for m, p in zip(mean, now):
        m.lerp_(p, share)


def save():
    torch.save(
        {"model": M.state_dict(), "opt": opt.state_dict(), "step": step, "rng": rng.getstate(), "mean": mean, "averages": averages},
        state + ".new",
    )
    os.replace(state + ".new", state)
    with averaged():
        store(M, o.out)


@contextlib.contextmanager
def averaged():
    """The parameters are their mean meanwhile."""
    own = [p.detach().clone() for p in body + heads]
    put = lambda values: [p.data.copy_(v) for p, v in zip(body + heads, values)]
    put(mean or own)
    yield
    put(own)


begin, first = time.time(), step
M.train()


def schedule():
    """Warm up, stay, then linearly to nothing: over the last `cool` steps, or the last `coolminutes` of `minutes`."""
    if o.minutes:
        left = o.minutes - (time.time() - begin) / 60
        return max(0.0, min(1, left / o.coolminutes)) if o.coolminutes else 1.0
    return 1.0 if step < o.steps - o.cool else max(0.02, (o.steps - step) / o.cool)


while step < o.steps:
    f = min(1, (step - first + 1) / o.warm) * schedule()
    if o.minutes and f <= 0.0:
        break
    for g, lr in zip(opt.param_groups, (o.lr, o.headlr)):
        g["lr"] = lr * f
    name, loss, parts = step_loss()
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(body + heads, 1.0)
    opt.step()
    step += 1
    if o.mean:
        average()
    run.append((name, parts))
    if step % 20 == 0:
        by = {}
        for n, x in run[-60:]:
            for k, v in x.items():
                by.setdefault(n + "." + k, []).append(v)
        print(
            step,
            {n: round(float(np.mean(x)), 2) for n, x in sorted(by.items())},
            "floor",
            round(M.floor.item(), 3),
            f"{(time.time() - begin) / (step - first):.1f} s/step",
            flush=True,
        )
    if step % o.every == 0 or step == o.steps:
        save()
        if dev and o.judge and not o.minutes:
            with averaged():
                print(evals.joint(M, tokenizer, cats, dev, gate_dev, label=f"{step}"), flush=True)
            M.train()
save()
print("done at step", step, flush=True)
