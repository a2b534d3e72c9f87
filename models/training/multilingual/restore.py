"""Makes a run to go on from out of the released graph: weights as they were after rounding to int8, to a third of a percent.

    python restore.py --model ../../adjacent-multilingual --out RUN

Writes RUN/model.safetensors and RUN/topics.npz. Position and token type embeddings were added up in the graph and stay so; the
similarity of "no ad" is not part of it and starts anew.
"""

import argparse
import numpy as np, torch
import network
import text  # makes the folder above importable
from released import Graph
from network import D, HEARD, LAYERS, SIGNALS


def unpacked(q, s):
    values = np.concatenate([q & 15, q >> 4], 1).astype(np.float32) - 8
    return (values.reshape(len(q), D // 32, 32) * s.astype(np.float32).reshape(len(q), D // 32, 1)).reshape(-1, D)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--model"), ap.add_argument("--out")
    o = ap.parse_args()
    g = Graph(o.model + "/onnx/model_quantized.onnx")
    q, s = [g.const[n.input[0]] for n in g.of("Gather") if n.input[0] in g.const and n.input[1] == "input_ids"]
    state = {"embeddings.word_embeddings.weight": torch.tensor(unpacked(q, s))}
    places = g.const[g.of("Slice")[0].input[0]]
    state["embeddings.position_embeddings.weight"] = torch.tensor(places)
    state["embeddings.token_type_embeddings.weight"] = torch.zeros(2, D)
    norms = [n for n in g.of("LayerNormalization") if len(n.input) == 3]
    names = ["embeddings.LayerNorm"]
    linears = []
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}."
        names += [layer + "attention.LayerNorm", layer + "output.LayerNorm"]
        linears += [f"{layer}attention.attn.{k}" for k in "qkvo"] + [layer + "intermediate.dense", layer + "output.dense"]
    for name, n in zip(names, norms, strict=True):
        state[name + ".weight"], state[name + ".bias"] = (torch.tensor(g.const[i]) for i in n.input[1:])
    for name, n in zip(linears, g.of("MatMulInteger"), strict=True):
        state[name + ".weight"], state[name + ".bias"] = g.linear(n)
    gemms = g.of("Gemm")
    mixed = [g.own(n).item() for n in g.of("Mul") if any(i in g.const and g.const[i].shape == () for i in n.input)]
    mixed = mixed[-len(SIGNALS) * (len(HEARD) + 1) - len(SIGNALS) :]  # after each signal's: its half
    looks = [n for n in g.of("MatMul") if n.input[1] in g.const and g.const[n.input[1]].shape == (D, 1)]
    one = len(HEARD) + 1
    state["mix"] = torch.tensor(np.log(np.reshape(mixed, (len(SIGNALS), one + 1))[:, :one])).float()
    state["look"] = torch.tensor(np.stack([g.const[n.input[1]][:, 0] for n in looks]))
    for k in range(len(SIGNALS)):
        for at, n in ((0, gemms[2 * k]), (2, gemms[2 * k + 1])):
            state[f"say.{k}.{at}.weight"] = torch.tensor(g.const[n.input[1]])
            state[f"say.{k}.{at}.bias"] = torch.tensor(g.const[n.input[2]])
    (topic,) = [n for n in g.of("MatMul") if n.input[1] in g.const and g.const[n.input[1]].shape[0] == D and g.const[n.input[1]].shape[1] > 1]
    M = network.Network(len(q))
    missing, extra = M.load_state_dict(state, strict=False)
    assert missing == ["none"] and not extra, (missing, extra)
    network.save(M, o.out)
    np.savez(o.out + "/topics.npz", weight=g.const[topic.input[1]], bias=g.own(g.after(topic)))
    print(sum(p.numel() for p in M.parameters()), "parameters")
