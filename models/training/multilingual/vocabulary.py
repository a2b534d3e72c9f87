"""Cuts multilingual-e5-small to the tokens that the promised languages need.

    python vocabulary.py --init E5 --out START [--size 135000]

E5 is the Hugging Face folder (pytorch_model.bin, tokenizer.json). Kept: marks, every token that the training text of the
promised languages uses, then the most frequent ones of their scripts. A word whose token goes is read in smaller pieces.
"""

import argparse, json, os, unicodedata
import torch
from tokenizers import Tokenizer
import network, text

SCRIPTS = {"LATIN", "CJK", "ARABIC", "DEVANAGARI", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", None}


def script(piece):
    letters = [unicodedata.name(c, "?").split()[0] for c in piece if c.isalpha()]
    return max(set(letters), key=letters.count) if letters else None


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--init"), ap.add_argument("--out"), ap.add_argument("--size", type=int, default=135000)
    o = ap.parse_args()
    whole = json.load(open(f"{o.init}/tokenizer.json", encoding="utf-8"))
    vocab, tok = whole["model"]["vocab"], Tokenizer.from_file(f"{o.init}/tokenizer.json")
    used, rows = set(range(4)), text.everything()
    for at in range(0, len(rows), 1000):
        for e in tok.encode_batch(rows[at : at + 1000], add_special_tokens=False):
            used.update(e.ids)
    # The pieces of a unigram vocabulary stand in the order of their frequency.
    wanted = [i for i, (p, _) in enumerate(vocab) if i not in used and (script(p) in SCRIPTS or len(p) == 1 and i < 20000)]
    kept = sorted(used | set(wanted[: o.size - len(used)]))
    whole["model"]["vocab"] = [vocab[i] for i in kept]
    marks = [["<s>", 0], ["</s>", 2]]
    whole["added_tokens"] = [
        {"id": i, "content": vocab[i][0], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for i in range(4)
    ]
    whole["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {m: {"id": m, "ids": [i], "tokens": [m]} for m, i in marks},
    }
    os.makedirs(o.out, exist_ok=True)
    json.dump(whole, open(f"{o.out}/tokenizer.json", "w", encoding="utf-8"), ensure_ascii=False, separators=(",", ":"))
    w = torch.load(f"{o.init}/pytorch_model.bin", map_location="cpu", weights_only=True)
    w = {k.removeprefix("bert."): v.float() for k, v in w.items() if "pooler" not in k and "position_ids" not in k}
    w = {k.replace("attention.self.query", "attention.attn.q").replace("attention.self.key", "attention.attn.k")
         .replace("attention.self.value", "attention.attn.v").replace("attention.output.dense", "attention.attn.o")
         .replace("attention.output.LayerNorm", "attention.LayerNorm"): v for k, v in w.items()}
    w["embeddings.word_embeddings.weight"] = w["embeddings.word_embeddings.weight"][kept]
    m = network.Network(len(kept))
    missing, extra = m.load_state_dict(w, strict=False)
    assert not extra, extra
    print(len(used), "used,", len(kept), "kept; new:", missing)
    network.save(m, o.out)
