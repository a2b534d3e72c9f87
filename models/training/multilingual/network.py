"""multilingual-e5-small's trunk (BERT, 12 layers x 384) in plain torch over packed sequences, with heads for signals.

Embeddings and the layers below FROZEN stay as they are: what keeps the languages together lies there, and their states
can be kept between steps.
"""

import os, sys
import torch, torch.nn.functional as F
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from mpnet import HEADS, Layer, Pack

D, FF, LAYERS, FROZEN, EPS = 384, 1536, 12, 6, 1e-12
# States that the signals read: those that enter these layers, and the last ones.
HEARD = (6, 8, 10)
SIGNALS = ("distress", "need")


class Network(nn.Module):
    def __init__(self, vocab, positions=512):
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(vocab, D),
                "position_embeddings": nn.Embedding(positions, D),
                "token_type_embeddings": nn.Embedding(2, D),
                "LayerNorm": nn.LayerNorm(D, eps=EPS),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(D, FF) for _ in range(LAYERS))})
        for layer in self.encoder["layer"]:
            layer.attention["LayerNorm"].eps = layer.output["LayerNorm"].eps = EPS
        self.none = nn.Parameter(torch.tensor(0.4))  # the similarity of no ad at all
        self.mix = nn.Parameter(torch.zeros(len(SIGNALS), len(HEARD) + 1))
        self.look = nn.Parameter(torch.randn(len(SIGNALS), D) * 0.02)
        self.say = nn.ModuleList(
            nn.Sequential(nn.Linear(D, 192), nn.GELU(), nn.Linear(192, 1)) for _ in SIGNALS
        )
        for part in (self.embeddings, *self.encoder["layer"][:FROZEN]):
            for p in part.parameters():
                p.requires_grad_(False)

    def bias(self, pack):
        return (~pack.mask[:, None, None]).float() * -1e4

    @torch.no_grad()
    def lower(self, rows, memory=None):
        """States after the frozen layers, packed. memory: {row: half floats}, filled as rows come."""
        rows = [tuple(r) for r in rows]
        new = sorted({r for r in rows if memory is None or r not in memory}, key=len)
        found = {} if memory is None else memory
        for at in range(0, len(new), 32):
            part = new[at : at + 32]
            pack, e = Pack([len(r) for r in part]), self.embeddings
            ids = torch.tensor([i for r in part for i in r])
            x = e["word_embeddings"](ids) + e["position_embeddings"](pack.positions)
            x = e["LayerNorm"](x + e["token_type_embeddings"].weight[0])
            bias = self.bias(pack)
            for layer in self.encoder["layer"][:FROZEN]:
                x = layer(x, pack, bias)
            for r, s in zip(part, x.half().split(pack.lengths.tolist())):
                found[r] = s.clone()
        return torch.cat([found[r].float() for r in rows]), Pack([len(r) for r in rows])

    def upper(self, x, pack, drop=0.0):
        """The vectors, and the states that the signals read."""
        bias, heard = self.bias(pack), []
        for i, layer in enumerate(self.encoder["layer"][FROZEN:], FROZEN):
            if i in HEARD:
                heard.append(x)
            x = layer(x, pack, bias, drop=drop)
        return F.normalize(pack.mean(x), dim=-1), heard + [x]

    def signals(self, states, pack):
        out = []
        for s in range(len(SIGNALS)):
            w = self.mix[s].softmax(0)
            h = sum(w[k] * F.layer_norm(x, (D,)) for k, x in enumerate(states))
            score = pack.pad((h @ self.look[s])[:, None])[..., 0]
            score = score.masked_fill(~pack.mask, -1e4).softmax(-1)
            pooled = torch.zeros(pack.b, D).index_add(0, pack.owner, h * score[pack.mask][:, None])
            out.append(self.say[s](pooled)[:, 0])
        return torch.stack(out, 1)

    @torch.no_grad()
    def vectors(self, rows, memory=None):
        order, out = sorted(range(len(rows)), key=lambda i: len(rows[i])), [None] * len(rows)
        for at in range(0, len(order), 32):
            part = order[at : at + 32]
            for i, v in zip(part, self.upper(*self.lower([rows[i] for i in part], memory))[0]):
                out[i] = v
        return torch.stack(out)


def load(folder):
    """From FOLDER/model.safetensors: of vocabulary.py, or of an earlier run."""
    from safetensors.torch import load_file

    w = load_file(folder + "/model.safetensors")
    m = Network(w["embeddings.word_embeddings.weight"].shape[0])
    missing, extra = m.load_state_dict({k: v.float() for k, v in w.items()}, strict=False)
    assert not extra and all(k.startswith(("none", "mix", "look", "say")) for k in missing), (missing, extra)
    return m


def save(m, folder):
    from safetensors.torch import save_file

    os.makedirs(folder, exist_ok=True)
    state = {k: (v.half() if "embeddings" in k else v).contiguous() for k, v in m.state_dict().items()}
    save_file(state, folder + "/model.safetensors.part")
    os.replace(folder + "/model.safetensors.part", folder + "/model.safetensors")
