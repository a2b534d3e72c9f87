"""adjacent-small in plain torch, from its released graph and back into it.

BERT, 6 layers x 384, over packed sequences. Its upper three layers give the vectors; copies of them on the same states give the signals
(h/ in the graph). Embeddings and lower layers stay as they are, since both share them.
"""

import os, sys
import numpy as np, onnx, torch, torch.nn.functional as F
from onnx import numpy_helper as nh
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from mpnet import Layer, Pack
import data
from released import Graph

D, FF, LAYERS, FROZEN, EPS = 384, 1536, 6, 3, 1e-12
CONTEXT, AD = 110, 56
PARTS = [f"attention.attn.{k}" for k in "qkvo"] + ["intermediate.dense", "output.dense"]
NORMS = ["attention.LayerNorm", "output.LayerNorm"]


def layer_of():
    layer = Layer(D, FF)
    layer.attention["LayerNorm"].eps = layer.output["LayerNorm"].eps = EPS
    return layer


class Network(nn.Module):
    def __init__(self, vocab=30522, positions=512, looks=4, signals=22):
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(vocab, D),
                "position_embeddings": nn.Embedding(positions, D),
                "token_type_embeddings": nn.Embedding(2, D),
                "LayerNorm": nn.LayerNorm(D, eps=EPS),
            }
        )
        self.layers = nn.ModuleList(layer_of() for _ in range(LAYERS))
        self.heard = nn.ModuleList(layer_of() for _ in range(LAYERS - FROZEN))
        self.look = nn.Linear(D, looks, bias=False)
        self.say = nn.Linear(looks * D, signals)
        self.none = nn.Parameter(torch.tensor(0.4))  # the similarity of no ad at all
        for part in (self.embeddings, *self.layers[:FROZEN]):
            for p in part.parameters():
                p.requires_grad_(False)

    def bias(self, pack):
        return (~pack.mask[:, None, None]).float() * -1e4

    @torch.no_grad()
    def lower(self, rows, memory=None):
        """States after the frozen layers, packed. memory: {row: half floats}, filled as rows come."""
        rows, found = [tuple(r) for r in rows], {} if memory is None else memory
        new = sorted({r for r in rows if r not in found}, key=len)
        for at in range(0, len(new), 32):
            part = new[at : at + 32]
            pack, e = Pack([len(r) for r in part]), self.embeddings
            ids = torch.tensor([i for r in part for i in r])
            x = e["word_embeddings"](ids) + e["position_embeddings"](pack.positions)
            x = e["LayerNorm"](x + e["token_type_embeddings"].weight[0])
            bias = self.bias(pack)
            for layer in self.layers[:FROZEN]:
                x = layer(x, pack, bias)
            for r, s in zip(part, x.half().split(pack.lengths.tolist())):
                found[r] = s.clone()
        return torch.cat([found[r].float() for r in rows]), Pack([len(r) for r in rows])

    def upper(self, x, pack, drop=0.0):
        """Unit vectors."""
        bias = self.bias(pack)
        for layer in self.layers[FROZEN:]:
            x = layer(x, pack, bias, drop=drop)
        return F.normalize(pack.mean(x), dim=-1)

    def signals(self, x, pack, drop=0.0):
        """Log odds, as adjacent-small/README.md names them."""
        bias = self.bias(pack)
        for layer in self.heard:
            x = layer(x, pack, bias, drop=drop)
        weights = pack.pad(self.look(x)).masked_fill(~pack.mask[..., None], -1e4).softmax(1)
        pooled = weights.transpose(1, 2) @ pack.pad(x)  # B x looks x D
        return self.say(pooled.flatten(1))

    @torch.no_grad()
    def vectors(self, rows, memory=None):
        order, out = sorted(range(len(rows)), key=lambda i: len(rows[i])), [None] * len(rows)
        for at in range(0, len(order), 32):
            part = order[at : at + 32]
            for i, v in zip(part, self.upper(*self.lower([rows[i] for i in part], memory))):
                out[i] = v
        return torch.stack(out)


class Reader:
    """Token ids with marks, as models/encoder/transformer.ts reads: a context's newest tokens, an ad's first."""

    def __init__(self, folder=os.path.join(HERE, "..", "..", "adjacent-small")):
        from tokenizers import Tokenizer

        self.tok = Tokenizer.from_file(folder + "/tokenizer.json")
        self.tok.no_padding(), self.tok.no_truncation()

    def ids(self, text):
        return self.tok.encode(text, add_special_tokens=False).ids

    def context(self, ts):
        whole = "\n".join(("User: " if s == "user" else "Assistant: ") + t for s, t in ts)
        return (101, *self.ids(whole[-CONTEXT * 8 :])[-CONTEXT:], 102)

    def ad(self, a):
        message = f"{a['name']}. {a['text']}" if a["text"] else a["name"]
        return (101, *self.ids(message[: AD * 8])[:AD], 102)

    def plain(self, text):
        return (101, *self.ids(text[: AD * 8])[:AD], 102)


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
    for branch, stem, layers in (("m", "layers", LAYERS), ("h", "heard", LAYERS - FROZEN)):
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
        if name.startswith("embeddings") or name.startswith(tuple(f"layers.{i}." for i in range(FROZEN))):
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
