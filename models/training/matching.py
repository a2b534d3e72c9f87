"""Conversations matched with ads, as adjacent-small and adjacent-multilingual are trained: softmax over the whole catalogue and a learnt
similarity of "no ad"; acceptable ads are left out."""

import torch


def of_categories(groups, nothing, count, rng):
    """(conversations, ads) of so many categories of adcat, and four conversations for which none is right."""
    ads, rows = [], []
    for name in rng.sample(sorted(groups), count):
        g, first = groups[name], len(ads)
        ads += rng.sample(g["ads"], min(2, len(g["ads"])))
        if g["contexts"]:
            rows.append({**rng.choice(g["contexts"]), "rel": list(range(first, len(ads))), "acc": []})
    rows += [{**r, "rel": [], "acc": []} for r in rng.sample([n for n in nothing if n["kind"] == "none"], 4)]
    return rows, ads


class Bank:
    """Vectors of all ads of each catalogue, as they were when last encoded."""

    def __init__(self, dims, wrong, rng, hardest=1):
        self.dims, self.wrong, self.rng, self.hardest, self.kept = dims, wrong, rng, hardest, {}

    def choose(self, name, ads, Q, rows):
        """Which ads of a catalogue are encoded now: a right one of each conversation, the hardest wrong ones of those that were
        encoded before, and some others. Gives them with all vectors, as they last were, and which of these there are."""
        blank = lambda: (torch.zeros(len(ads), self.dims), torch.zeros(len(ads), dtype=torch.bool, device="cpu"))
        vectors, seen = self.kept.get(name) or self.kept.setdefault(name, blank())
        S = (Q.detach() @ vectors.T).cpu().masked_fill(~seen, -9)
        for i, r in enumerate(rows):
            S[i, list({*r["rel"], *r["acc"]})] = -9
        hardest = [i for i in set(S.topk(min(self.hardest, len(ads)), 1).indices.flatten().tolist()) if seen[i]]
        self.rng.shuffle(hardest)
        others = self.rng.sample(range(len(ads)), min(self.wrong, len(ads)))
        now = {self.rng.choice(r["rel"]) for r in rows if r["rel"]}
        return sorted({*now, *(hardest + others)[: self.wrong]}), vectors, seen


def loss_of(Q, rows, ads, name, encode, bank, none, tau):
    """encode: ads → vectors. name: of the catalogue, whose other ads are as they last were; None: every ad is encoded now."""
    now = seen = None
    if name is None:
        A = encode(ads)
    else:
        now, vectors, seen = bank.choose(name, ads, Q, rows)
        fresh = encode([ads[i] for i in now])
        A = vectors.index_copy(0, torch.tensor(now), fresh)
        vectors[now] = fresh.detach()
        seen[now] = True
    logits = torch.cat([Q @ A.T, none.expand(len(rows), 1)], 1) / tau
    right = torch.zeros(logits.shape, dtype=torch.bool, device="cpu")
    skip = torch.zeros_like(right)
    for i, r in enumerate(rows):
        right[i, r["rel"] or [len(ads)]] = True
        skip[i, r["acc"]] = True
    if name is not None:  # right ads that were not encoded now give no gradient, but must not count as wrong either
        stale = torch.ones(logits.shape[1], dtype=torch.bool, device="cpu")
        stale[[*now, len(ads)]] = False
        skip |= right & stale
        right &= ~stale
        skip[:, : len(ads)] |= ~seen
    kept = right.any(1).to(logits.device)
    right, skip = right.to(logits.device), skip.to(logits.device)
    logits = logits.masked_fill(skip & ~right, -1e4)
    each = torch.logsumexp(logits, 1) - torch.logsumexp(logits.masked_fill(~right, -1e4), 1)
    return each[kept].mean()
