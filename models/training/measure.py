"""Right ad first and AUROC by the similarity of a run alone, of held-out writers and of dev splits.

    python measure.py --run RUN --hold w05,w15 … [--most 200] [--apart 24t,58a]

Of sets with more than --most conversations so many are drawn, the same ones each time. Writers of --apart have lines of their own.
"""

import argparse, random
import torch
import data, evals, export

SETS = {
    "unseen": ("unseen", "contexts.dev.jsonl"), "wild": ("wild", "contexts.dev.jsonl"), "everyday": ("everyday", "contexts.dev.jsonl"),
    "star mixed": ("star", "contexts.mixed.dev.jsonl"), "clinc": ("clinc", "contexts.dev.jsonl"), "narrow": ("narrow", "contexts.jsonl"),
    "products": ("products", "contexts.jsonl"), "ca-prod": ("ca-prod", "contexts.dev.jsonl"),
}


class Halved(torch.nn.Module):
    """Multiplies in bfloat16, and gives floats."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, rows):
        with torch.autocast("cpu", torch.bfloat16):
            return self.net(rows).float()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--run"), ap.add_argument("--hold", default=""), ap.add_argument("--most", type=int, default=200)
    ap.add_argument("--apart", default="")
    o = ap.parse_args()
    net, tokenizer, hold = export.load(o.run).net, data.text_tokenizer(), set(o.hold.split(","))
    cats, items = data.load()
    mine = {}
    for i in items:
        if i["writer"] in hold and i["kind"] != "distress":
            mine.setdefault(i["writer"] if i["writer"] in o.apart.split(",") else "writers", []).append(i)
    tasks = [(name, cats, its) for name, its in mine.items()]
    for name, (folder, stem) in SETS.items():
        ads, its = data.load_set(f"{data.EVAL}/{folder}", name, stem)
        its = [i for i in its if not i["sensitive"]]
        tasks.append((name, {name: ads}, random.Random(1).sample(its, min(len(its), o.most))))
    for name, ads, its in tasks:
        print(evals.show(name, evals.evaluate(Halved(net), tokenizer, ads, its)), flush=True)
