"""Right ad first and AUROC by similarity alone, of held-out writers and of dev splits, for adjacent-small's graph and trained runs.

    python measure.py --hold w05,w15 … [--run RUN [--shares 0,.5,1]] [--most 150]

A share is how far the weights go from the released ones to the run's.
"""

import argparse, random
import torch
import network
from network import data
import evals

SETS = {
    "unseen": ("unseen", "contexts.dev.jsonl"), "wild": ("wild", "contexts.dev.jsonl"), "everyday": ("everyday", "contexts.dev.jsonl"),
    "star": ("star", "contexts.dev.jsonl"), "star mixed": ("star", "contexts.mixed.dev.jsonl"), "clinc": ("clinc", "contexts.dev.jsonl"),
    "narrow": ("narrow", "contexts.jsonl"), "products": ("products", "contexts.jsonl"), "ca-prod": ("ca-prod", "contexts.dev.jsonl"),
}
MODEL = network.MODEL + "/onnx/model_quantized.onnx"


def between(run, share, model=MODEL):
    """The released weights, moved by a share towards those of a run."""
    net = network.load(model)
    if share:
        start, end = net.state_dict(), torch.load(run + "/state.pt", weights_only=False, map_location="cpu")["model"]
        net.load_state_dict({k: start[k] + share * (end[k] - start[k]) for k in start})
    return net.eval()


class Vectors(torch.nn.Module):
    """What evals expects: rows → vectors."""

    # The frozen layers are the same for every share.
    memory = {}

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, rows):
        return self.net.vectors(rows, self.memory)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--run"), ap.add_argument("--shares", default="0,1"), ap.add_argument("--hold", default=""), ap.add_argument("--most", type=int, default=150)
    o = ap.parse_args()
    tokenizer, hold = network.text_tokenizer(), set(o.hold.split(","))
    cats, items = data.load()
    mine = [i for i in items if i["writer"] in hold and i["kind"] != "distress"]
    tasks = [("writers", cats, random.Random(1).sample(mine, min(len(mine), 4 * o.most)))]
    for name, (folder, stem) in SETS.items():
        ads, its = data.load_set(f"{data.EVAL}/{folder}", name, stem)
        its = [i for i in its if not i["sensitive"]]
        tasks.append((name, {name: ads}, random.Random(1).sample(its, min(len(its), o.most))))
    for share in map(float, o.shares.split(",")):
        net = between(o.run, share)

        print(f"== share {share:g}")
        for name, ads, its in tasks:
            print(evals.show(name, evals.evaluate(Vectors(net), tokenizer, ads, its)), flush=True)
