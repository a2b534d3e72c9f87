"""Trains the upper layers of the multilingual encoder.

    PARALLEL=parallel.jsonl.gz python train.py --init START --out RUN --minutes 60

A step takes conversations of one catalogue, or categories of adcat, and their ads: softmax over the whole catalogue (right ads
and the hardest wrong ones encoded now, the others as they were when last encoded) and a learnt similarity of "no ad";
acceptable ads are left out. Every sixth step adds parallel sentences: each is to find its translation among the others'.
With --signals every step also hears texts for distress and need (heads.texts), so that the trunk learns features that predict them.
Goes on from RUN/state.pt where it stopped. With --bfloat16 1
layers multiply in bfloat16, three times as fast on processors that do. Runs on a GPU where there is one.
"""

import argparse, os, random, time
import torch, torch.nn.functional as F
import heads, network, text, matching
from text import data

ap = argparse.ArgumentParser()
ap.add_argument("--init"), ap.add_argument("--out")
ap.add_argument("--sources", default="wild:5,native:4,adcat:1")
for name, value in (("minutes", 60), ("lr", 8e-5), ("tau", 0.05), ("drop", 0.05), ("parallel", 0.3), ("signals", 0)):
    ap.add_argument("--" + name, type=float, default=value)
for name, value in (("contexts", 24), ("wrong", 16), ("pairs", 24), ("heard", 24), ("seed", 0), ("warm", 40), ("bfloat16", 0)):
    ap.add_argument("--" + name, type=int, default=value)
ap.add_argument("--hold", default="", help="of the English writers"), ap.add_argument("--twice", default="", help="languages that are met twice as often")
o = ap.parse_args()
torch.set_num_threads(int(os.environ.get("THREADS", 2)))
torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_float32_matmul_precision("high")
torch.manual_seed(o.seed)
rng = random.Random(o.seed)
M, tokenizer = network.load(o.init).to(torch.get_default_device()), text.TextTokenizer(os.environ.get("TOKENIZER", o.init))
hold, memory = set(o.hold.split(",")), {}

english, items = data.load()
own, native = text.native()
catalogues = {**english, **own}


def by_catalogue(rows):
    out = {}
    for r in rows:
        if r["writer"] not in hold:
            out.setdefault(r["cat"], []).append(r)
    return out


pools = {"wild": by_catalogue([i for i in items if i["kind"] != "distress"]), "native": {}, "requests": {}}
# An English catalogue that people of another language wrote about is a task of its own.
for r in native:
    pool = pools["requests" if r["writer"].endswith("requests") else "native"]
    pool.setdefault(r["cat"] if r["cat"] in own else f"{r['writer']} {r['cat']}", []).append(r)
groups, nothing = data.adcat()
signal_texts = [r for r in heads.texts(2500, rng) if not r[4]] if o.signals else []
# Distress twice as often as it comes, and needs as often as distress: else a need is what distress lacks.
distress_total, need_total = (sum(r[5] for r in signal_texts if r[at]) for at in (1, 2))
sampling_weights = [r[5] * (2 if r[1] else 2 * distress_total / need_total if r[2] else 1) for r in signal_texts]
pairs = text.parallel()
sources = {k: float(w) for k, w in (s.split(":") for s in o.sources.split(","))}
print({k: (len(p), sum(map(len, p.values()))) for k, p in pools.items()}, len(groups), len(pairs), flush=True)


def task():
    """(conversations, ads, name of their catalogue or None)"""
    source = rng.choices(list(sources), sources.values())[0]
    if source == "adcat":
        return *matching.of_categories(groups, nothing, o.contexts, rng), None
    pool = pools[source]
    names = sorted(pool)
    often = lambda n: 2 if source != "wild" and n[:2] in o.twice.split(",") else 1
    name = rng.choices(names, [often(n) * len(pool[n]) ** 0.5 for n in names])[0]
    rows = rng.sample(pool[name], min(o.contexts, len(pool[name])))
    return rows, catalogues[rows[0]["cat"]], rows[0]["cat"]


def read(rows):
    """Their vectors, the states that the signals read, and how these are packed."""
    with torch.autocast(torch.get_default_device().type, torch.bfloat16, enabled=bool(o.bfloat16)):
        x, pack = M.lower(rows, memory)
        vectors, states = M.upper(x, pack, drop=o.drop)
    return vectors.float(), [s.float() for s in states], pack


def encode(rows):
    return read(rows)[0]


bank = matching.Bank(network.D, o.wrong, rng)


def matching_loss():
    rows, ads, name = task()
    said = []
    for r in rows:
        ts = data.disturb(r["turns"], rng)
        if len(ts) > 1 and rng.random() < 0.15 and r.get("kind") in ("switch", "short", "direct", "indirect"):
            ts = [next(t for t in reversed(ts) if t[0] == "user")] if any(s == "user" for s, _ in ts) else ts
        said.append((tokenizer.context(ts), ts == r["turns"]))
    Q = encode([s for s, _ in said])
    for s, kept in said:
        if not kept:
            memory.pop(s, None)
    return matching.loss_of(Q, rows, ads, name, lambda some: encode([tokenizer.ad(a) for a in some]), bank, M.none, o.tau)


def alignment_loss():
    part = rng.sample(pairs, o.pairs)
    v = encode([tokenizer.plain(p[1]) for p in part] + [tokenizer.plain(p[2]) for p in part])
    S = v[: o.pairs] @ v[o.pairs :].T / o.tau
    at = torch.arange(o.pairs)
    return (F.cross_entropy(S, at) + F.cross_entropy(S.T, at)) / 2


def signal_loss():
    part = rng.choices(signal_texts, sampling_weights, k=o.heard)
    _, states, pack = read([tokenizer.context(r[0]) for r in part])
    Z = M.signals(states, pack)
    Y = torch.tensor([[float("nan") if v is None else v for v in r[1:3]] for r in part])
    return F.binary_cross_entropy_with_logits(Z[~Y.isnan()], Y[~Y.isnan()])


not_trained = ("mix", "look", "say") if not o.signals else ()
trained = [p for n, p in M.named_parameters() if p.requires_grad and not n.startswith(not_trained)]
opt = torch.optim.AdamW(trained, lr=o.lr, weight_decay=0.01)
step, spent = 0, 0.0
if os.path.exists(f"{o.out}/state.pt"):
    state = torch.load(f"{o.out}/state.pt", weights_only=False, map_location=torch.get_default_device())
    M.load_state_dict(state["model"]), opt.load_state_dict(state["optimizer"])
    step, spent = state["step"], state["spent"]
    rng.seed(o.seed + step)
os.makedirs(o.out, exist_ok=True)
M.train()
began, sums = time.time() - spent, []
while (spent := time.time() - began) < o.minutes * 60:
    left = 1 - spent / (o.minutes * 60)
    for g in opt.param_groups:
        g["lr"] = o.lr * min(1, (step + 1) / o.warm) * min(1, left / 0.6)
    a = matching_loss()
    b = alignment_loss() if step % 6 == 0 else torch.tensor(0.0)
    c = signal_loss() if signal_texts else torch.tensor(0.0)
    opt.zero_grad()
    (a + o.parallel * b + o.signals * c).backward()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    opt.step()
    sums.append(torch.stack([t.detach() for t in (a, b, c)]))
    step += 1
    if len(memory) > 60000:
        memory.clear()
    if step % 20 == 0:
        m = torch.stack(sums[-40:]).mean(0).tolist()
        print(f"{step} {spent:.0f}s matching {m[0]:.3f} alignment {6 * m[1]:.3f} signals {m[2]:.3f} none {M.none.item():.3f} kept {len(memory)}", flush=True)
    if step % 100 == 0:
        torch.save({"model": M.state_dict(), "optimizer": opt.state_dict(), "step": step, "spent": spent}, f"{o.out}/state.part")
        os.replace(f"{o.out}/state.part", f"{o.out}/state.pt")
        network.save(M, o.out)
network.save(M, o.out)
