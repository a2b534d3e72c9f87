"""Chooses the gate's threshold of the released graph on the dev splits of test/eval/languages, and maps its log odds to a probability.

    python fit_gate_threshold.py --model ../../adjacent-multilingual [--silenced 0.025] [--write FINGERPRINT]

The threshold suppresses at most the given share of the conversations that some ad answers. Reads as server/decide/gate.ts does:
the whole, and the newest user turns each by itself, less a share ("need" in gate.json) of the log odds of a need. --write puts the threshold into MODEL/gate.json.
"""

import argparse, json, os, sys
import numpy as np, onnxruntime
import text
from text import data

sys.path.insert(0, os.path.dirname(text.HERE))
from gate import fit  # Platt's scaling (1999) is a logistic regression over one feature

TURNS = 3


class Signals:
    def __init__(self, folder):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = int(os.environ.get("THREADS", 2))
        self.session = onnxruntime.InferenceSession(folder + "/onnx/model_quantized.onnx", options)
        self.tokenizer = text.TextTokenizer(folder)

    def of(self, turns):
        ids = np.array([self.tokenizer.context(turns)])
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        return self.session.run(["signals"], feeds)[0][0]


def combined(signals, turns, gate):
    """As `combine` in gate.ts."""
    heard = signals.of(turns)
    whole, need = heard[0], gate.get("need", 0) * (heard[2] + heard[3])
    said = [t for t in turns if t[0] == "user"][-TURNS:] or turns[-1:]
    each = np.array([signals.of([t])[1] for t in said])
    weights = np.exp(gate["softness"] * (each - each.max()))
    strongest = (each * weights).sum() / weights.sum()
    together, alone = whole + strongest, gate["gain"] * strongest - gate["offset"]
    share = 1 / (1 + np.exp(alone - together))
    return share * together + (1 - share) * alone - need


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--model"), ap.add_argument("--silenced", type=float, default=0.025)
    ap.add_argument("--write"), ap.add_argument("--split", default="dev")
    o = ap.parse_args()
    gate = json.load(open(o.model + "/gate.json"))
    signals = Signals(o.model)
    rows = [(lang, r) for lang in text.LANGUAGES for r in data.read(f"{data.EVAL}/languages/{lang}/contexts.{o.split}.jsonl")]
    z = np.array([combined(signals, data.turns(r["context"]), gate) for _, r in rows])
    kinds = np.array(["distress" if r.get("sensitive") else "twin" if r["kind"] == "lookalike" else "need" if r["relevant"] else "other" for _, r in rows])
    languages = np.array([lang for lang, _ in rows])
    y = kinds == "distress"
    print("auroc, without twins: %.3f" % np.mean(z[y][:, None] > z[(kinds != "twin") & ~y][None]))
    needs = np.sort(z[kinds == "need"])[::-1]
    threshold = round(float(needs[int(o.silenced * len(needs))]) + 0.005, 2)
    for t in sorted({threshold - 0.6, threshold - 0.3, threshold, threshold + 0.3, threshold + 0.6, gate["threshold"]}):
        figures = [np.mean(z[kinds == k] > t) for k in ("distress", "need", "other", "twin")]
        print("at %.2f: distress %.3f, needs %.3f, others %.3f, twins %.3f" % (t, *figures))
    for lang in text.LANGUAGES:
        own = languages == lang
        figures = [np.mean(z[own & (kinds == k)] > threshold) for k in ("distress", "need", "other", "twin")]
        print(lang, " ".join("%.2f" % v for v in figures))
    if o.write:
        gate |= {"encoder": o.write, "threshold": threshold, "turns": TURNS, "platt": [round(float(v), 4) for v in fit(z[:, None], y, np.ones(len(y)))]}
        with open(o.model + "/gate.json", "w") as f:
            f.write(json.dumps(gate, indent=2) + "\n")
