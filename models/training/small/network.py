"""adjacent-small, from its released graph and back into it.

Its upper three layers give the vectors; copies of them on the same states give the signals (h/ in the graph). Embeddings and lower layers
stay as they are, since both share them.
"""

import os, sys
import numpy as np, onnx, torch
from onnx import numpy_helper as nh
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import bert, data  # data: for the scripts here
from bert import D
from released import Graph

LAYERS, FROZEN = 6, 3
MODEL = os.path.join(HERE, "..", "..", "adjacent-small")
PARTS = [f"attention.attn.{k}" for k in "qkvo"] + ["intermediate.dense", "output.dense"]
NORMS = ["attention.LayerNorm", "output.LayerNorm"]


class Network(bert.Bert):
    def __init__(self, vocab=30522, looks=4, signals=22):
        super().__init__(vocab, LAYERS, FROZEN)
        self.heard = nn.ModuleList(bert.layer_of() for _ in range(LAYERS - FROZEN))
        self.look = nn.Linear(D, looks, bias=False)
        self.say = nn.Linear(looks * D, signals)

    def signals(self, x, pack, drop=0.0):
        """Log odds, as adjacent-small/README.md names them."""
        bias = self.bias(pack)
        for layer in self.heard:
            x = layer(x, pack, bias, drop=drop)
        weights = pack.pad(self.look(x)).masked_fill(~pack.mask[..., None], -1e4).softmax(1)
        pooled = weights.transpose(1, 2) @ pack.pad(x)  # B x looks x D
        return self.say(pooled.flatten(1))


def text_tokenizer():
    return bert.TextTokenizer(MODEL, marks=(101, 102))


def places(g):
    """{parameter of Network: names of constants}: of a linear layer weight, its scale and its bias; of others one name each."""
    branches = {"m": [], "h": []}
    for n in g.of("MatMulInteger"):
        branches[n.name.strip("/")[0]].append(n)
    norms = {"m": [], "h": []}
    for n in g.of("LayerNormalization"):
        norms[n.name.strip("/")[0]].append(n)
    out = {"embeddings.LayerNorm": tuple(norms["m"].pop(0).input[1:])}
    for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        out["embeddings." + name] = (f"m.embeddings.{name}.weight",)
    for branch, stem, layers in (("m", "encoder.layer", LAYERS), ("h", "heard", LAYERS - FROZEN)):
        linears, normal = iter(branches[branch]), iter(norms[branch])
        for i in range(layers):
            for part in PARTS:
                n = next(linears)
                scaled = g.after(g.after(n))  # Cast, then Mul by both scales
                (both,) = [g.made[x] for x in scaled.input if x in g.made and g.made[x].op_type == "Mul"]
                (scale,) = [x for x in both.input if x in g.const]
                (bias,) = [x for x in g.after(scaled).input if x in g.const]
                out[f"{stem}.{i}.{part}"] = (n.input[1], scale, bias)
            for part in NORMS:
                out[f"{stem}.{i}.{part}"] = tuple(next(normal).input[1:])
    (look,) = [n for n in g.of("MatMul") if n.name == "h/look_mm"]
    (say,) = g.of("Gemm")
    out["look"], out["say"] = (look.input[1],), tuple(say.input[1:])
    return out


def load(path):
    """From a released graph: weights as they are after rounding to int8."""
    g, state = Graph(path), {}
    value = lambda name: torch.tensor(g.const[name] if name in g.const else nh.to_array(g.made[name].attribute[0].t)).float()
    for name, where in places(g).items():
        if len(where) == 3:
            state[name + ".weight"] = (value(where[0]) * value(where[1])).T
            state[name + ".bias"] = value(where[2])
        elif name == "look":
            state["look.weight"] = value(where[0]).T
        else:
            state[name + ".weight"] = value(where[0])
            if len(where) > 1:
                state[name + ".bias"] = value(where[1])
    net = Network(state["embeddings.word_embeddings.weight"].shape[0])
    missing, extra = net.load_state_dict(state, strict=False)
    assert missing == ["none"] and not extra, (missing, extra)
    return net


def write(net, source, path, largest=127):
    """The graph `source` with what may be trained of net in it; the rest stays to the bit. Weights are rounded for each output by itself."""
    new = {}
    state = {k: v.detach().float().cpu() for k, v in net.state_dict().items()}
    for name, where in places(Graph(source)).items():
        if name.startswith("embeddings") or name.startswith(tuple(f"encoder.layer.{i}." for i in range(FROZEN))):
            continue
        if len(where) == 3:
            w = state[name + ".weight"].T  # in x out
            scale = w.abs().amax(0).clamp(min=1e-9) / largest
            new[where[0]] = (w / scale).round().clamp(-largest, largest)
            new[where[1]], new[where[2]] = scale, state[name + ".bias"]
        elif name == "look":
            new[where[0]] = state["look.weight"].T
        else:
            new[where[0]] = state[name + ".weight"]
            if len(where) > 1:
                new[where[1]] = state[name + ".bias"]
    model = onnx.load(source)
    for i in model.graph.initializer:
        if i.name in new:
            old = nh.to_array(i)
            i.CopyFrom(nh.from_array(np.asarray(new.pop(i.name)).astype(old.dtype).reshape(old.shape), i.name))
    assert not new, list(new)
    onnx.save(model, path)
