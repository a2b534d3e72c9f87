"""Puts fitted heads of the signals into a released graph; all else in it stays as it is, to the bit.

    python put_heads.py --run RUN --graph ../adjacent-base/onnx/upper_quantized.onnx
    python put_heads.py --run RUN --graph ../adjacent-multilingual/onnx/model_quantized.onnx

RUN holds topics.npz, and heads.safetensors or the model.safetensors of the multilingual encoder.
"""

import argparse, os
import numpy as np, onnx
from onnx import numpy_helper as nh
from safetensors.torch import load_file
from released import Graph, heads_of


def values(places, heads, topics):
    """{name of a constant: its new value}"""
    out = dict(zip(places["mix"], heads["mix"].softmax(-1).flatten(), strict=True))
    out.update(zip(places["look"], heads["look"], strict=True))
    out.update(zip(places["topics"], (topics["weight"], topics["bias"])))
    for part in places:
        if part.startswith("say."):
            out.update(zip(places[part], (heads[part + ".weight"], heads[part + ".bias"])))
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--run"), ap.add_argument("--graph")
    o = ap.parse_args()
    heads = next(p for p in (o.run + "/heads.safetensors", o.run + "/model.safetensors") if os.path.exists(p))
    new = values(heads_of(Graph(o.graph)), load_file(heads), np.load(o.run + "/topics.npz"))
    model = onnx.load(o.graph)
    for i in model.graph.initializer:
        if i.name in new:
            old = nh.to_array(i)
            value = np.asarray(new[i.name]).astype(old.dtype).reshape(old.shape)
            i.CopyFrom(nh.from_array(value, i.name))
    onnx.save(model, o.graph)
    print(len(new), "constants")
