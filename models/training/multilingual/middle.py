"""Weights between those of two runs of one origin (model soups: Wortsman et al. 2022, arXiv:2203.05482).

    python middle.py RUN1 RUN2 OUT [--share 0.5]
"""

import argparse, os
from safetensors.torch import load_file, save_file

ap = argparse.ArgumentParser()
ap.add_argument("one"), ap.add_argument("other"), ap.add_argument("out"), ap.add_argument("--share", type=float, default=0.5)
o = ap.parse_args()
A, B = (load_file(run + "/model.safetensors") for run in (o.one, o.other))
os.makedirs(o.out, exist_ok=True)
save_file({k: torch_a.lerp(B[k].float(), o.share).to(A[k].dtype) for k, torch_a in ((k, a.float()) for k, a in A.items())}, o.out + "/model.safetensors")
