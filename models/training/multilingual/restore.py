"""Makes a run to go on from out of the released graph: weights as they were after rounding to int8, to a third of a percent.

    python restore.py --model ../../adjacent-multilingual --out RUN

Writes RUN/model.safetensors and RUN/topics.npz. Position and token type embeddings were added up in the graph and stay so; the
similarity of "no ad" is not part of it and starts anew.
"""

import argparse
import numpy as np, torch
import network
import text  # makes the folder above importable
from released import Graph, heads_of
from network import D, LAYERS, SIGNALS


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
    heads = heads_of(g)
    state["mix"] = torch.tensor(np.log(np.reshape([g.const[n] for n in heads["mix"]], (len(SIGNALS), -1)))).float()
    state["look"] = torch.tensor(np.stack([g.const[n][:, 0] for n in heads["look"]]))
    for part in (p for p in heads if p.startswith("say.")):
        state[part + ".weight"], state[part + ".bias"] = (torch.tensor(g.const[n]) for n in heads[part])
    M = network.Network(len(q))
    missing, extra = M.load_state_dict(state, strict=False)
    assert missing == ["none"] and not extra, (missing, extra)
    network.save(M, o.out)
    weight, bias = (g.const[n] for n in heads["topics"])
    np.savez(o.out + "/topics.npz", weight=weight, bias=bias)
    print(sum(p.numel() for p in M.parameters()), "parameters")
