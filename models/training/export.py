"""Writes trunk and judge as two ONNX graphs, int8: `lower` (tokens -> states before the joint layers) and `upper` (states, and what may be read beside them -> all answers).

    python export.py --init RUN --out FOLDER [--weights int8|float]

The judge is that of the run (model.py), whose layers the vectors share.

Weights are int8 per output column, activations int8 per token: so a text's answers do not depend on what else is in its batch, and a token with
large values does not coarsen the others. Channels with large values are evened out beforehand (`--smooth`, as in SmoothQuant, arXiv:2211.10438): x / s before, W * s.
"""

import argparse, os, sys
import numpy as np, onnx, torch
from onnx import TensorProto as T, helper as h, numpy_helper as nh

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpnet
from model import Model, JOIN, SIGNALS

HEADS, D, LONGEST = 12, 768, 208


class Graph:
    def __init__(self, name):
        self.name, self.nodes, self.inits, self.n = name, [], [], 0

    def const(self, value, dtype=None):
        a = np.asarray(value, dtype=dtype)
        self.n += 1
        name = f"c{self.n}"
        self.inits.append(nh.from_array(a, name))
        return name

    def op(self, kind, *ins, out=None, outs=1, domain="", **attrs):
        self.n += 1
        names = [out] if out else [f"t{self.n}_{i}" for i in range(outs)]
        self.nodes.append(h.make_node(kind, list(ins), names, domain=domain, **attrs))
        return names[0] if outs == 1 else names

    def save(self, path, ins, outs):
        g = h.make_graph(self.nodes, self.name, ins, outs, self.inits)
        m = h.make_model(
            g, opset_imports=[h.make_opsetid("", 17), h.make_opsetid("com.microsoft", 1)]
        )
        m.ir_version = 9
        onnx.save(m, path)


class Writer(Graph):
    def __init__(self, name, quant, smooth, d=D, eps=1e-5, largest=127):
        """largest: of a weight. With 63, sums of two products fit into 16 bits, in which processors without VNNI add them."""
        super().__init__(name)
        self.quant, self.smooth, self.d, self.eps, self.largest = quant, smooth, d, eps, largest

    def linears(self, x, layers, key):
        """y_i = x W_i + b_i of several layers that read the same x (T × d), quantised once."""
        if not self.quant:
            return [
                self.op(
                    "Add",
                    self.op("MatMul", x, self.const(l.weight.detach().T.numpy())),
                    self.const(l.bias.detach().numpy()),
                )
                for l in layers
            ]
        s = self.smooth.get(key)
        if s is not None:
            x = self.op("Mul", x, self.const(1 / s, np.float32))
        scale = self.op(
            "Mul",
            self.op(
                "Max",
                self.op("ReduceMax", self.op("Abs", x), axes=[-1], keepdims=1),
                self.const([[1e-6]], np.float32),
            ),
            self.const(1 / 127, np.float32),
        )
        q = self.op(
            "Cast",
            self.op("Add", self.op("Round", self.op("Div", x, scale)), self.const(128, np.float32)),
            to=T.UINT8,
        )
        out = []
        for l in layers:
            w = l.weight.detach().T.numpy() * (s[:, None] if s is not None else 1)
            ws = np.abs(w).max(0) / self.largest
            wq = np.clip(np.round(w / ws), -self.largest, self.largest).astype(np.int8)
            y = self.op(
                "Cast",
                self.op(
                    "MatMulInteger",
                    q,
                    self.const(wq),
                    self.const(128, np.uint8),
                    self.const(0, np.int8),
                ),
                to=T.FLOAT,
            )
            y = self.op("Mul", self.op("Mul", y, scale), self.const(ws.astype(np.float32)))
            out.append(self.op("Add", y, self.const(l.bias.detach().numpy())))
        return out

    def norm(self, x, ln):
        return self.op(
            "LayerNormalization",
            x,
            self.const(ln.weight.detach().numpy()),
            self.const(ln.bias.detach().numpy()),
            axis=-1,
            epsilon=self.eps,
        )

    def gelu(self, x):
        return self.op("Gelu", x, domain="com.microsoft")

    def split(self, x):
        return self.op(
            "Transpose",
            self.op("Reshape", x, self.const([0, 0, HEADS, self.d // HEADS], np.int64)),
            perm=[0, 2, 1, 3],
        )

    def layer(self, x, layer, bias, key, shape, memory=None):
        """x: B·n × d; bias: B × h × n × (M +) n. Returns x, k, v (B × n × d)."""
        a = layer.attention["attn"]
        q, k, v = (
            self.op("Reshape", t, shape)
            for t in self.linears(x, [a["q"], a["k"], a["v"]], key + ".in")
        )
        K, V = k, v
        if memory:
            K, V = (self.op("Concat", m, t, axis=1) for m, t in zip(memory, (k, v)))
        w = self.op(
            "MatMul",
            self.op("Mul", self.split(q), self.const((self.d // HEADS) ** -0.5, np.float32)),
            self.op("Transpose", self.split(K), perm=[0, 1, 3, 2]),
        )
        w = self.op("Softmax", self.op("Add", w, bias), axis=-1)
        y = self.op("Transpose", self.op("MatMul", w, self.split(V)), perm=[0, 2, 1, 3])
        y = self.op("Reshape", y, self.const([-1, self.d], np.int64))
        x = self.norm(
            self.op("Add", x, self.linears(y, [a["o"]], key + ".att")[0]),
            layer.attention["LayerNorm"],
        )
        y = self.gelu(self.linears(x, [layer.intermediate["dense"]], key + ".mid")[0])
        return (
            self.norm(
                self.op("Add", x, self.linears(y, [layer.output["dense"]], key + ".out")[0]),
                layer.output["LayerNorm"],
            ),
            k,
            v,
        )


def bias_of(g, net, rows, columns):
    """What distance adds to attention, h × rows × columns; both are pairs of graph values: from, to."""
    p = torch.arange(LONGEST)
    buckets = g.const(mpnet.bucket(p[None] - p[:, None]).numpy().astype(np.uint8))
    for axis, (first, end) in enumerate((rows, columns)):
        buckets = g.op("Slice", buckets, first, end, g.const([axis], np.int64))
    table = g.const(net.encoder["relative_attention_bias"].weight.detach().numpy())
    return g.op(
        "Transpose", g.op("Gather", table, g.op("Cast", buckets, to=T.INT32)), perm=[2, 0, 1]
    )


def info(name, kind, shape):
    return h.make_tensor_value_info(name, kind, shape)


COMMON, GROUP = 12000, 32


def words(g, W):
    """Rows of the word embeddings, 1 × n × d: int8 for the tokens with small ids, which are the common ones; 4 bits, with a scale for every
    32 values, for the others, two thirds of the vocabulary."""
    common = g.op("Less", "input_ids", g.const(COMMON, np.int64))
    zero = g.const(0, np.int64)
    first = g.op("Where", common, "input_ids", zero)
    s = np.abs(W[:COMMON]).max(1, keepdims=True) / 127 + 1e-12
    rows = g.op("Gather", g.const(np.round(W[:COMMON] / s).astype(np.int8)), first)
    often = g.op(
        "Mul", g.op("Cast", rows, to=T.FLOAT), g.op("Gather", g.const(s.astype(np.float32)), first)
    )
    second = g.op(
        "Sub",
        g.op("Where", common, g.const(COMMON, np.int64), "input_ids"),
        g.const(COMMON, np.int64),
    )
    rare = W[COMMON:].reshape(-1, D // GROUP, GROUP)
    s = (np.abs(rare).max(2, keepdims=True) / 7 + 1e-6).astype(np.float16)
    q = (np.clip(np.round(rare / s.astype(np.float32)), -7, 7) + 8).astype(np.uint8).reshape(-1, D)
    packed = q[:, : D // 2] + 16 * q[:, D // 2 :]
    pairs = g.op("Cast", g.op("Gather", g.const(packed), second), to=T.FLOAT)
    high = g.op("Floor", g.op("Mul", pairs, g.const(1 / 16, np.float32)))
    low = g.op("Sub", pairs, g.op("Mul", high, g.const(16, np.float32)))
    values = g.op("Sub", g.op("Concat", low, high, axis=-1), g.const(8, np.float32))
    values = g.op("Reshape", values, g.const([1, -1, D // GROUP, GROUP], np.int64))
    scales = g.op("Cast", g.op("Gather", g.const(s), second), to=T.FLOAT)
    seldom = g.op("Reshape", g.op("Mul", values, scales), g.const([1, -1, D], np.int64))
    return g.op("Where", g.op("Unsqueeze", common, g.const([2], np.int64)), often, seldom)


def lower(M, path, quant, smooth):
    g = Writer("lower", quant, smooth)
    net = M.net
    e = net.embeddings
    zero = g.const([0], np.int64)
    n = g.op("Gather", g.op("Shape", "input_ids"), g.const([1], np.int64), axis=0)
    W = e["word_embeddings"].weight.detach().numpy()
    x = words(g, W) if quant else g.op("Gather", g.const(W), "input_ids")
    pos = g.op(
        "Slice",
        g.const(e["position_embeddings"].weight.detach().numpy()[2 : 2 + LONGEST]),
        zero,
        n,
        zero,
    )
    x = g.norm(g.op("Add", x, pos), e["LayerNorm"])
    x = g.op("Reshape", x, g.const([-1, D], np.int64))
    shape = g.const([1, -1, D], np.int64)
    bias = bias_of(g, net, (zero, n), (zero, n))
    for i in range(JOIN):
        x, _, _ = g.layer(x, net.encoder["layer"][i], bias, str(i), shape)
    g.op("Reshape", x, shape, out="states")
    g.save(path, [info("input_ids", T.INT64, [1, "n"])], [info("states", T.FLOAT, [1, "n", D])])


def upper(M, path, quant, smooth, topics=None):
    """states B × n × d, lengths B, memory 2·L × m × d (m may be 0), judging 0 or 1, the conversation's vector 1 × d and its similarity to each of the B ads (both 0 unless judging)."""
    g = Writer("upper", quant, smooth)
    net = M.net
    zero, one, two = (g.const([v], np.int64) for v in (0, 1, 2))
    dim = lambda t, i: g.op("Gather", g.op("Shape", t), g.const([i], np.int64), axis=0)
    B, n, m = dim("states", 0), dim("states", 1), dim("memory", 1)
    shape = g.op("Concat", B, n, g.const([D], np.int64), axis=0)
    x = g.op(
        "Add",
        g.op("Reshape", "states", g.const([-1, D], np.int64)),
        g.op("Mul", g.const(M.mode.detach().numpy()), "judging"),
    )
    steps = g.op("Range", g.const(0, np.int64), g.op("Squeeze", n, zero), g.const(1, np.int64))
    inside = g.op(
        "Less", g.op("Unsqueeze", steps, zero), g.op("Unsqueeze", "lengths", one)
    )  # B × n
    mask = g.op("Cast", inside, to=T.FLOAT)
    # an ad's tokens stand behind the conversation's: rows m … m+n of the table, columns 0 … m+n
    end = g.op("Add", m, n)
    bias = bias_of(g, net, (m, end), (zero, end))
    off = g.op("Mul", g.op("Sub", mask, g.const(1, np.float32)), g.const(1e4, np.float32))
    off = g.op(
        "Unsqueeze",
        g.op(
            "Concat",
            g.op("Expand", g.const([[0.0]], np.float32), g.op("Concat", B, m, axis=0)),
            off,
            axis=1,
        ),
        g.const([1, 2], np.int64),
    )
    bias = g.op("Add", bias, off)
    wide = g.op("Concat", B, m, g.const([D], np.int64), axis=0)
    kept, states = [], []
    L = len(net.encoder["layer"]) - JOIN
    for i in range(L):
        if JOIN + i in (8, 9, 10):
            states.append(x)
        mem = [
            g.op(
                "Expand",
                g.op(
                    "Slice",
                    "memory",
                    g.const([2 * i + j], np.int64),
                    g.const([2 * i + j + 1], np.int64),
                    zero,
                ),
                wide,
            )
            for j in (0, 1)
        ]
        x, k, v = g.layer(x, net.encoder["layer"][JOIN + i], bias, str(JOIN + i), shape, mem)
        kept += [k, v]
    states.append(x)
    first = lambda t: g.op("Slice", t, zero, one, zero)
    g.op("Concat", *[first(t) for t in kept], axis=0, out="kept")  # of the first text: 2·L × n × d
    x3, mk = g.op("Reshape", x, shape), g.op("Unsqueeze", mask, two)
    mean = g.op(
        "Div",
        g.op("ReduceSum", g.op("Mul", x3, mk), one, keepdims=0),
        g.op("Unsqueeze", g.op("Cast", "lengths", to=T.FLOAT), one),
    )
    g.op("LpNormalization", mean, axis=1, p=2, out="unit")
    g.op("Identity", "unit", out="vectors")
    lead = g.op("Squeeze", g.op("Slice", x3, zero, one, one), one)

    def f(t, l):
        # half floats on disk
        w = g.op("Cast", g.const(l.weight.detach().numpy().astype(np.float16)), to=T.FLOAT)
        return g.op("Gemm", t, w, g.const(l.bias.detach().numpy()), transB=1)

    both = g.op("Mul", g.op("Mul", "unit", "query"), g.const(D**0.5, np.float32))
    z = f(g.gelu(f(g.op("Concat", lead, mean, both, axis=1), M.judge[0])), M.judge[2])
    line = g.op(
        "Add",
        g.op("Mul", g.op("Unsqueeze", "similarity", one), g.const(M.slope.detach().numpy()[None])),
        g.const(M.offset.detach().numpy()[None]),
    )
    g.op("Add", z, line, out="judgements")
    sig = []
    plain = lambda t: g.op(
        "LayerNormalization", t, g.const(np.ones(D, np.float32)), axis=-1, epsilon=1e-5
    )
    normed = [plain(t) for t in states]
    for s in range(len(SIGNALS)):
        w = M.mix[s].softmax(0).detach().numpy()
        mixed = None
        for k, t in enumerate(normed):
            y = g.op("Mul", t, g.const(w[k], np.float32))
            mixed = y if mixed is None else g.op("Add", mixed, y)
        m3 = g.op("Reshape", mixed, shape)
        att = g.op(
            "Softmax",
            g.op(
                "Add",
                g.op(
                    "Squeeze", g.op("MatMul", m3, g.const(M.look[s].detach().numpy()[:, None])), two
                ),
                g.op(
                    "Squeeze",
                    g.op("Mul", g.op("Sub", mk, g.const(1, np.float32)), g.const(1e4, np.float32)),
                    two,
                ),
            ),
            axis=1,
        )
        pooled = g.op("ReduceSum", g.op("Mul", m3, g.op("Unsqueeze", att, two)), one, keepdims=0)
        sig.append(f(g.gelu(f(pooled, M.say[s][0])), M.say[s][2]))
        if s == 0 and topics is not None:
            topic = g.op(
                "Add",
                g.op("MatMul", pooled, g.const(topics["weight"].astype(np.float32))),
                g.const(topics["bias"].astype(np.float32)),
            )
    if topics is not None:
        sig.append(topic)
    g.op("Concat", *sig, axis=1, out="signals")
    g.save(
        path,
        [
            info("states", T.FLOAT, ["b", "n", D]),
            info("lengths", T.INT64, ["b"]),
            info("memory", T.FLOAT, [2 * L, "m", D]),
            info("judging", T.FLOAT, []),
            info("query", T.FLOAT, [1, D]),
            info("similarity", T.FLOAT, ["b"]),
        ],
        [
            info("vectors", T.FLOAT, ["b", D]),
            info(
                "signals",
                T.FLOAT,
                ["b", len(SIGNALS) + (0 if topics is None else len(topics["bias"]))],
            ),
            info("judgements", T.FLOAT, ["b", 3]),
            info("kept", T.FLOAT, [2 * L, "n", D]),
        ],
    )


def load(run):
    from safetensors.torch import load_file

    M = Model(mpnet.load(run))
    if os.path.exists(run + "/heads.safetensors"):
        M.load_state_dict(
            {
                k: v
                for k, v in load_file(run + "/heads.safetensors").items()
                if v.shape == M.state_dict()[k].shape
            },
            strict=False,
        )
    return M.eval()


@torch.no_grad()
def smoothing(layers, run, alpha=0.5):
    """Per input channel of every linear layer: s = max|x|^alpha / max|W|^(1-alpha), from the texts that `run` reads."""
    seen, hooks = {}, []

    def watch(key):
        def f(_, ins):
            a = ins[0].detach().abs().reshape(-1, ins[0].shape[-1]).amax(0)
            seen[key] = torch.maximum(seen[key], a) if key in seen else a

        return f

    for i, l in enumerate(layers):
        a = l.attention["attn"]
        for key, m in (
            (".in", a["q"]),
            (".att", a["o"]),
            (".mid", l.intermediate["dense"]),
            (".out", l.output["dense"]),
        ):
            hooks.append(m.register_forward_pre_hook(watch(f"{i}{key}")))
    run()
    for x in hooks:
        x.remove()
    out = {}
    for i, l in enumerate(layers):
        a = l.attention["attn"]
        for key, ms in (
            (".in", [a["q"], a["k"], a["v"]]),
            (".att", [a["o"]]),
            (".mid", [l.intermediate["dense"]]),
            (".out", [l.output["dense"]]),
        ):
            w = torch.stack([m.weight.abs().amax(0) for m in ms]).amax(0)
            s = seen[f"{i}{key}"].clamp(min=1e-3) ** alpha / w.clamp(min=1e-3) ** (1 - alpha)
            out[f"{i}{key}"] = (s / s.mean()).clamp(min=0.05).numpy().astype(np.float32)
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--init")
    ap.add_argument("--out")
    ap.add_argument("--weights", default="int8")
    ap.add_argument("--smooth", type=float, default=0.0)
    ap.add_argument("--topics")
    o = ap.parse_args()
    M = load(o.init)
    os.makedirs(o.out, exist_ok=True)
    smooth = {}
    if os.path.exists(o.init + "/smooth.npz"):
        smooth = dict(np.load(o.init + "/smooth.npz"))  # of the released graphs: they come out the same again
    elif o.smooth:
        import data

        tokenizer = data.text_tokenizer()
        cats, items = data.load()
        rows = [tokenizer.context(i["turns"]) for i in items[::40]] + [tokenizer.ad(a) for a in cats["01"][::6]]

        def run():
            for b in range(0, len(rows), 16):
                M.net(rows[b : b + 16])

        smooth = smoothing(M.net.encoder["layer"], run, o.smooth)
    lower(M, o.out + "/lower.onnx", o.weights == "int8", smooth)
    upper(
        M,
        o.out + "/upper.onnx",
        o.weights == "int8",
        smooth,
        dict(np.load(o.topics)) if o.topics else None,
    )
    print({f: os.path.getsize(o.out + "/" + f) >> 20 for f in os.listdir(o.out)})
