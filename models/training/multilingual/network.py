"""multilingual-e5-small's trunk (12 layers, of which six stay as they are: what keeps the languages together lies there), with heads for signals."""

import os, sys
import torch, torch.nn.functional as F
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from bert import D, Bert

LAYERS, FROZEN = 12, 6
# States that the signals read: those that enter these layers, and the last ones.
HEARD = (6, 8, 10)
SIGNALS = ("distress", "need")


class Network(Bert):
    def __init__(self, vocab):
        super().__init__(vocab, LAYERS, FROZEN)
        self.mix = nn.Parameter(torch.zeros(len(SIGNALS), len(HEARD) + 1))
        self.look = nn.Parameter(torch.randn(len(SIGNALS), D) * 0.02)
        self.say = nn.ModuleList(
            nn.Sequential(nn.Linear(D, 192), nn.GELU(), nn.Linear(192, 1)) for _ in SIGNALS
        )

    def upper(self, x, pack, drop=0.0, keep=HEARD):
        """The vectors, and the states that the signals read."""
        return super().upper(x, pack, drop, keep)

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
