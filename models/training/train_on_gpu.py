"""Trains vectors, signals and (with --judge) the judge on a GPU, much as train.py does.

    python train_on_gpu.py --init RUN --out RUN2 --seconds 400 --hold w05,w15 …

A step takes several tasks: a catalogue (of a writer, of star or clinc) or the categories of adcat, and some of its conversations. Of its ads two right
ones and the hardest wrong ones of each conversation and some others are encoded now; the rest are as they were when last encoded, and right ones among those do not count. Texts are augmented and tokenised by
other processes. What is saved is a running mean of the steps; the rate falls linearly to nothing. Halfway and at the end it prints what evals.py says of the held-out
writers and of the dev splits. Works on a processor too, slowly.
"""

import argparse, multiprocessing, os, random, time
import numpy as np, torch, torch.nn.functional as F
import data, evals, mpnet
from model import D, Model, freeze, log_odds, repack, store
from safetensors.torch import load_file

ap = argparse.ArgumentParser()
for n, d in (("init", None), ("out", None), ("hold", ""), ("sources", "wild:9,adcat:1.2,star:.8,clinc:.6"), ("often", "")):
    ap.add_argument("--" + n, default=d)
for n, d in (("lr", 4e-5), ("headlr", 3e-4), ("tau", 0.05), ("drop", 0.1), ("near", 0.62), ("seconds", 400), ("judge", 0.0), ("signals", 0.5)):
    ap.add_argument("--" + n, type=float, default=d)
for n, d in (("tasks", 3), ("contexts", 24), ("ads", 120), ("heard", 24), ("steps", 10**6), ("warm", 100), ("mean", 300), ("seed", 0), ("workers", 5)):
    ap.add_argument("--" + n, type=int, default=d)


def known(value):
    return float("nan") if value is None else float(value)


def drawing(queue, seed, o, pools, owner, said, none, near, grave):
    """Puts one step's texts after another: [(catalogue, conversations without their text)], token rows, and labels of the signals."""
    rng, tokenizer = random.Random(seed), data.text_tokenizer()
    sources, often = data.shares(o.sources), data.shares(o.often)
    ads_of = [np.flatnonzero(owner == g).tolist() for g in range(len(said))]
    close = [np.flatnonzero((near[g] > o.near)[owner] & (owner != g)).tolist() for g in range(len(said))]
    order = np.argsort(-near, axis=1)

    def adcat():
        a = rng.randrange(len(said))
        some = list(dict.fromkeys([a, *order[a][:8].tolist(), *rng.sample(range(len(said)), o.contexts)]))[: o.contexts - 4]
        out = []
        for g in some:
            x = rng.choice(said[g])
            out.append({"turns": x["turns"], "kind": x["kind"], "rel": ads_of[g], "acc": close[g], "sensitive": False})
        return out + [{**x, "rel": [], "acc": []} for x in rng.sample(none, 4)]

    while True:
        tasks, rows, labels = [], [], []
        for _ in range(o.tasks):
            source = rng.choices(list(sources), list(sources.values()))[0]
            if source == "adcat":
                c, its = "adcat", adcat()
            else:
                c, its = data.draw(rng, pools[source], often)
                its = rng.sample(its, min(o.contexts, len(its)))
            tasks.append((c, [(i["rel"], i["acc"]) for i in its]))
            rows += [tokenizer.context(data.disturb(i["turns"], rng)) for i in its]
            labels += [(known(i["sensitive"]), known(data.need_of(i))) for i in its]
        for i in rng.sample(grave, o.heard):
            rows.append(tokenizer.context(data.for_gate(data.disturb(i["turns"], rng), rng)))
            labels.append((float(i["sensitive"]), {"distress": 0.0, "ordinary": 1.0}.get(i["kind"], float("nan"))))
        queue.put((tasks, rows, labels))


def main():
    o = ap.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_default_device(device)
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(o.seed)
    rng, hold = random.Random(o.seed), set(o.hold.split(","))
    M = Model(mpnet.load(o.init))
    if os.path.exists(o.init + "/heads.safetensors"):
        have = {k: v for k, v in load_file(o.init + "/heads.safetensors").items() if k in M.state_dict() and v.shape == M.state_dict()[k].shape}
        M.load_state_dict(have, strict=False)
    M = M.to(device)
    freeze(M)
    tokenizer = data.text_tokenizer()
    cats, items = data.load()
    sources = {s.split(":")[0] for s in o.sources.split(",")}
    pools = data.pools(cats, items, hold, sources)
    groups, none = data.adcat()
    cats["adcat"] = [a for g in sorted(groups) for a in groups[g]["ads"]]
    owner = np.array([k for k, g in enumerate(sorted(groups)) for _ in groups[g]["ads"]])
    said = [groups[g]["contexts"] for g in sorted(groups)]
    dev = {"held-out writers": (cats, [i for i in items if i["writer"] in hold])}
    for name in ("unseen", "wild", "everyday"):
        ads, rows = data.load_set(f"{data.EVAL}/{name}", name, "contexts.dev.jsonl")
        dev[name] = ({name: ads}, rows)
    gate_dev, gate = data.distress(hold)
    used = {c for p in pools.values() for c, _ in p} | {"adcat"}
    tokens = {c: ([tokenizer.ad(a) for a in cats[c]], [tokenizer.ad(a, False) for a in cats[c]]) for c in used}
    half = lambda: torch.autocast(device, torch.bfloat16)

    def vectors(rows):
        x, pack = M.lower(rows)
        return M.ad_vectors(M.middle(x, pack, o.drop), pack, o.drop).float()

    @torch.no_grad()
    def catalogue(c):
        M.eval()
        with half():
            out = torch.cat([vectors(tokens[c][0][b : b + 256]) for b in range(0, len(tokens[c][0]), 256)])
        M.train()
        return out

    bank = {c: catalogue(c) for c in used}
    C = F.normalize(torch.zeros(len(said), D).index_add(0, torch.tensor(owner), bank["adcat"]), dim=-1)
    near = (C @ C.T).cpu().numpy()
    unknown = sources - {*pools, "adcat"}
    assert not unknown, f"no such source: {unknown}"
    queue = multiprocessing.get_context("fork").Queue(24)
    workers = [
        multiprocessing.get_context("fork").Process(target=drawing, args=(queue, 1000 * o.seed + w, o, pools, owner, said, none, near, gate), daemon=True)
        for w in range(o.workers)
    ]
    for w in workers:
        w.start()
    heads = [p for n, p in M.named_parameters() if p.requires_grad and not n.startswith("net.")]
    body = [p for n, p in M.named_parameters() if p.requires_grad and n.startswith("net.")]
    opt = torch.optim.AdamW([{"params": body, "weight_decay": 0.01}, {"params": heads, "weight_decay": 0.0}], lr=o.lr, betas=(0.9, 0.98), fused=device == "cuda")
    mean = [p.detach().clone() for p in body + heads]
    print({k: (len(p), sum(len(x) for _, x in p)) for k, p in pools.items()}, len(said), "categories", len(gate), "texts of distress", flush=True)

    def chosen(c, its, Q):
        """Ads of catalogue c that are encoded now, and pairs (conversation, ad, label) for the judge."""
        S = Q @ bank[c].T
        for k, (rel, acc) in enumerate(its):
            S[k, rel + acc] = -2
        hard = S.topk(min(12, S.shape[1])).indices.cpu().tolist()
        now, pairs = [], []
        for (rel, acc), wrong, k in zip(its, hard, range(len(its))):
            right = rng.sample(rel, min(2, len(rel)))
            wrong = wrong[:1] + rng.sample(wrong[1:], min(len(wrong) - 1, 3))
            shrug = [] if c == "adcat" else rng.sample(acc, min(1, len(acc)))
            now.append(right + (shrug + wrong if o.judge else wrong[:2]))
            pairs += [(k, a, 2) for a in right] + [(k, a, 1) for a in shrug] + [(k, a, 0) for a in wrong]
        must = dict.fromkeys(a for part in now for a in part)
        for a in rng.sample(range(len(bank[c])), len(bank[c])):
            if len(must) >= o.ads:
                break
            must[a] = None
        return sorted(must), pairs

    def judged(pairs, mids, memory, Q, S):
        """Loss of pairs (conversation of the batch, place in mids, label, similarity)."""
        of, at, y = (torch.tensor([p[i] for p in pairs]) for i in range(3))
        x, pack = repack([mids[p[1]] for p in pairs])
        Z = M.judged(x, pack, of, memory, Q, S, o.drop).float()
        weight = torch.tensor([1.0, 0.5, 1.5])[y]
        each = (F.cross_entropy(Z, y, reduction="none", label_smoothing=0.02) * weight).mean()
        table = torch.full((len(Q), 8), -1e4)
        right = torch.zeros(len(Q), 8, dtype=torch.bool)
        place = {}
        spots = torch.tensor([place.update({k: place.get(k, -1) + 1}) or place[k] for k, *_ in pairs])
        table = table.index_put((of, spots), log_odds(Z) + (y == 1) * -1e4)
        right[of, spots] = y == 2
        table[:, 7] = 0.0
        right[:, 7] = ~right.any(1)
        asked = torch.zeros(len(Q), dtype=torch.bool)
        asked[of] = True
        listed = torch.logsumexp(table, 1) - torch.logsumexp(table.masked_fill(~right, -1e4), 1)
        return each + listed[asked].mean()

    def loss_of(tasks, rows, labels):
        with half():
            Q, sig, memory = M.contexts(rows, o.drop)
        Q, sig = Q.float(), sig.float()
        fresh, at, parts = [], 0, []
        for c, its in tasks:
            mine = slice(at, at + len(its))
            ids, pairs = chosen(c, its, Q[mine].detach())
            parts.append((c, its, mine, ids, pairs, len(fresh)))
            fresh += [tokens[c][int(rng.random() > 0.7)][a] for a in ids]
            at += len(its)
        with half():
            x, pack = M.lower(fresh)
            x = M.middle(x, pack, o.drop)
            A = M.ad_vectors(x, pack, o.drop).float()
        match, every = [], []
        for c, its, mine, ids, pairs, first in parts:
            new = A[first : first + len(ids)]
            V = bank[c].index_copy(0, torch.tensor(ids), new)
            bank[c] = V.detach()
            n, size = len(its), len(V)
            right, skip = np.zeros((n, size + 1), bool), np.zeros((n, size + 1), bool)
            now = np.zeros(size + 1, bool)
            now[ids] = True
            for k, (rel, acc) in enumerate(its):
                right[k, rel or [size]] = True
                skip[k, acc] = True
            stale = right & ~now
            stale[:, size] = False
            right &= ~stale
            z = torch.cat([Q[mine] @ V.T, M.floor.expand(n, 1)], 1) / o.tau
            z = z.masked_fill(torch.tensor(skip | stale), -1e4)
            each = torch.logsumexp(z, 1) - torch.logsumexp(z.masked_fill(~torch.tensor(right), -1e4), 1)
            match.append(each)
            place = {a: first + j for j, a in enumerate(ids)}
            every += [(mine.start + k, place[a], label) for k, a, label in pairs]
        l_match = torch.cat(match).mean()
        Y = torch.tensor(labels)
        ok = ~Y.isnan()
        weight = torch.tensor([1.0, 0.5]).expand_as(Y)[ok]
        l_sig = F.binary_cross_entropy_with_logits(sig[ok], Y[ok], weight=weight)
        l_judge = torch.zeros(())
        if o.judge:
            S = (Q.detach()[[p[0] for p in every]] * A.detach()[[p[1] for p in every]]).sum(1)
            with half():
                l_judge = judged(every, x.split(pack.sizes), memory, Q.detach(), S)
        return l_match + o.signals * l_sig + o.judge * l_judge, torch.stack([l_match.detach(), l_sig.detach(), l_judge.detach()])

    def save(folder):
        own = [p.detach().clone() for p in body + heads]
        put = lambda values: [p.data.copy_(v) for p, v in zip(body + heads, values)]
        put(mean)
        store(M, folder)
        for name, (ads, its) in dev.items():
            if not its:
                continue
            print(evals.joint(M, tokenizer, ads, its, gate_dev if name == "held-out writers" else [], label=f"{step} {name}"), flush=True)
        M.train()
        put(own)

    M.train()
    step, begin, sums, marks, paused = 0, time.time(), [], [1 / 2], 0.0
    while True:
        done = max((time.time() - begin - paused) / o.seconds, step / o.steps)
        if done >= 1:
            break
        f = min(1, (step + 1) / o.warm) * max(0.0, 1 - done)
        for g, lr in zip(opt.param_groups, (o.lr, o.headlr)):
            g["lr"] = lr * f
        loss, parts = loss_of(*queue.get(timeout=120))
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(body + heads, 1.0)
        opt.step()
        step += 1
        torch._foreach_lerp_(mean, [p.detach() for p in body + heads], max(1 / step, 1 / o.mean))
        sums.append(parts)
        if step % 50 == 0 or step == 5:
            m = torch.stack(sums[-100:]).mean(0).tolist()
            print(step, f"{time.time() - begin:.0f} s match %.3f signals %.3f judge %.3f floor {M.floor.item():.3f}" % tuple(m), flush=True)
        if marks and done >= marks[0]:
            marks.pop(0)
            since = time.time()
            save(o.out)
            paused += time.time() - since
    print("done at step", step, f"{time.time() - begin:.0f} s", flush=True)
    save(o.out)
    for w in workers:
        w.terminate()


if __name__ == "__main__":
    main()
