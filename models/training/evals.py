import numpy as np, torch


@torch.no_grad()
def vectors(model, rows, batch_tokens=4096):
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    out, part, n = [None] * len(rows), [], 0
    model.eval()

    def flush():
        v = model([rows[i] for i in part])
        for k, i in enumerate(part):
            out[i] = v[k]

    for i in order:
        if part and n + len(rows[i]) > batch_tokens:
            flush()
            part, n = [], 0
        part.append(i)
        n += len(rows[i])
    if part:
        flush()
    return torch.stack(out)


def auroc(pos, neg):
    if not len(pos) or not len(neg):
        return float("nan")
    pos, neg = np.asarray(pos), np.sort(np.asarray(neg))
    return float(
        ((np.searchsorted(neg, pos, "left") + np.searchsorted(neg, pos, "right")) / 2).mean()
        / len(neg)
    )


def ranking(items, scores):
    """scores: contexts × ads. Figures over answerable contexts; AUROC of the top score against those without a right or acceptable-only answer."""
    h1 = a1 = h5 = h10 = n = 0
    pos, neg = [], []
    for it, s in zip(items, scores):
        top = np.argsort(-s)[:20]
        if it["rel"]:
            n += 1
            rel, acc = set(it["rel"]), set(it["acc"])
            h1 += top[0] in rel
            a1 += top[0] in rel or top[0] in acc
            h5 += any(i in rel for i in top[:5])
            h10 += any(i in rel for i in top[:10])
            pos.append(s[top[0]])
        else:
            neg.append(s[top[0]])
    n = max(n, 1)
    return {
        "n": n,
        "hit1": h1 / n,
        "acc1": a1 / n,
        "hit5": h5 / n,
        "hit10": h10 / n,
        "auroc": auroc(pos, neg),
    }


def show(name, r):
    return f"{name:12s} n {r['n']:5d}  hit@1 {r['hit1']:.3f}  +acc {r['acc1']:.3f}  @5 {r['hit5']:.3f}  @10 {r['hit10']:.3f}  auroc {r['auroc']:.3f}"


def evaluate(model, tokenizer, cats, items):
    """Hit rates over all items with a right ad, and AUROC over all, each against its own catalogue."""
    by = {}
    for it in items:
        by.setdefault(it["cat"], []).append(it)
    h = {}
    for c, its in by.items():
        A = vectors(model, [tokenizer.ad(a) for a in cats[c]])
        Q = vectors(model, [tokenizer.context(it["turns"]) for it in its])
        S = (Q @ A.T).numpy()
        h[c] = (its, S)
    tot = max(1, sum(bool(it["rel"]) for it in items))
    r = {k: 0 for k in ("hit1", "acc1", "hit5", "hit10")}
    pos, neg = [], []
    for its, S in h.values():
        q = ranking(its, S)
        for k in r:
            r[k] += q[k] * q["n"] / tot
        for it, s in zip(its, S):
            (pos if it["rel"] else neg).append(s.max())
    r["n"] = tot
    r["auroc"] = auroc(pos, neg)
    return r


@torch.no_grad()
def joint(M, tokenizer, cats, items, gate_items, label="", top=10):
    """Vectors alone, then the judge over the best `top`; what is shown at thresholds; the gate."""
    from model import repack, log_odds

    M.eval()
    by = {}
    for it in items:
        by.setdefault(it["cat"], []).append(it)
    first = {"hit1": 0, "acc1": 0, "hit5": 0, "hit10": 0}
    second = {"hit1": 0, "acc1": 0}
    n = 0
    shown, gate, tops = [], [], []
    for c, its in by.items():
        order = sorted(
            range(len(cats[c])), key=lambda a: len(cats[c][a]["name"]) + len(cats[c][a]["text"])
        )
        mids, V = [None] * len(order), [None] * len(order)
        for b in range(0, len(order), 64):
            part = order[b : b + 64]
            x, pack = M.lower([tokenizer.ad(cats[c][a]) for a in part])
            m = M.middle(x, pack)
            v = M.ad_vectors(m, pack)
            for a, h, y in zip(part, m.split(pack.lengths.tolist()), v):
                mids[a], V[a] = h, y
        V = torch.stack(V)
        for b in range(0, len(its), 16):
            part = its[b : b + 16]
            Q, sig, memory = M.contexts([tokenizer.context(i["turns"]) for i in part])
            S = Q @ V.T
            best = S.topk(min(top, V.shape[0])).indices
            x, pack = repack([mids[a] for row in best.tolist() for a in row])
            Z = M.judged(
                x,
                pack,
                torch.arange(len(part)).repeat_interleave(best.shape[1]),
                memory,
                Q,
                S.gather(1, best).flatten(),
            )
            r = log_odds(Z).view(len(part), -1)
            for k, it in enumerate(part):
                rel, acc = set(it["rel"]), set(it["acc"])
                t1 = best[k, 0].item()
                j = r[k].argmax().item()
                t2 = best[k, j].item()
                if rel:
                    n += 1
                    first["hit1"] += t1 in rel
                    first["acc1"] += t1 in rel or t1 in acc
                    first["hit5"] += any(a in rel for a in best[k, :5].tolist())
                    first["hit10"] += any(a in rel for a in best[k].tolist())
                    second["hit1"] += t2 in rel
                    second["acc1"] += t2 in rel or t2 in acc
                tops.append((bool(rel), S[k].max().item()))
                shown.append(
                    (
                        torch.sigmoid(r[k, j]).item(),
                        t2 in rel,
                        t2 in acc,
                        bool(rel),
                        it["kind"],
                        torch.sigmoid(sig[k, 0]).item(),
                    )
                )
                gate.append((torch.sigmoid(sig[k, 0]).item(), it["kind"], bool(it["sensitive"])))
    for b in range(0, len(gate_items), 32):
        part = gate_items[b : b + 32]
        _, sig, _ = M.contexts([tokenizer.context(i["turns"]) for i in part])
        gate += [
            (torch.sigmoid(s[0]).item(), "d." + i["kind"], bool(i["sensitive"]))
            for s, i in zip(sig, part)
        ]
    f = lambda d: " ".join(f"{k} {v / max(1, n):.3f}" for k, v in d.items())
    lines = [
        f"== {label}: n {n} vectors {f(first)} auroc {auroc([s for a, s in tops if a], [s for a, s in tops if not a]):.3f} | judge {f(second)} auroc {auroc([s[0] for s in shown if s[3]], [s[0] for s in shown if not s[3]]):.3f}"
    ]
    for t in (0.3, 0.4, 0.5, 0.6, 0.7):
        on = [s for s in shown if s[0] >= t and s[5] < 0.5]
        ans = sum(s[3] for s in shown)
        kinds = {
            k: (
                sum(1 for s in on if s[4] == k and not s[3]),
                sum(1 for s in shown if s[4] == k and not s[3]),
            )
            for k in ("oov", "trap", "none", "switch", "distress")
        }
        lines.append(
            f"   at {t}: fill {sum(s[3] for s in on) / max(1, ans):.2f} right {sum(s[1] for s in on) / max(1, len(on)):.3f} +acc {sum(s[1] or s[2] for s in on) / max(1, len(on)):.3f}  no-ad shown "
            + " ".join(f"{k} {a}/{b}" for k, (a, b) in kinds.items() if b)
        )
    conf = sorted(shown)
    bins = [conf[i * len(conf) // 10 : (i + 1) * len(conf) // 10] for i in range(10)]
    lines.append(
        f"   ece {sum(abs(sum(s[0] for s in b) - sum(s[1] for s in b)) for b in bins if b) / len(conf):.3f}"
    )
    g = lambda k, t=0.5: "%d/%d" % (
        sum(1 for s in gate if s[1] == k and s[0] >= t),
        sum(1 for s in gate if s[1] == k),
    )
    lines.append(
        "   gate fires: "
        + " ".join(f"{k} {g(k)}" for k in sorted({s[1] for s in gate}))
        + f" auroc {auroc([s[0] for s in gate if s[2]], [s[0] for s in gate if not s[2]]):.3f}"
    )
    return "\n".join(lines)
