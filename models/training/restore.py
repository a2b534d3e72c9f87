"""Makes a run to go on from out of the released graphs: weights as they are after rounding to int8.

    python restore.py --init INIT --model ../adjacent-base --out RUN

INIT is all-mpnet-base-v2, whose embeddings the release has as they were. Writes RUN/model.safetensors, heads.safetensors, topics.npz and smooth.npz;
with the last, export.py makes the same graphs of the run again, but for the last bit of some scales. What only training uses (the similarity of "no ad") starts anew.
"""

import argparse, os
import numpy as np, torch
from safetensors.torch import load_file, save_file
from released import Graph, heads_of

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
    return trunk, judge_and_signals(upper), topics_of(upper), smooth


def judge_and_signals(g):
    """The parameters of model.Model beside the trunk's."""
    places, value = heads_of(g), lambda name: torch.tensor(g.const[name]).float()
    looks = torch.stack([value(n)[:, 0] for n in places["look"]])
    out = {
        "mix": torch.stack([value(n) for n in places["mix"]]).log().view(len(looks), -1),
        "look": looks,
        "mode": value(next(n.input[0] for n in g.of("Mul") if n.input[1] == "judging")),
    }
    (slope,) = [n for n in g.of("Mul") if g.made.get(n.input[0]) is not None and g.made[n.input[0]].input[0] == "similarity"]
    out["slope"], out["offset"] = value(slope.input[1])[0], value(g.after(slope).input[1])[0]
    for part in places:
        if part[-2:] in (".0", ".2"):
            out[part + ".weight"], out[part + ".bias"] = map(value, places[part])
    return out


def topics_of(g):
    weight, bias = heads_of(g)["topics"]
    return {"weight": g.const[weight], "bias": g.const[bias]}


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
