"""The judge: the trunk's upper layers once more, moved by low-rank adapters (LoRA, Hu et al. 2021, arXiv:2106.09685), over an ad that reads a conversation.

Nothing of the trunk changes: vectors and signals stay as they were, and the conversation's keys and values are those of its own pass.
"""

import math
import torch, torch.nn.functional as F
from torch import nn
import mpnet
from mpnet import HEADS, Pack

D, FF, LAYERS = 768, 3072, 12
JOIN = 6  # from this layer on a judged ad reads the conversation
SITES = {"q": (D, D), "k": (D, D), "v": (D, D), "o": (D, D), "mid": (D, FF), "out": (FF, D)}


def site(layer, name):
    """The linear layer of the trunk that an adapter moves."""
    if name in "qkvo":
        return layer.attention["attn"][name]
    return (layer.intermediate if name == "mid" else layer.output)["dense"]


class Judge(nn.Module):
    """Logits that an ad is wrong, acceptable, right."""

    join = JOIN

    def __init__(self, rank=32):
        super().__init__()
        self.rank = rank
        self.mode = nn.Parameter(torch.zeros(D))  # added to an ad's states when it is judged
        self.down = nn.ParameterDict()
        self.up = nn.ParameterDict()
        for i in range(JOIN, LAYERS):
            for name, (a, b) in SITES.items():
                self.down[f"{i}{name}"] = nn.Parameter(torch.randn(rank, a) / math.sqrt(a))
                self.up[f"{i}{name}"] = nn.Parameter(torch.zeros(b, rank))
        self.head = nn.Sequential(nn.Linear(3 * D, 384), nn.GELU(), nn.Linear(384, 3))
        self.slope = nn.Parameter(torch.tensor([0.0, 6.0, 12.0]))  # what the vectors' similarity says already
        self.offset = nn.Parameter(torch.tensor([0.0, -4.0, -7.0]))

    def linear(self, x, layer, i, name):
        full = site(layer, name)
        down, up = self.down[f"{i}{name}"].to(x.dtype), self.up[f"{i}{name}"].to(x.dtype)
        return F.linear(x, full.weight, full.bias) + F.linear(F.linear(x, down), up)

    def forward(self, net, x, pack, of, memory, query, similarity, drop=0.0):
        """net: the frozen trunk; x: ads' states at JOIN, packed by `pack`; of: the conversation of each ad; memory: (keys and values by layer, packing) of the
        conversations; query: their vectors; similarity: of each pair."""
        kv, cpack = memory
        bias = pair_bias(net, pack, cpack, of)
        x = x + self.mode.to(x.dtype)
        b, n = pack.b, pack.n
        split = lambda t: t.view(b, -1, HEADS, D // HEADS).transpose(1, 2)
        drops = lambda y: F.dropout(y, drop, self.training) if drop else y
        for i in range(JOIN, LAYERS):
            layer, (mk, mv) = net.encoder["layer"][i], kv[i - JOIN]
            q, k, v = (pack.pad(self.linear(x, layer, i, name)) for name in "qkv")
            k, v = torch.cat([mk[of], k], 1), torch.cat([mv[of], v], 1)
            w = torch.matmul(split(q) * (D // HEADS) ** -0.5, split(k).transpose(-1, -2)) + bias
            y = torch.matmul(w.softmax(-1), split(v))
            y = self.linear(pack.unpad(y.transpose(1, 2).reshape(b, n, D)), layer, i, "o")
            x = layer.attention["LayerNorm"](x + drops(y))
            y = self.linear(F.gelu(self.linear(x, layer, i, "mid")), layer, i, "out")
            x = layer.output["LayerNorm"](x + drops(y))
        x = x.float()
        first = torch.cat([torch.zeros(1, dtype=torch.long), pack.lengths.cumsum(0)[:-1]])
        mean = pack.mean(x)
        both = F.normalize(mean, dim=-1) * query[of] * D**0.5
        z = self.head(torch.cat([x[first], mean, both], -1))
        return z + self.slope * similarity[:, None] + self.offset


def pair_bias(net, pack, cpack, of):
    """What distance adds to attention where an ad's tokens stand behind the conversation's: pairs × heads × n × (m + n)."""
    table = net.encoder["relative_attention_bias"].weight
    p, j = torch.arange(pack.n), torch.arange(cpack.n)
    ahead = j[None, None] - (cpack.lengths[of][:, None, None] + p[None, :, None])
    left = table[mpnet.bucket(ahead)].permute(0, 3, 1, 2)
    left = left + (~cpack.mask[of])[:, None, None].to(table.dtype) * -1e4
    own = table[mpnet.bucket(p[None] - p[:, None])].permute(2, 0, 1)[None]
    own = own + (~pack.mask[:, None, None]).to(table.dtype) * -1e4
    return torch.cat([left, own.expand(pack.b, -1, -1, -1)], -1)


@torch.no_grad()
def memory_of(net, states):
    """Of conversations' states at JOIN (list of n × d): keys and values that each layer above has of them, padded, and their packing."""
    x, pack = torch.cat(states), Pack([len(s) for s in states])
    bias, kv = net.bias(pack), []
    for layer in net.encoder["layer"][JOIN:]:
        a = layer.attention["attn"]
        kv.append((pack.pad(a["k"](x)), pack.pad(a["v"](x))))
        x = layer(x, pack, bias)
    return kv, pack


def log_odds(z):
    """Log odds that the ad is right."""
    return z[:, 2] - torch.logsumexp(z[:, :2], -1)
