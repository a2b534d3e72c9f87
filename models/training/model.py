"""The trunk with its three tasks: vectors for search, a judge that reads an ad in the light of a conversation, signals of the conversation alone."""

import os, sys
import torch, torch.nn.functional as F
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mpnet
from mpnet import Pack

FROZEN, JOIN = (
    4,
    8,
)  # layers below FROZEN stay as they are; from JOIN on, a judged ad reads the conversation
SIGNALS = ("distress", "need")
D = 768


class Model(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.mode = nn.Parameter(torch.zeros(D))  # added to an ad's states when it is judged
        self.judge = nn.Sequential(
            nn.Linear(3 * D, 384), nn.GELU(), nn.Linear(384, 3)
        )  # wrong, acceptable, right
        self.slope = nn.Parameter(
            torch.tensor([0.0, 6.0, 12.0])
        )  # what the vectors' similarity says already
        self.offset = nn.Parameter(torch.tensor([0.0, -4.0, -7.0]))
        self.mix = nn.Parameter(torch.zeros(len(SIGNALS), 4))
        self.look = nn.Parameter(torch.randn(len(SIGNALS), D) * 0.02)
        self.say = nn.ModuleList(
            nn.Sequential(nn.Linear(D, 256), nn.GELU(), nn.Linear(256, 1)) for _ in SIGNALS
        )
        self.floor = nn.Parameter(torch.tensor(0.38))

    def lower(self, rows):
        """States after the frozen layers, packed, with their packing."""
        pack = Pack([len(r) for r in rows])
        with torch.no_grad():
            x = self.net.embed(torch.tensor([i for r in rows for i in r]), pack)
            x, _ = self.net.run(x, pack, 0, FROZEN)
        return x, pack

    def contexts(self, rows, drop=0.0):
        """vectors n × d; signals n × s; memory: per joined layer the keys and values of every conversation, padded."""
        x, pack = self.lower(rows)
        bias, memory, states = self.net.bias(pack), [], []
        for i, layer in enumerate(self.net.encoder["layer"][FROZEN:], FROZEN):
            if i >= JOIN:
                a = layer.attention["attn"]
                memory.append((pack.pad(a["k"](x)), pack.pad(a["v"](x))))
            if i in (8, 9, 10):
                states.append(x)
            x = layer(x, pack, bias, drop=drop)
        states.append(x)
        return F.normalize(pack.mean(x), dim=-1), self.signals(states, pack), (memory, pack)

    def signals(self, states, pack):
        out = []
        for s in range(len(SIGNALS)):
            w = self.mix[s].softmax(0)
            h = sum(w[k] * F.layer_norm(x, (D,)) for k, x in enumerate(states))
            score = (
                pack.pad((h @ self.look[s])[:, None])[..., 0]
                .masked_fill(~pack.mask, -1e4)
                .softmax(-1)
            )
            pooled = torch.zeros(pack.b, D).index_add(0, pack.owner, h * score[pack.mask][:, None])
            out.append(self.say[s](pooled)[:, 0])
        return torch.stack(out, 1)

    def middle(self, x, pack, drop=0.0):
        """An ad's own states up to where it may meet a conversation."""
        return self.net.run(x, pack, FROZEN, JOIN, drop=drop)[0]

    def ad_vectors(self, x, pack, drop=0.0):
        """From the states of `middle`."""
        return F.normalize(pack.mean(self.net.run(x, pack, JOIN, None, drop=drop)[0]), dim=-1)

    def judged(self, x, pack, of, memory, Q, similarity, drop=0.0):
        """Logits (wrong, acceptable, right) of pairs: ads' `middle` states packed, `of` the conversation of each, its vectors Q, the pairs' similarity."""
        kv, cpack = memory
        x = x + self.mode
        own = self.net.bias(pack)
        p, j = torch.arange(pack.n), torch.arange(cpack.n)
        lens = cpack.lengths[of]
        rel = j[None, None] - (
            lens[:, None, None] + p[None, :, None]
        )  # pair × ad token × context token
        table = self.net.encoder["relative_attention_bias"].weight
        mb = (
            table[mpnet.bucket(rel)].permute(0, 3, 1, 2)
            + (~cpack.mask[of])[:, None, None].to(table.dtype) * -1e4
        )
        for i, layer in enumerate(self.net.encoder["layer"][JOIN:]):
            k, v = kv[i]
            x = layer(x, pack, own, memory=(k[of], v[of]), memory_bias=mb, drop=drop)
        first = torch.cat([torch.zeros(1, dtype=torch.long), pack.lengths.cumsum(0)[:-1]])
        mean = pack.mean(x)
        both = F.normalize(mean, dim=-1) * Q[of] * D**0.5
        return (
            self.judge(torch.cat([x[first], mean, both], -1))
            + self.slope * similarity[:, None]
            + self.offset
        )


def log_odds(z):
    """Log odds that the ad is right."""
    return z[:, 2] - torch.logsumexp(z[:, :2], -1)


def repack(rows):
    """rows: tensors len × d -> packed, pack."""
    return torch.cat(rows), Pack([len(r) for r in rows])


def store(m, folder):
    """FOLDER/model.safetensors (the trunk) and heads.safetensors (all else), as mpnet.load and export.load read them."""
    from safetensors.torch import save_file

    os.makedirs(folder, exist_ok=True)
    state = {k: v.detach().cpu().contiguous() for k, v in m.state_dict().items()}
    save_file({k.removeprefix("net."): v for k, v in state.items() if k.startswith("net.")}, folder + "/model.safetensors")
    save_file({k: v for k, v in state.items() if not k.startswith("net.")}, folder + "/heads.safetensors")


def freeze(m):
    for part in (
        m.net.embeddings,
        m.net.encoder["relative_attention_bias"],
        *m.net.encoder["layer"][:FROZEN],
    ):
        for p in part.parameters():
            p.requires_grad_(False)
