"""MPNet in plain torch with the parameter names of Hugging Face's MPNetModel, over packed (unpadded) sequences.

Linear layers run over all tokens of a batch end to end; only attention is padded. A sequence may also attend to the states of
another one at the same layer (`memory`): so an ad is read in the light of a conversation, whose own states stay as they are.
"""

import math
import torch
from torch import nn
import torch.nn.functional as F

HEADS, BUCKETS = 12, 32


def bucket(relative):
    """T5's bidirectional buckets: relative = key position - query position."""
    n = -relative
    half = BUCKETS // 2
    out = (n < 0).long() * half
    n = n.abs()
    exact = half // 2
    far = (
        exact
        + (
            torch.log(n.float().clamp(min=1) / exact) / math.log(128 / exact) * (half - exact)
        ).long()
    )
    return out + torch.where(n < exact, n, far.clamp(max=half - 1))


class Layer(nn.Module):
    def __init__(self, d, ff):
        super().__init__()
        self.attention = nn.ModuleDict(
            {
                "attn": nn.ModuleDict({k: nn.Linear(d, d) for k in "qkvo"}),
                "LayerNorm": nn.LayerNorm(d, eps=1e-5),
            }
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(d, ff)})
        self.output = nn.ModuleDict(
            {"dense": nn.Linear(ff, d), "LayerNorm": nn.LayerNorm(d, eps=1e-5)}
        )

    def forward(self, x, pack, bias, memory=None, memory_bias=None, drop=0.0):
        """x: T × d, packed. memory: keys and values, B × M × d each, that every sequence may attend to besides its own, with their bias B × h × n × M."""
        a = self.attention["attn"]
        q, k, v = pack.pad(a["q"](x)), pack.pad(a["k"](x)), pack.pad(a["v"](x))  # B × n × d
        b, n, d = q.shape
        split = lambda t: t.view(b, -1, HEADS, d // HEADS).transpose(1, 2)
        if memory is not None:
            mk, mv = memory
            k, v = torch.cat([mk, k], 1), torch.cat([mv, v], 1)
            bias = torch.cat([memory_bias, bias], -1)
        y = F.scaled_dot_product_attention(
            split(q), split(k), split(v), attn_mask=bias, dropout_p=drop if self.training else 0.0
        )
        y = a["o"](pack.unpad(y.transpose(1, 2).reshape(b, n, d)))
        x = self.attention["LayerNorm"](x + F.dropout(y, drop, self.training))
        y = self.output["dense"](F.gelu(self.intermediate["dense"](x)))
        return self.output["LayerNorm"](x + F.dropout(y, drop, self.training))


class Pack:
    """Sequences of ids end to end, and the way to a padded batch and back."""

    def __init__(self, lengths):
        self.sizes = list(lengths)
        self.n, self.b = max(self.sizes), len(self.sizes)
        # Made on the processor, so that a GPU need not be waited for.
        lengths = torch.tensor(self.sizes, device="cpu")
        row = torch.arange(self.n, device="cpu")[None].expand(self.b, -1)
        mask = row < lengths[:, None]
        owner = torch.arange(self.b, device="cpu")[:, None].expand(-1, self.n)
        here = lambda t: t.to(torch.get_default_device(), non_blocking=True)
        self.lengths, self.mask, self.at = here(lengths), here(mask), here(mask.flatten().nonzero()[:, 0])
        self.positions, self.owner = here(row[mask]), here(owner[mask])

    def pad(self, x):
        return (
            x.new_zeros(self.b * self.n, x.shape[-1])
            .index_copy(0, self.at, x)
            .view(self.b, self.n, -1)
        )

    def unpad(self, x):
        return x.reshape(self.b * self.n, -1).index_select(0, self.at)

    def mean(self, x):
        s = x.new_zeros(self.b, x.shape[-1]).index_add(0, self.owner, x)
        return s / self.lengths[:, None]


def batches(order, rows, tokens=6144):
    """`order` (numbers of rows, by length) in parts of at most so many tokens."""
    out, used = [[]], 0
    for i in order:
        if out[-1] and used + len(rows[i]) > tokens:
            out.append([])
            used = 0
        out[-1].append(i)
        used += len(rows[i])
    return out


class MPNet(nn.Module):
    def __init__(self, layers=12, d=768, ff=3072, vocab=30527):
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(vocab, d, padding_idx=1),
                "position_embeddings": nn.Embedding(514, d, padding_idx=1),
                "LayerNorm": nn.LayerNorm(d, eps=1e-5),
            }
        )
        self.encoder = nn.ModuleDict(
            {
                "layer": nn.ModuleList(Layer(d, ff) for _ in range(layers)),
                "relative_attention_bias": nn.Embedding(BUCKETS, HEADS),
            }
        )

    def embed(self, ids, pack):
        e = self.embeddings
        return e["LayerNorm"](
            e["word_embeddings"](ids) + e["position_embeddings"](pack.positions + 2)
        )

    def bias(self, pack):
        p = torch.arange(pack.n)
        b = self.encoder["relative_attention_bias"](bucket(p[None] - p[:, None])).permute(2, 0, 1)[
            None
        ]
        return b + (~pack.mask[:, None, None]).to(b.dtype) * -1e4

    def run(self, x, pack, first=0, last=None, keep=(), drop=0.0):
        """Layers first … last-1; returns the states and, of the layers in keep, the states that go into them."""
        bias, kept = self.bias(pack), {}
        for i, layer in enumerate(self.encoder["layer"][first:last], first):
            if i in keep:
                kept[i] = x
            x = layer(x, pack, bias, drop=drop)
        return x, kept

    def forward(self, rows, drop=0.0):
        pack = Pack([len(r) for r in rows])
        x, _ = self.run(
            self.embed(torch.tensor([i for r in rows for i in r]), pack), pack, drop=drop
        )
        return F.normalize(pack.mean(x), dim=-1)


def load(folder, layers=12):
    from safetensors.torch import load_file

    m = MPNet(layers)
    w = load_file(folder + "/model.safetensors")
    w = {k.removeprefix("mpnet."): v.float() for k, v in w.items()}
    missing, extra = m.load_state_dict(w, strict=False)
    extra = [
        k
        for k in extra
        if "pooler" not in k and "position_ids" not in k and not k.startswith("encoder.layer.")
    ]
    assert not missing and not extra, (missing, extra)
    return m
