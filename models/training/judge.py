"""Trains the judge (adapters.py) on a trunk that stays as it is.

    python judge.py --run RUN --out OUT --minutes N [--hold w05,w15] …

RUN is a trained run, or the released one (restore.py). What the frozen layers say of each text is kept in OUT/states and made once. A step takes some
conversations, each with its right ads, some acceptable ones and wrong ones among those that the vectors find nearest: cross entropy over wrong, acceptable,
right, and a softmax over a conversation's ads and "none". Goes on from OUT/judge.pt where it stopped; texts that came since are read then.
"""

import argparse, hashlib, json, os, random, time
import numpy as np, torch, torch.nn.functional as F
import data, evals, export
from adapters import JOIN, Judge, log_odds, memory_of
from mpnet import Pack, batches

DEPTH = 40  # of the nearest ads, how far down wrong ones are drawn from


class Texts:
    """Catalogues and conversations with what the frozen trunk says of them."""

    def __init__(self, M, folder):
        self.M, self.tokenizer, self.folder = M, data.text_tokenizer(), folder
        os.makedirs(folder, exist_ok=True)

    @torch.no_grad()
    def states(self, name, rows):
        """(states at JOIN, unit vectors) of token rows; kept under name."""
        digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:12]
        path = f"{self.folder}/{name}-{digest}.pt"
        if os.path.exists(path):
            return torch.load(path)
        M, order = self.M, sorted(range(len(rows)), key=lambda i: len(rows[i]))
        kept, vectors = [None] * len(rows), torch.zeros(len(rows), 768)
        for part in batches(order, rows):
            pack = Pack([len(rows[i]) for i in part])
            x = M.net.embed(torch.tensor([t for i in part for t in rows[i]]), pack)
            x, _ = M.net.run(x, pack, 0, JOIN)
            for i, s in zip(part, x.split(pack.lengths.tolist())):
                kept[i] = s.clone()
            x, _ = M.net.run(x, pack, JOIN)
            vectors[part] = F.normalize(pack.mean(x.float()), dim=-1)
        torch.save((kept, vectors), path)
        return kept, vectors

    def catalogue(self, name, ads):
        with_cats = self.states(f"ads-{name}", [self.tokenizer.ad(a) for a in ads])
        without, _ = self.states(f"bare-{name}", [self.tokenizer.ad(a, False) for a in ads])
        return [with_cats[0], without], with_cats[1]

    def conversations(self, name, items, disturbed):
        """Items with `x` (states, of one or two ways to type it) and `q` (vectors)."""
        rows = [self.tokenizer.context(i["turns"]) for i in items]
        both = [self.states(f"said-{name}", rows)]
        if disturbed:
            rng = random.Random(name)
            rows = [self.tokenizer.context(data.disturb(i["turns"], rng)) for i in items]
            both.append(self.states(f"mistyped-{name}", rows))
        for n, item in enumerate(items):
            item["x"], item["q"] = [b[0][n] for b in both], [b[1][n] for b in both]
        return items


def by(items, key):
    out = {}
    for i in items:
        out.setdefault(i[key], []).append(i)
    return out


def adcat_items():
    """Conversations of categories; all their ads are one catalogue, in which those of near categories count neither as right nor as wrong (`skip`, set by load)."""
    groups, none = data.adcat()
    ads, owner, items = [], [], []
    for g in sorted(groups):
        mine = list(range(len(ads), len(ads) + len(groups[g]["ads"])))
        ads += groups[g]["ads"]
        owner += [g] * len(mine)
        for x in groups[g]["contexts"]:
            items.append({**x, "writer": "adcat", "cat": "adcat", "rel": mine, "acc": [], "owner": g})
    for x in none:
        if x["kind"] == "none":
            items.append({**x, "writer": "adcat", "cat": "adcat", "rel": [], "acc": [], "owner": None})
    return ads, owner, items


def load(texts, hold, sources, fresh=1):
    """(catalogues {name: (states with and without categories, vectors)}, training pools {source: items}, held-out sets {name: items})."""
    rng = random.Random(5)
    ads, items = data.load()
    cats, pools, dev = {}, {"wild": []}, {"writers": []}
    for writer, mine in sorted(by(items, "writer").items()):
        held = writer in hold
        mine = texts.conversations(writer, mine, not held)
        # What the trunk was not trained on tells more truly how far its vectors can be trusted.
        (dev["writers"] if held else pools["wild"]).extend(mine * (fresh if writer.endswith("n") else 1))
    for name in {i["cat"] for i in items}:
        cats[name] = texts.catalogue(name, ads[name])
    if "adcat" in sources:
        ads_, owner, mine = adcat_items()
        cats["adcat"] = texts.catalogue("adcat", ads_)
        pools["adcat"] = texts.conversations("adcat", mine, False)
        V, names = cats["adcat"][1], sorted(set(owner))
        at = torch.tensor([names.index(o) for o in owner])
        C = F.normalize(torch.zeros(len(names), V.shape[1]).index_add(0, at, V), dim=-1)
        near = (C @ C.T) > 0.62
        for i in mine:
            if i["owner"] is not None:
                close = near[names.index(i["owner"])][at]
                i["skip"] = set(close.nonzero()[:, 0].tolist()) - set(i["rel"])
    for name, stems, most in (("star", ("contexts.train.jsonl", "contexts.mixed.train.jsonl"), 900), ("clinc", ("contexts.train.jsonl",), 1500)):
        if name in sources:
            mine = []
            for stem in stems:
                a, rows = data.load_set(f"{data.EVAL}/{name}", name, stem)
                rows = [r for r in rows if not r.get("borderline")]
                mine += rng.sample(rows, min(most, len(rows)))
            cats[name] = texts.catalogue(name, a)
            pools[name] = texts.conversations(name, mine, False)
    for name in ("wild", "unseen", "everyday"):
        a, rows = data.load_set(f"{data.EVAL}/{name}", "dev-" + name, "contexts.dev.jsonl")
        cats["dev-" + name] = texts.catalogue("dev-" + name, a)
        dev[name] = texts.conversations("dev-" + name, rows, False)
    for pool in (*pools.values(), *dev.values()):
        for i in pool:
            V = cats[i["cat"]][1]
            s = V @ i["q"][0]
            i["near"] = s.topk(min(DEPTH, len(s))).indices.tolist()
    return cats, pools, dev


def candidates(item, rng, o):
    """[(ad, label)]: right, acceptable and wrong ones."""
    rel, acc = item["rel"], set(item["acc"])
    out = [(a, 2) for a in rng.sample(rel, min(3, len(rel)))]
    near = [a for a in item["near"] if a not in rel and a not in item.get("skip", ())]
    out += [(a, 1) for a in rng.sample(sorted(acc), min(2, len(acc)))]
    wrong = [a for a in near if a not in acc]
    head, tail = wrong[:10], wrong[10:]
    out += [(a, 0) for a in rng.sample(head, min(o.wrong, len(head))) + rng.sample(tail, min(1, len(tail)))]
    return out


def judged(J, net, cats, part, pairs, drop=0.0, variants=None):
    """Logits of pairs [(number in part, ad, with categories)]."""
    at = variants or [0] * len(part)
    memory = memory_of(net, [i["x"][v] for i, v in zip(part, at)])
    Q = torch.stack([i["q"][v] for i, v in zip(part, at)])
    states = [cats[part[k]["cat"]][0][w][a] for k, a, w in pairs]
    V = torch.stack([cats[part[k]["cat"]][1][a] for k, a, _ in pairs])
    of = torch.tensor([k for k, _, _ in pairs])
    return J(net, torch.cat(states), Pack([len(s) for s in states]), of, memory, Q, (Q[of] * V).sum(-1), drop)


@torch.no_grad()
def figures(J, net, cats, items, top=10):
    """Right ad first by vectors and by judge over the nearest `top`; how well the best judgement tells answerable ones; right of the surest 60 %."""
    J.eval()
    rows = []
    items = sorted((i for i in items if not i["sensitive"]), key=lambda i: len(i["x"][0]))
    for b in range(0, len(items), 16):
        part = items[b : b + 16]
        pairs = [(k, a, 0) for k, i in enumerate(part) for a in i["near"][:top]]
        r = log_odds(judged(J, net, cats, part, pairs))
        for k, i in enumerate(part):
            mine = [j for j, p in enumerate(pairs) if p[0] == k]
            best = max(mine, key=lambda j: r[j].item())
            rows.append((i, pairs[mine[0]][1], pairs[best][1], r[best].item()))
    J.train()
    can = [x for x in rows if x[0]["rel"]]
    share = lambda f: sum(map(f, can)) / max(1, len(can))
    order = sorted(rows, key=lambda x: -x[3])
    filled, shown = 0, []
    for x in order:
        if filled >= 0.6 * len(can):
            break
        shown.append(x)
        filled += bool(x[0]["rel"])
    good = lambda x, also: x[2] in x[0]["rel"] or (also and x[2] in x[0]["acc"])
    p = 1 / (1 + np.exp(-np.array([x[3] for x in rows])))
    y = np.array([good(x, False) for x in rows], float)
    return {
        "n": len(can),
        "vectors": round(share(lambda x: x[1] in x[0]["rel"]), 3),
        "judge": round(share(lambda x: x[2] in x[0]["rel"]), 3),
        "in top": round(share(lambda x: any(a in x[0]["rel"] for a in x[0]["near"][:top])), 3),
        "auroc": round(evals.auroc([x[3] for x in rows if x[0]["rel"]], [x[3] for x in rows if not x[0]["rel"]]), 3),
        "right at .6": round(sum(good(x, False) for x in shown) / max(1, len(shown)), 3),
        "+acc": round(sum(good(x, True) for x in shown) / max(1, len(shown)), 3),
        "loss": round(float(-(y * np.log(p + 1e-6) + (1 - y) * np.log(1 - p + 1e-6)).mean()), 3),
    }


def loss_of(J, net, cats, part, rng, o):
    pairs, labels = [], []
    for k, i in enumerate(part):
        bare = int(rng.random() < 0.25)
        for a, label in candidates(i, rng, o):
            pairs.append((k, a, bare))
            labels.append(label)
    variants = [int(len(i["x"]) > 1 and rng.random() < 0.35) for i in part]
    Z = judged(J, net, cats, part, pairs, o.drop, variants)
    y, who = torch.tensor(labels), torch.tensor([k for k, _, _ in pairs])
    weight = torch.tensor([1.0, 0.5, 1.5])[y]
    pair = (F.cross_entropy(Z, y, reduction="none", label_smoothing=0.02) * weight).mean()
    r, each = log_odds(Z), []
    for k in range(len(part)):
        mine = (who == k).nonzero()[:, 0]
        z = torch.cat([r[mine] + (y[mine] == 1) * -1e4, torch.zeros(1)])
        good = (y[mine] == 2).nonzero()[:, 0].tolist() or [len(mine)]
        each.append(torch.logsumexp(z, 0) - torch.logsumexp(z[good], 0))
    listed = torch.stack(each).mean()
    return pair, listed


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    for n, d in (("run", None), ("out", None), ("hold", ""), ("sources", "wild:8,adcat:1.2,star:.5,clinc:.5")):
        ap.add_argument("--" + n, default=d)
    for n, d in (("lr", 4e-4), ("headlr", 6e-4), ("drop", 0.05), ("minutes", 60), ("cool", 0.5)):
        ap.add_argument("--" + n, type=float, default=d)
    for n, d in (("contexts", 24), ("wrong", 5), ("warm", 40), ("seed", 0), ("every", 200), ("rank", 32), ("fresh", 1)):
        ap.add_argument("--" + n, type=int, default=d)
    o = ap.parse_args()
    torch.set_num_threads(int(os.environ.get("THREADS", 2)))
    torch.manual_seed(o.seed)
    rng = random.Random(o.seed)
    M = export.load(o.run)
    net = M.net.bfloat16().requires_grad_(False)
    sources = {k: float(w) for k, w in (s.split(":") for s in o.sources.split(","))}
    begin = time.time()
    cats, pools, dev = load(Texts(M, o.out + "/states"), set(o.hold.split(",")), sources, o.fresh)
    print({k: len(v) for k, v in pools.items()}, {k: len(v) for k, v in dev.items()}, f"{time.time() - begin:.0f} s to read", flush=True)
    J = Judge(o.rank)
    small = [p for n, p in J.named_parameters() if n.startswith(("down", "up", "mode"))]
    heads = [p for n, p in J.named_parameters() if not n.startswith(("down", "up", "mode"))]
    opt = torch.optim.AdamW([{"params": small}, {"params": heads}], lr=o.lr, betas=(0.9, 0.98), weight_decay=0.01)
    step, spent, path, run = 0, 0.0, o.out + "/judge.pt", []
    if os.path.exists(path):
        s = torch.load(path, weights_only=False)
        J.load_state_dict(s["judge"]), opt.load_state_dict(s["opt"])
        step, spent = s["step"], s["spent"]
        rng.seed(o.seed + step)
        print("goes on from step", step, flush=True)

    def save():
        s = {"judge": J.state_dict(), "opt": opt.state_dict(), "step": step, "spent": spent + time.time() - begin}
        torch.save(s, path + ".new")
        os.replace(path + ".new", path)

    def show_figures():
        for name, its in dev.items():
            print("  ", name, figures(J, net, cats, its[:: max(1, len(its) // 400)]), flush=True)

    begin, first = time.time(), step
    J.train()
    while True:
        done = (spent + time.time() - begin) / 60 / o.minutes
        if done >= 1:
            break
        f = min(1, (step + 1) / o.warm) * min(1, (1 - done) / o.cool)
        for g, lr in zip(opt.param_groups, (o.lr, o.headlr)):
            g["lr"] = lr * f
        (name,) = rng.choices(list(sources), list(sources.values()))
        pool = pools[name]
        # conversations of about one length together, for less padding
        anchor = rng.sample(pool, min(len(pool), 4 * o.contexts))
        anchor.sort(key=lambda i: len(i["x"][0]))
        at = rng.randrange(max(1, len(anchor) - o.contexts))
        part = anchor[at : at + o.contexts]
        pair, listed = loss_of(J, net, cats, part, rng, o)
        loss = pair + listed
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(small + heads, 1.0)
        opt.step()
        step += 1
        run.append((name, pair.item(), listed.item()))
        if step % 20 == 0:
            last = run[-60:]
            show = {n: (round(float(np.mean([p for m, p, _ in last if m == n])), 3), round(float(np.mean([l for m, _, l in last if m == n])), 3)) for n in sources if any(m == n for m, *_ in last)}
            print(step, show, f"{(time.time() - begin) / (step - first):.2f} s/step", f"{100 * done:.0f} %", flush=True)
        if step % o.every == 0:
            save()
            show_figures()
    save()
    show_figures()
    print("done at step", step, flush=True)
