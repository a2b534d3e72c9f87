"""Averages the weights of runs that started from the same model (model soups: Wortsman et al. 2022, arXiv:2203.05482).

    python average_runs.py OUT RUN1 RUN2 … [--shares .3,.7]

Shares are equal where none are given. Writes OUT/model.safetensors, and OUT/heads.safetensors where every run has one.
"""

import argparse, os
from safetensors.torch import load_file, save_file

ap = argparse.ArgumentParser()
ap.add_argument("out"), ap.add_argument("runs", nargs="+"), ap.add_argument("--shares")
o = ap.parse_args()
shares = [float(s) for s in o.shares.split(",")] if o.shares else [1 / len(o.runs)] * len(o.runs)
assert len(shares) == len(o.runs) and abs(sum(shares) - 1) < 1e-6, shares
os.makedirs(o.out, exist_ok=True)
for file in ("model.safetensors", "heads.safetensors"):
    if all(os.path.exists(f"{run}/{file}") for run in o.runs):
        parts = [load_file(f"{run}/{file}") for run in o.runs]
        mixed = {}
        for k in sorted(set().union(*parts)):
            # What a restored run lacks (the similarity of "no ad") is that of the others.
            have = [(s, p[k]) for s, p in zip(shares, parts) if k in p]
            total = sum(s for s, _ in have)
            mixed[k] = sum(s / total * v.float() for s, v in have).to(have[0][1].dtype).contiguous()
        save_file(mixed, f"{o.out}/{file}")
