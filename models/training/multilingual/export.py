"""Writes the multilingual encoder as one ONNX graph: int8 per token and per column (../export.py), word embeddings in 4 bits.

    python export.py --init RUN --tokenizer START --topics topics.npz --out ../../adjacent-multilingual

Outputs `last_hidden_state` and `signals`: distress of the whole and of a turn, need of both, then the topics of distress.
"""

import argparse, os, shutil
import numpy as np
from onnx import TensorProto as T
import network, text
from bert import EPS
from network import D, HEARD, SIGNALS
import export as base

GROUP, LONGEST = 32, 512


def packed(W):
    """Four-bit values and scales of blocks of 32: such as the table came in, found again from its values."""
    blocks = W.reshape(-1, D // GROUP, GROUP)
    most = np.abs(blocks).max(2, keepdims=True)
    best, error = None, None
    for k in (8, -8, 7):
        s = (most / k + np.sign(k) * 1e-7).astype(np.float16).astype(np.float32)
        q = np.clip(np.round(blocks / s), -8, 7)
        e = ((q * s - blocks) ** 2).sum(2, keepdims=True)
        if best is None:
            best, error, scale = q, e, s
        else:
            better = e < error * 0.98
            best, error, scale = np.where(better, q, best), np.where(better, e, error), np.where(better, s, scale)
    print("embeddings: rms", float(np.sqrt((W**2).mean())), "error", float(np.sqrt(error.sum() / W.size)))
    q = (best + 8).astype(np.uint8).reshape(-1, D)
    return q[:, : D // 2] + 16 * q[:, D // 2 :], scale.astype(np.float16)


def words(g, W):
    q, s = packed(W)
    pairs = g.op("Cast", g.op("Gather", g.const(q), "input_ids"), to=T.FLOAT)
    high = g.op("Floor", g.op("Mul", pairs, g.const(1 / 16, np.float32)))
    low = g.op("Sub", pairs, g.op("Mul", high, g.const(16, np.float32)))
    values = g.op("Sub", g.op("Concat", low, high, axis=-1), g.const(8, np.float32))
    values = g.op("Reshape", values, g.const([1, -1, D // GROUP, GROUP], np.int64))
    scales = g.op("Cast", g.op("Gather", g.const(s), "input_ids"), to=T.FLOAT)
    return g.op("Reshape", g.op("Mul", values, scales), g.const([-1, D], np.int64))


def write(M, path, smooth, topics, quant=True, largest=127):
    g = base.Writer("multilingual", quant, smooth, d=D, eps=EPS, largest=largest)
    e = M.embeddings
    one, zero = g.const([1], np.int64), g.const([0], np.int64)
    n = g.op("Gather", g.op("Shape", "input_ids"), one, axis=0)
    fixed = e["position_embeddings"].weight + e["token_type_embeddings"].weight[:1]
    places = g.op("Slice", g.const(fixed.detach().numpy()), zero, n, zero)
    x = g.norm(g.op("Add", words(g, e["word_embeddings"].weight.detach().numpy()), places), e["LayerNorm"])
    shape, states = g.const([1, -1, D], np.int64), []
    for i, layer in enumerate(M.encoder["layer"]):
        if i in HEARD:
            states.append(x)
        x, _, _ = g.layer(x, layer, g.const([0.0], np.float32), str(i), shape)
    states.append(x)
    g.op("Reshape", x, shape, out="last_hidden_state")
    plain = [g.op("LayerNormalization", t, g.const(np.ones(D, np.float32)), axis=-1, epsilon=1e-5) for t in states]
    out, heard = [], None
    for s in range(len(SIGNALS)):
        w = M.mix[s].softmax(0).detach().numpy()
        mixed = None
        for k, t in enumerate(plain):
            y = g.op("Mul", t, g.const(w[k], np.float32))
            mixed = y if mixed is None else g.op("Add", mixed, y)
        att = g.op("Softmax", g.op("MatMul", mixed, g.const(M.look[s].detach().numpy()[:, None])), axis=0)
        pooled = g.op("ReduceSum", g.op("Mul", mixed, att), zero, keepdims=1)
        heard = pooled if s == 0 else heard
        first, second = M.say[s][0], M.say[s][2]
        gemm = lambda t, l: g.op("Gemm", t, g.const(l.weight.detach().numpy()), g.const(l.bias.detach().numpy()), transB=1)
        # Half for the whole, half for the turn: both are added again.
        half = g.op("Mul", gemm(g.gelu(gemm(pooled, first)), second), g.const(0.5, np.float32))
        out += [half, half]
    topic = g.op("MatMul", heard, g.const(topics["weight"].astype(np.float32)))
    out.append(g.op("Add", topic, g.const(topics["bias"].astype(np.float32))))
    g.op("Concat", *out, axis=1, out="signals")
    ids = ("input_ids", "attention_mask", "token_type_ids")
    g.save(
        path,
        [base.info(name, T.INT64, [1, "n"]) for name in ids],
        [
            base.info("last_hidden_state", T.FLOAT, [1, "n", D]),
            base.info("signals", T.FLOAT, [1, 2 * len(SIGNALS) + len(topics["bias"])]),
        ],
    )


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    for name in ("init", "tokenizer", "topics", "out"):
        ap.add_argument("--" + name)
    ap.add_argument("--weights", default="int8"), ap.add_argument("--largest", type=int, default=90)
    o = ap.parse_args()
    M, tokenizer = network.load(o.init).eval(), text.TextTokenizer(o.tokenizer)
    cats, items = text.native()
    rows = [tokenizer.context(i["turns"]) for i in items[::15]] + [tokenizer.ad(a) for c in cats.values() for a in c[::15]]
    smooth = base.smoothing(M.encoder["layer"], lambda: M.vectors(rows), 0.5) if o.weights == "int8" else {}
    os.makedirs(o.out + "/onnx", exist_ok=True)
    write(M, o.out + "/onnx/model_quantized.onnx", smooth, dict(np.load(o.topics)), o.weights == "int8", o.largest)
    if not os.path.samefile(o.tokenizer, o.out):
        shutil.copy(o.tokenizer + "/tokenizer.json", o.out)
    print(os.path.getsize(o.out + "/onnx/model_quantized.onnx") / 1e6, "MB")
