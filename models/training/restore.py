"""Makes a run to go on from out of the released graphs: weights as they are after rounding to int8.

    python restore.py --init INIT --model ../adjacent-base --out RUN

INIT is all-mpnet-base-v2, whose embeddings the release has as they were. Writes RUN/model.safetensors, heads.safetensors, topics.npz and smooth.npz;
with the last, export.py makes the very same graphs of the run again. What only training uses (the similarity of "no ad") starts anew.
"""

import argparse, os
import numpy as np, torch
from safetensors.torch import load_file, save_file
from released import Graph

LAYERS = 12


def run_of(init, lower, upper):
    """(trunk, heads, topics, smoothing) of the two released graphs."""
    trunk = {k.removeprefix("mpnet."): v.float() for k, v in load_file(init + "/model.safetensors").items()}
    trunk = {k: v for k, v in trunk.items() if "pooler" not in k and "position_ids" not in k}
    linears, norms = [], []
    for g in (lower, upper):
        linears += [(g, n) for n in g.of("MatMulInteger")]
        norms += [(g, n) for n in g.of("LayerNormalization") if len(n.input) == 3]
    linears, norms, smooth = iter(linears), iter(norms[1:]), {}  # the first is that of the embeddings
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}."
        parts = [f"attention.attn.{k}" for k in "qkvo"] + ["intermediate.dense", "output.dense"]
        for part, key in zip(parts, (".in", ".in", ".in", ".att", ".mid", ".out")):
            g, n = next(linears)
            trunk[f"{layer}{part}.weight"], trunk[f"{layer}{part}.bias"] = g.linear(n)
            even = g.evened(n)
            if even is not None:
                smooth[f"{i}{key}"] = 1 / even
        for part in ("attention.LayerNorm", "output.LayerNorm"):
            g, n = next(norms)
            trunk[f"{layer}{part}.weight"], trunk[f"{layer}{part}.bias"] = (torch.tensor(g.const[i]) for i in n.input[1:])
    assert next(linears, None) is None and next(norms, None) is None
    return trunk, signals_of(upper), topics_of(upper), smooth


def signals_of(g):
    gemms = g.of("Gemm")[2:]  # the first two judge
    looks = [n for n in g.of("MatMul") if n.input[1] in g.const and g.const[n.input[1]].shape[1] == 1]
    plain = [n.output[0] for n in g.of("LayerNormalization") if len(n.input) == 2]
    mixed = [g.own(n).item() for n in g.of("Mul") if n.input[0] in plain]
    out = {
        "mix": torch.tensor(np.log(np.reshape(mixed, (len(looks), -1)))).float(),
        "look": torch.tensor(np.stack([g.const[n.input[1]][:, 0] for n in looks])),
    }
    for k in range(len(looks)):
        for at, n in ((0, gemms[2 * k]), (2, gemms[2 * k + 1])):
            weight = g.made[n.input[1]].input[0]  # half floats on disk
            out[f"say.{k}.{at}.weight"] = torch.tensor(g.const[weight]).float()
            out[f"say.{k}.{at}.bias"] = torch.tensor(g.const[n.input[2]])
    return out


def topics_of(g):
    (n,) = [n for n in g.of("MatMul") if n.input[1] in g.const and g.const[n.input[1]].shape[1] > 1]
    return {"weight": g.const[n.input[1]], "bias": g.own(g.after(n))}


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--init"), ap.add_argument("--model"), ap.add_argument("--out")
    o = ap.parse_args()
    graphs = (Graph(f"{o.model}/onnx/{part}_quantized.onnx") for part in ("lower", "upper"))
    trunk, heads, topics, smooth = run_of(o.init, *graphs)
    os.makedirs(o.out, exist_ok=True)
    save_file({k: v.contiguous() for k, v in trunk.items()}, o.out + "/model.safetensors")
    save_file({k: v.contiguous() for k, v in heads.items()}, o.out + "/heads.safetensors")
    np.savez(o.out + "/topics.npz", **topics)
    np.savez(o.out + "/smooth.npz", **smooth)
    print(sum(v.numel() for v in trunk.values()), "parameters")
