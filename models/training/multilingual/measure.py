"""hit@1 and AUROC of the bare similarity on test/eval/languages.

    python measure.py --run RUN --tokenizer START --sets ../../../test/eval/languages [--split dev]
"""

import argparse
import numpy as np, torch
import network, text
from text import data
import evals

if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--run"), ap.add_argument("--tokenizer"), ap.add_argument("--sets")
    ap.add_argument("--english", default=data.EVAL + "/everyday"), ap.add_argument("--split", default="dev")
    ap.add_argument("--languages", default=",".join(text.LANGUAGES))
    o = ap.parse_args()
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")
    M, tokenizer = network.load(o.run).to(torch.get_default_device()).eval(), text.TextTokenizer(o.tokenizer)
    english = [data.ad(r) for r in data.read(f"{o.english}/creatives.jsonl")]
    at_home = M.vectors([tokenizer.ad(a) for a in english]).cpu().numpy()
    figures = []
    for lang in o.languages.split(","):
        ads, items = data.load_set(f"{o.sets}/{lang}", lang, f"contexts.{o.split}.jsonl")
        Q = M.vectors([tokenizer.context(i["turns"]) for i in items]).cpu().numpy()
        A = M.vectors([tokenizer.ad(a) for a in ads]).cpu().numpy()
        _, foreign = data.load_set(f"{o.sets}/{lang}", lang, f"contexts.{o.split}.jsonl")
        places = {a["id"]: i for i, a in enumerate(english)}
        for i in foreign:
            i["rel"] = [places[ads[k]["id"]] for k in i["rel"] if ads[k]["id"] in places]
        a, b = evals.ranking(items, Q @ A.T), evals.ranking(foreign, Q @ at_home.T)
        figures.append((a["hit1"], a["auroc"], b["hit1"], b["auroc"]))
        print(lang, " ".join("%.3f" % v for v in figures[-1]), flush=True)
    print("mean", " ".join("%.3f" % v for v in np.mean(figures, 0)), "least", " ".join("%.3f" % v for v in np.min(figures, 0)))
