"""Writes held-out writers' conversations as sets for `npm run calibrate` and `npm run eval`.

    python sets.py --out FOLDER --writers w05,w15,33a … [--eval NAME]

For each writer OUT/WRITER-{all,half,few}: the whole catalogue, half of its products and services at random, and a
quarter of them, with the labels that are left: where the right ad is gone, no ad is right. Conversations of distress are
left out, since the gate answers them. `--eval NAME` takes a folder of test/eval apart likewise (its dev split).
"""

import argparse, json, os, random
import data


def write(folder, ads, items, rng, share):
    slug = lambda a: (a["categories"] or [a["id"]])[-1]
    slugs = sorted({slug(a) for a in ads})
    kept = set(rng.sample(slugs, max(1, round(share * len(slugs)))))
    ads = [a for a in ads if slug(a) in kept]
    ids = {a["id"] for a in ads}
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/creatives.jsonl", "w", encoding="utf-8") as f:
        for a in ads:
            row = {k: a[k] for k in ("id", "name", "text", "advertiser", "categories") if a[k]}
            row["landingUrl"] = a.get("landingUrl") or f"https://example.com/{a['id']}"
            f.write(json.dumps(row, ensure_ascii=False) + "\n")
    with open(folder + "/contexts.dev.jsonl", "w", encoding="utf-8") as f:
        for i in items:
            relevant = [x for x in i["relevant"] if x in ids]
            f.write(
                json.dumps(
                    {"id": i["id"], "context": i["context"], "relevant": relevant},
                    ensure_ascii=False,
                )
                + "\n"
            )
    print(folder, len(ads), "ads", len(items), "conversations")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--out"), ap.add_argument("--writers", default=""), ap.add_argument(
        "--eval", default=""
    )
    o = ap.parse_args()
    rng = random.Random(7)
    cats, items = data.load()
    sources = {}
    for w in filter(None, o.writers.split(",")):
        mine = [i for i in items if i["writer"] == w and not i["sensitive"]]
        ads = cats[mine[0]["cat"]]
        rows = [
            {"id": f"{w}-{n}", "context": i["raw"], "relevant": [ads[x]["id"] for x in i["rel"]]}
            for n, i in enumerate(mine)
        ]
        sources[w] = (ads, rows)
    for name in filter(None, o.eval.split(",")):
        folder = f"{data.EVAL}/{name}"
        rows = [r for r in data.read(folder + "/contexts.dev.jsonl") if not r.get("sensitive")]
        sources[name] = ([data.ad(r) for r in data.read(folder + "/creatives.jsonl")], rows)
    for name, (ads, rows) in sources.items():
        for part, share in (("all", 1.0), ("half", 0.5), ("few", 0.25)):
            write(f"{o.out}/{name}-{part}", ads, rows, rng, share)
