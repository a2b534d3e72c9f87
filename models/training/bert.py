"""The trunk that adjacent-small and adjacent-multilingual share (BERT, 384 dimensions) in plain torch over packed sequences, and how it
reads texts.

Embeddings and the lower layers stay as they are, so that their states can be kept between steps.
"""

import torch, torch.nn.functional as F
from torch import nn
from mpnet import Layer, Pack

D, FF, EPS = 384, 1536, 1e-12
CONTEXT, AD = 110, 56


def layer_of():
    layer = Layer(D, FF)
    layer.attention["LayerNorm"].eps = layer.output["LayerNorm"].eps = EPS
    return layer


class Bert(nn.Module):
    def __init__(self, vocab, layers, frozen, positions=512):
        super().__init__()
        self.frozen = frozen
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(vocab, D),
                "position_embeddings": nn.Embedding(positions, D),
                "token_type_embeddings": nn.Embedding(2, D),
                "LayerNorm": nn.LayerNorm(D, eps=EPS),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(layer_of() for _ in range(layers))})
        self.none = nn.Parameter(torch.tensor(0.4))  # the similarity of no ad at all
        for part in (self.embeddings, *self.encoder["layer"][:frozen]):
            for p in part.parameters():
                p.requires_grad_(False)

    def bias(self, pack):
        return (~pack.mask[:, None, None]).float() * -1e4

    @torch.no_grad()
    def lower(self, rows, memory=None):
        """States after the frozen layers, packed. memory: {row: half floats}, filled as rows come."""
        rows = [tuple(r) for r in rows]
        found = {} if memory is None else memory
        new = sorted({r for r in rows if r not in found}, key=len)
        for at in range(0, len(new), 32):
            part = new[at : at + 32]
            pack, e = Pack([len(r) for r in part]), self.embeddings
            ids = torch.tensor([i for r in part for i in r])
            x = e["word_embeddings"](ids) + e["position_embeddings"](pack.positions)
            x = e["LayerNorm"](x + e["token_type_embeddings"].weight[0])
            bias = self.bias(pack)
            for layer in self.encoder["layer"][: self.frozen]:
                x = layer(x, pack, bias)
            for r, s in zip(part, x.half().split(pack.lengths.tolist())):
                found[r] = s.clone()
        return torch.cat([found[r].float() for r in rows]), Pack([len(r) for r in rows])

    def upper(self, x, pack, drop=0.0, keep=()):
        """Unit vectors; the states that enter the layers in keep, and the last ones."""
        bias, kept = self.bias(pack), []
        for i, layer in enumerate(self.encoder["layer"][self.frozen :], self.frozen):
            if i in keep:
                kept.append(x)
            x = layer(x, pack, bias, drop=drop)
        return F.normalize(pack.mean(x), dim=-1), kept + [x]

    @torch.no_grad()
    def vectors(self, rows, memory=None):
        order, out = sorted(range(len(rows)), key=lambda i: len(rows[i])), [None] * len(rows)
        for at in range(0, len(order), 32):
            part = order[at : at + 32]
            for i, v in zip(part, self.upper(*self.lower([rows[i] for i in part], memory))[0]):
                out[i] = v
        return torch.stack(out)


def message(a):
    """An ad as it is read: its categories are read apart."""
    return f"{a['name']}. {a['text']}" if a["text"] else a["name"]


def whole(ts):
    return "\n".join(("User: " if s == "user" else "Assistant: ") + t for s, t in ts)


class TextTokenizer:
    """Token ids with marks, as models/encoder/transformer.ts reads: a context's newest tokens, an ad's first."""

    def __init__(self, folder, marks=(0, 2)):
        from tokenizers import Tokenizer

        self.tok, self.marks = Tokenizer.from_file(folder + "/tokenizer.json"), marks
        self.tok.no_padding(), self.tok.no_truncation()

    def ids(self, text):
        return self.tok.encode(text, add_special_tokens=False).ids

    def marked(self, ids):
        return (self.marks[0], *ids, self.marks[1])

    def newest(self, text):
        return self.marked(self.ids(text[-CONTEXT * 8 :])[-CONTEXT:])

    def context(self, ts):
        return self.newest(whole(ts))

    def ad(self, a):
        return self.marked(self.ids(message(a)[: AD * 8])[:AD])

    def plain(self, s):
        return self.marked(self.ids(s)[:AD])
