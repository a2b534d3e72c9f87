"""Trains the signals of adjacent-small: the copies of its upper layers, and their heads.

    python train_signals.py --out RUN --minutes 20 --hold d5,d10,w05 …

Texts of distress, their harmless counterparts, and the conversations of catalogues, pooled as the gate pools them (server/decide/gate.ts): the
whole and its newest user turns for distress, the whole and the newest turn for a need. Topics keep what they were. Prints AUROC over held-out writers
and dev splits at the end. Goes on from RUN/state.pt where it stopped.
"""

import argparse, json, os, random, time
import torch, torch.nn.functional as F
import network
import evals
from network import MODEL, data

ap = argparse.ArgumentParser()
ap.add_argument("--model", default=MODEL + "/onnx/model_quantized.onnx")
ap.add_argument("--out"), ap.add_argument("--hold", default="")
for name, value in (("minutes", 20), ("lr", 8e-5), ("drop", 0.1)):
    ap.add_argument("--" + name, type=float, default=value)
for name, value in (("texts", 24), ("turns", 3), ("seed", 0), ("warm", 40)):
    ap.add_argument("--" + name, type=int, default=value)


def training(hold, rng):
    """[(turns, distress or None, need or None, how often)]"""
    out = []
    for r in data.distress(hold)[1]:
        need = {"distress": 0.0, "ordinary": 1.0}.get(r["kind"])
        out.append((r["turns"], float(r["sensitive"]), need, 2.0))
    for i in data.load()[1]:
        if i["writer"] not in hold and i["sensitive"] is not None:
            out.append((i["turns"], float(i["sensitive"]), 0.0 if i["sensitive"] else data.need_of(i), 4.0 if i["sensitive"] else 0.35))
    for r in data.adcat()[1]:
        out.append((r["turns"], None if r["sensitive"] is None else 0.0, 0.0 if r["kind"] == "none" else None, 1.0))
    for g in data.adcat()[0].values():
        out += [(c["turns"], None, 1.0, 0.3) for c in g["contexts"]]
    for stem, name, most in (("contexts.mixed.train.jsonl", "star", 1500), ("contexts.train.jsonl", "star", 1000), ("contexts.train.jsonl", "clinc", 1200)):
        rows = data.load_set(f"{data.EVAL}/{name}", name, stem)[1]
        out += [(r["turns"], 0.0, 1.0 if r["rel"] else None, 1.0) for r in rng.sample(rows, most) if not r["borderline"]]
    return out


def held(hold, rng):
    """[(turns, distress, need or None)] of writers and splits that nothing here is trained on."""
    out = [(r["turns"], r["sensitive"], {"distress": False, "ordinary": True}.get(r["kind"]), r["kind"]) for r in data.distress(hold)[0]]
    mine = [i for i in data.load()[1] if i["writer"] in hold and i["sensitive"] is not None]
    out += [(i["turns"], bool(i["sensitive"]), None if data.need_of(i) is None else bool(data.need_of(i)), i["kind"]) for i in rng.sample(mine, min(500, len(mine)))]
    for name in ("wild", "unseen", "everyday"):
        for i in data.load_set(f"{data.EVAL}/{name}", name, "contexts.dev.jsonl")[1]:
            kind = i["kind"] or ("twin" if i["sensitive"] is False else "distress" if i["sensitive"] else "other")
            out.append((i["turns"], bool(i["sensitive"]), True if i["rel"] else None, kind))
    for stem in ("contexts.mixed.dev.jsonl", "contexts.dev.jsonl"):
        out += [(r["turns"], False, None, "other") for r in rng.sample(data.load_set(f"{data.EVAL}/star", "star", stem)[1], 60)]
    return out


def pooled(net, tokenizer, texts, memory, gate, most, drop=0.0):
    """(log odds of distress, of a need, topics of the whole) of each text, as the gate pools them."""
    rows, of = [], []
    for k, ts in enumerate(texts):
        said = [t for s, t in reversed(ts) if s == "user"][:most] or [ts[-1][1]]
        rows += [tokenizer.context(ts)] + [tokenizer.newest(t) for t in said]
        of += [(k, 0)] + [(k, 1 + n) for n in range(len(said))]
    x, pack = net.lower(rows, memory)
    Z = net.signals(x, pack, drop)
    at = {}
    for i, (k, n) in enumerate(of):
        at.setdefault(k, []).append(i)
    odds, needs, topics = [], [], []
    for k in range(len(texts)):
        first, *turns = at[k]
        turn = Z[turns, 1]
        strongest = (turn * (gate["softness"] * turn).softmax(0)).sum()
        together, alone = Z[first, 0] + strongest, gate["gain"] * strongest - gate["offset"]
        share = torch.sigmoid(together - alone)
        odds.append(share * together + (1 - share) * alone)
        needs.append(Z[first, 2] + Z[turns[0], 3])
        topics.append(Z[first, 4:])
    return torch.stack(odds), torch.stack(needs), torch.stack(topics)


@torch.no_grad()
def report(net, tokenizer, rows, gate, memory):
    net.eval()
    odds, needs = [], []
    for at in range(0, len(rows), 24):
        a, b, _ = pooled(net, tokenizer, [r[0] for r in rows[at : at + 24]], memory, gate, gate["turns"])
        odds += a.tolist()
        needs += b.tolist()
    plain = sorted((z for z, r in zip(odds, rows) if not r[1] and r[3] != "twin"), reverse=True)
    grave = [z for z, r in zip(odds, rows) if r[1]]
    line = f"distress AUROC {evals.auroc(grave, plain):.4f}"
    for share in (0.01, 0.02, 0.03):
        t = plain[int(share * len(plain))]
        twins = [z >= t for z, r in zip(odds, rows) if not r[1] and r[3] == "twin"]
        line += f" | at {share:.2f} silenced ({t:.2f}) heard {sum(z >= t for z in grave) / len(grave):.3f} twins {sum(twins) / len(twins):.3f}"
    return line + f" | need AUROC {evals.auroc([z for z, r in zip(needs, rows) if r[2]], [z for z, r in zip(needs, rows) if r[2] is False]):.4f}"


if __name__ == "__main__":
    o = ap.parse_args()
    torch.set_num_threads(int(os.environ.get("THREADS", 2)))
    torch.manual_seed(o.seed)
    rng, hold, memory = random.Random(o.seed), set(o.hold.split(",")), {}
    net, tokenizer, gate = network.load(o.model), network.text_tokenizer(), json.load(open(MODEL + "/gate.json"))
    texts = training(hold, rng)
    checked = held(hold, random.Random(1))
    print(len(texts), "texts,", sum(t[1] == 1 for t in texts), "of distress;", len(checked), "held", flush=True)
    print("before", report(net, tokenizer, checked, gate, {}), flush=True)
    with torch.no_grad():
        was = network.load(o.model).eval()
    trained = [p for n, p in net.named_parameters() if n.startswith(("heard", "look", "say"))]
    opt = torch.optim.AdamW(trained, lr=o.lr, weight_decay=0.01)
    count, spent = 0, 0.0
    os.makedirs(o.out, exist_ok=True)
    if os.path.exists(f"{o.out}/state.pt"):
        state = torch.load(f"{o.out}/state.pt", weights_only=False)
        net.load_state_dict(state["model"]), opt.load_state_dict(state["optimizer"])
        count, spent = state["step"], state["spent"]
        rng.seed(o.seed + count)
    net.train()
    began, losses, often = time.time() - spent, [], [t[3] for t in texts]

    def save():
        torch.save({"model": net.state_dict(), "optimizer": opt.state_dict(), "step": count, "spent": spent}, f"{o.out}/state.part")
        os.replace(f"{o.out}/state.part", f"{o.out}/state.pt")

    while (spent := time.time() - began) < o.minutes * 60:
        left = 1 - spent / (o.minutes * 60)
        for g in opt.param_groups:
            g["lr"] = o.lr * min(1, (count + 1) / o.warm) * min(1, left / 0.6)
        part = rng.choices(texts, often, k=o.texts)
        said = [data.disturb(data.for_gate(t[0], rng), rng) for t in part]
        odds, needs, topics = pooled(net, tokenizer, said, memory, gate, o.turns, o.drop)
        y, n = (torch.tensor([float("nan") if t[k] is None else t[k] for t in part]) for k in (1, 2))
        loss = F.binary_cross_entropy_with_logits(odds[~y.isnan()], y[~y.isnan()])
        need = F.binary_cross_entropy_with_logits(needs[~n.isnan()], n[~n.isnan()]) if (~n.isnan()).any() else torch.tensor(0.0)
        grave = (y == 1).nonzero()[:, 0]
        same = 0.0
        if len(grave):
            with torch.no_grad():
                old = pooled(was, tokenizer, [said[i] for i in grave], memory, gate, o.turns)[2]
            same = F.kl_div(topics[grave].log_softmax(-1), old.softmax(-1), reduction="batchmean")
        opt.zero_grad()
        (loss + 0.5 * need + 0.2 * same).backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        opt.step()
        losses.append((loss.item(), need.item()))
        count += 1
        if len(memory) > 60000:
            memory.clear()
        if count % 20 == 0:
            a, b = (sum(x) / len(x) for x in zip(*losses[-60:]))
            print(f"{count} {spent:.0f}s distress {a:.3f} need {b:.3f}", flush=True)
        if count % 100 == 0:
            save()
    save()
    print("after", report(net, tokenizer, checked, gate, {}), flush=True)
