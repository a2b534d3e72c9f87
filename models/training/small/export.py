"""Puts trained vectors and signals into adjacent-small's graph.

    python export.py --vectors RUN --share .9 --signals RUN --out ../../adjacent-small/onnx/model_quantized.onnx

The share is how far the weights of the vectors go from the released ones to the run's. Weights up to ±90 of 127: processors without VNNI add pairs
of products in 16 bits (EXPERIMENTS). decision.json and gate.json name the fingerprint of the encoder that they were fitted to.
"""

import argparse
import torch
import measure, network

if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--vectors"), ap.add_argument("--share", type=float, default=0.9), ap.add_argument("--signals"), ap.add_argument("--out")
    ap.add_argument("--largest", type=int, default=90)
    o = ap.parse_args()
    net = measure.between(o.vectors, o.share) if o.vectors else network.load(measure.MODEL)
    if o.signals:
        heard = torch.load(o.signals + "/state.pt", weights_only=False, map_location="cpu")["model"]
        net.load_state_dict({**net.state_dict(), **{k: v for k, v in heard.items() if k.startswith(("heard", "look", "say"))}})
    network.write(net, measure.MODEL, o.out, o.largest)
