"""Reads constants out of a released graph, as export.py wrote them."""

import numpy as np, onnx, torch
from onnx import numpy_helper as nh


class Graph:
    def __init__(self, path):
        graph = onnx.load(path).graph
        self.nodes = list(graph.node)
        self.const = {i.name: nh.to_array(i) for i in graph.initializer}
        self.made = {o: n for n in self.nodes for o in n.output}
        self.used = {}
        for n in self.nodes:
            for i in n.input:
                self.used.setdefault(i, []).append(n)

    def of(self, kind):
        return [n for n in self.nodes if n.op_type == kind]

    def after(self, node):
        (n,) = self.used[node.output[0]]
        return n

    def own(self, node):
        """The constant that a node with one of them reads."""
        (c,) = [self.const[i] for i in node.input if i in self.const]
        return c

    def evened(self, node):
        """By what the inputs of a MatMulInteger were multiplied before they were rounded; None where they were not."""
        back = node.input[0]
        for _ in range(4):  # Cast, Add, Round, Div
            back = self.made[back].input[0]
        mul = self.made.get(back)
        return self.own(mul) if mul is not None and mul.op_type == "Mul" and any(i in self.const for i in mul.input) else None

    def linear(self, node):
        """Weight (out × in) and bias of a MatMulInteger and what follows it."""
        scaled = self.after(self.after(self.after(node)))
        w = self.const[node.input[1]].astype(np.float32) * self.own(scaled)
        even = self.evened(node)
        if even is not None:
            w = w * even[:, None]  # x / s before, W * s
        return torch.tensor(w.T.copy()), torch.tensor(self.own(self.after(scaled)))

    def matrices(self, fits):
        """MatMul nodes whose second input is a constant with columns that fit."""
        return [n for n in self.of("MatMul") if n.input[1] in self.const and fits(self.const[n.input[1]].shape[1])]

    def weights(self, gemm):
        """Names of weight and bias of a Gemm, whose weight may be stored as half floats."""
        weight, bias = gemm.input[1:]
        return weight if weight in self.const else self.made[weight].input[0], bias


def heads_of(g):
    """Of the upper graph, or the multilingual one, by parameter of the model: names of constants. `mix` has one for each signal and layer, in order, after
    softmax; `look` one for each signal; `topics` weight and bias of the topics. Only the upper graph has a judge."""
    signals = g.matrices(lambda columns: columns == 1)
    (topics,) = g.matrices(lambda columns: columns > 1)
    plain = {n.output[0] for n in g.of("LayerNormalization") if len(n.input) == 2}
    gemms = g.of("Gemm")
    out = {
        "mix": [n.input[1] for n in g.of("Mul") if n.input[0] in plain],
        "look": [n.input[1] for n in signals],
        "topics": [topics.input[1], next(i for i in g.after(topics).input if i in g.const)],
    }
    linears = ["judge"] * (len(gemms) > 2 * len(signals)) + [f"say.{k}" for k in range(len(signals))]
    for name, first, second in zip(linears, gemms[::2], gemms[1::2], strict=True):
        out[name + ".0"], out[name + ".2"] = g.weights(first), g.weights(second)
    return out
