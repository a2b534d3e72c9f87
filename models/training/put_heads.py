"""Puts fitted heads of the signals into a released graph; all else in it stays as it is, to the bit.

    python put_heads.py --run RUN --graph ../adjacent-base/onnx/upper_quantized.onnx

RUN holds heads.safetensors and topics.npz.
"""

import argparse
import numpy as np, onnx
from onnx import numpy_helper as nh
from safetensors.torch import load_file
from released import Graph


def values(g, heads, topics):
    """{initializer: value}; the order is that in which export.py writes them (see restore.py)."""
    out = {}
    gemms = g.of("Gemm")[2:]
    looks = [n for n in g.of("MatMul") if n.input[1] in g.const and g.const[n.input[1]].shape[1] == 1]
    plain = [n.output[0] for n in g.of("LayerNormalization") if len(n.input) == 2]
    mixed = [n.input[1] for n in g.of("Mul") if n.input[0] in plain]
    shares = heads["mix"].softmax(-1).numpy().reshape(-1)
    out.update(zip(mixed, shares, strict=True))
    for k, n in enumerate(looks):
        out[n.input[1]] = heads["look"][k].numpy()[:, None]
        for at, gemm in ((0, gemms[2 * k]), (2, gemms[2 * k + 1])):
            out[g.made[gemm.input[1]].input[0]] = heads[f"say.{k}.{at}.weight"].numpy()
            out[gemm.input[2]] = heads[f"say.{k}.{at}.bias"].numpy()
    (topic,) = [n for n in g.of("MatMul") if n.input[1] in g.const and g.const[n.input[1]].shape[1] > 1]
    out[topic.input[1]] = topics["weight"]
    (bias,) = [i for i in g.after(topic).input if i in g.const]
    out[bias] = topics["bias"]
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--run"), ap.add_argument("--graph")
    o = ap.parse_args()
    new = values(Graph(o.graph), load_file(o.run + "/heads.safetensors"), np.load(o.run + "/topics.npz"))
    model = onnx.load(o.graph)
    for i in model.graph.initializer:
        if i.name in new:
            old = nh.to_array(i)
            value = np.asarray(new[i.name]).astype(old.dtype).reshape(old.shape)
            i.CopyFrom(nh.from_array(value, i.name))
    onnx.save(model, o.graph)
    print(len(new), "constants")
