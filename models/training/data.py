"""Reads all text into one shape: catalogues of ads, and conversations labelled against them.

A conversation: {"writer", "cat", "kind", "turns": [(speaker, text)], "rel", "acc": ad numbers of its catalogue, "sensitive": bool or None}.
"""

import glob, json, os, re
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = os.path.join(HERE, "text")
EVAL = os.path.join(HERE, "..", "..", "test", "eval")
USER = "user human customer client visitor guest caller me q".split()
BOT = "assistant ai bot agent model chatbot gpt chatgpt claude support operator you a".split()
MARK = re.compile(
    r"^[ \t>*#_\[(<-]*("
    + "|".join(sorted(USER + BOT, key=len, reverse=True))
    + r")[ \t]*(?:[*_]*[:\]\)>][*_:]*)[ \t]*",
    re.I | re.M,
)


def read(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def turns(text):
    """[(speaker, text)], oldest first; text without marks is one turn of the person's."""
    at = list(MARK.finditer(text))
    if not at:
        return [("user", text.strip())]
    out = [("user", text[: at[0].start()])]
    for i, m in enumerate(at):
        end = at[i + 1].start() if i + 1 < len(at) else len(text)
        out.append(("user" if m.group(1).lower() in USER else "assistant", text[m.end() : end]))
    return [(s, t.strip()) for s, t in out if t.strip()] or [("user", text.strip())]


def ad(row):
    cats = row.get("categories") or []
    return {
        "id": row["id"],
        "name": row["name"].strip(),
        "text": (row.get("text") or "").strip(),
        "categories": cats,
        "advertiser": row.get("advertiser"),
    }


def ad_text(a, categories=True):
    t = f"{a['name']}. {a['text']}" if a["text"] else a["name"]
    return t + (" [" + ", ".join(a["categories"]) + "]" if categories and a["categories"] else "")


def labelled(writer, cat, ads, rows):
    at = {a["id"]: i for i, a in enumerate(ads)}
    return [
        {
            "writer": writer,
            "cat": cat,
            "kind": r.get("kind", ""),
            "turns": turns(r["context"]),
            "raw": r["context"],
            "id": r.get("id", ""),
            "rel": [at[i] for i in r["relevant"] if i in at],
            "acc": [
                at[i] for i in r.get("acceptable", []) + r.get("judgedIrrelevant", []) if i in at
            ],
            "sensitive": r.get("sensitive"),
            "borderline": r.get("borderline", False),
        }
        for r in rows
    ]


def compact(path):
    """Rows of the writers' format: head lines `#kind | relevant | acceptable`, text below."""
    out, head, text = [], None, []
    for line in open(path, encoding="utf-8").read().split("\n") + ["#end"]:
        if line.startswith("#"):
            if head is not None:
                out.append(
                    {
                        "kind": head[0],
                        "relevant": head[1],
                        "acceptable": head[2],
                        "context": "\n".join(text).strip(),
                        "sensitive": head[0].startswith("distress"),
                    }
                )
            p = [x.strip() for x in line[1:].split("|")]
            head, text = (
                p[0],
                p[1].split() if len(p) > 1 else [],
                p[2].split() if len(p) > 2 else [],
            ), []
        else:
            text.append(line)
    return out


def compact_catalogue(path):
    out = []
    for line in open(path, encoding="utf-8"):
        if line.strip():
            i, adv, cats, name, text = [x.strip() for x in line.rstrip("\n").split(" | ", 4)]
            out.append(
                {
                    "id": i,
                    "advertiser": adv,
                    "categories": cats.split("/"),
                    "name": name,
                    "text": text,
                }
            )
    return out


ALIAS = {"out-of-inventory": "oov", "lookalike": "twin"}


def load():
    """catalogues: {name: [ad]}; conversations by whole catalogues."""
    cats, items = {}, []
    for p in sorted(glob.glob(f"{TEXT}/catalogues/*.txt")):
        cats[os.path.basename(p)[:-4]] = [ad(r) for r in compact_catalogue(p)]
    for p in sorted(glob.glob(f"{TEXT}/wild/contexts-*.jsonl")):
        name = re.search(r"(\d+)\.jsonl", p).group(1)
        items += labelled("w" + name, name, cats[name], read(p))
    for p in sorted(glob.glob(f"{TEXT}/contexts/*.txt")):
        w = os.path.basename(p)[:-4]
        rows = [r for r in compact(p) if r["context"]]
        n = re.match(r"\d+", w).group()
        items += labelled(w, n, cats[n], rows)
    for it in items:
        it["kind"] = ALIAS.get(it["kind"], it["kind"])
    return cats, items


def load_set(folder, name, stem):
    ads = [ad(r) for r in read(f"{folder}/creatives.jsonl")]
    return ads, labelled(name, name, ads, read(f"{folder}/{stem}"))


def pools(cats, items, hold, names):
    """Of the sources named ("wild", "star", "clinc"): [(catalogue, conversations to train on)]. Adds catalogues to cats."""
    wild, out = {}, {}
    for it in items:
        if it["writer"] not in hold:
            wild.setdefault(it["cat"], []).append(it)
    if "wild" in names:
        out["wild"] = list(wild.items())
    for name, stems in (("star", ("contexts.train.jsonl", "contexts.mixed.train.jsonl")), ("clinc", ("contexts.train.jsonl",))):
        if name in names:
            rows = []
            for stem in stems:
                cats[name], more = load_set(f"{EVAL}/{name}", name, stem)
                rows += [r for r in more if not r["borderline"]] * (3 if "mixed" in stem else 1)  # fewer, and harder
            out[name] = [(name, rows)]
    return out


def draw(rng, pool, often):
    """(catalogue, conversations) of a pool, as often as it has conversations, times what `often` says: {catalogue: times}."""
    return rng.choices(pool, [len(x) * often.get(c, 1) for c, x in pool])[0]


def shares(text):
    """{"61": 8.0, …} of "61:8,62:8"."""
    return {k: float(v) for k, v in (s.split(":") for s in text.split(",") if s)}


def need_of(it):
    """Could any ad of the world be right here? None: the label does not say."""
    if it["rel"] or it["kind"] == "oov":
        return 1.0
    return 0.0 if it["kind"] in ("none", "distress", "smalltalk") else None


def adcat():
    """{category: {"ads": [ad], "contexts": [turns]}} and contexts for which no ad is right."""
    groups, none = defaultdict(lambda: {"ads": [], "contexts": []}), []
    for p in sorted(glob.glob(f"{TEXT}/adcat/*.jsonl")):
        for row in read(p):
            if row["sensitive"] or row["noncommercial"]:
                # a sensitive category of ads (diabetes, debt) is no sign that a conversation is one of distress
                none += [
                    {
                        "turns": turns(c["text"]),
                        "kind": "unknown" if row["sensitive"] else "none",
                        "sensitive": None if row["sensitive"] else False,
                    }
                    for c in row["contexts"]
                ]
                continue
            g = groups[row["category"]]
            g["ads"] += [
                ad({**a, "id": f"{row['category']}-{i}", "categories": [row["category"]]})
                for i, a in enumerate(row["ads"])
            ]
            g["contexts"] += [
                {"turns": turns(c["text"]), "kind": c["kind"]} for c in row["contexts"]
            ]
    for r in read(f"{TEXT}/none/none.jsonl"):
        none.append({"turns": turns(r["context"]), "kind": "none", "sensitive": False})
    return dict(groups), none


# --- what people's thumbs do -------------------------------------------------------------------------------------------------
KEYS = {
    c: n
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm")
    for c, n in zip(
        row, [row[max(0, i - 1)] + row[min(len(row) - 1, i + 1)] for i in range(len(row))]
    )
}


def mistype(word, rng):
    letters = [i for i, c in enumerate(word) if c.isalpha()]
    if len(letters) < 3:
        return word
    i = rng.choice(letters)
    r = rng.random()
    if r < 0.3:
        return word[:i] + word[i + 1 :]
    if r < 0.6 and i + 1 < len(word):
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    if r < 0.75:
        return word[:i] + word[i] + word[i:]
    return word[:i] + rng.choice(KEYS.get(word[i].lower(), "e")) + word[i + 1 :]


def typos(text, rng, share):
    return "".join(mistype(w, rng) if rng.random() < share else w for w in re.split(r"(\s+)", text))


def disturb(ts, rng):
    """The same conversation as another thumb would have typed it."""
    ts = list(ts)
    r = rng.random()
    if r < 0.2:
        share = rng.choice((0.08, 0.16, 0.25))
        ts = [(s, typos(t, rng, share)) if s == "user" else (s, t) for s, t in ts]
    elif r < 0.3:
        ts = [(s, t.lower()) if s == "user" else (s, t) for s, t in ts]
    elif r < 0.35:
        ts = [(s, re.sub(r"[^\w\s]", "", t)) if s == "user" else (s, t) for s, t in ts]
    return ts


# --- how text reaches the encoder ---------------------------------------------------------------------------------------------
BUDGET, NEWEST, HEAD, USER_OLD, BOT_OLD = 128, 104, 28, 40, 24


def text_tokenizer():
    """Of the tokenizer that is released with the model."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(os.path.join(HERE, "..", "adjacent-base", "tokenizer.json"))
    tokenizer.no_padding(), tokenizer.no_truncation()
    return TextTokenizer(tokenizer)


class TextTokenizer:
    """Token ids of conversations and ads, begin and end marks included."""

    def __init__(self, tokenizer, bos=0, eos=2):
        self.tok, self.bos, self.eos = tokenizer, bos, eos

    def ids(self, text):
        return self.tok.encode(text, add_special_tokens=False).ids

    def context(self, ts):
        out, left = [], BUDGET
        for at, (speaker, text) in enumerate(reversed(ts)):
            ids = self.ids(
                ("User: " if speaker == "user" else "Assistant: ")
                + (text if len(text) <= 2000 else f"{text[:200]} {text[-1800:]}")
            )
            if at == 0:
                if len(ids) > NEWEST:
                    ids = ids[:HEAD] + ids[-(NEWEST - HEAD) :]
            elif speaker == "user":
                if len(ids) > USER_OLD:
                    ids = ids[: USER_OLD // 2] + ids[-USER_OLD // 2 :]
            else:
                ids = ids[:BOT_OLD]
            if at > 0 and len(ids) > left:
                break
            out = ids + out
            left -= len(ids)
        return [self.bos] + out + [self.eos]

    def ad(self, a, categories=True, limit=64):
        return [self.bos] + self.ids(ad_text(a, categories))[: limit - 2] + [self.eos]


# --- distress and its twins -----------------------------------------------------------------------------------------------------
def distress(hold=()):
    """(held out, the rest): texts with `sensitive` true or false."""
    out = []
    for p in sorted(glob.glob(f"{TEXT}/distress/*.txt")):
        w = os.path.basename(p)[:-4]
        head, text = None, []
        for line in open(p, encoding="utf-8").read().split("\n") + ["#end"]:
            if line.startswith("#"):
                if head and "\n".join(text).strip():
                    t = "\n".join(text).strip()
                    out.append(
                        {
                            "writer": w,
                            "kind": head.split()[0],
                            "topic": (head.split() + [None])[1],
                            "turns": turns(t),
                            "sensitive": head.startswith("distress"),
                        }
                    )
                head, text = line[1:].strip(), []
            else:
                text.append(line)
    for r in read(f"{TEXT}/none/sensitive.jsonl"):
        out.append(
            {
                "writer": "none",
                "kind": "distress" if r["sensitive"] else "twin",
                "topic": r["topic"],
                "turns": turns(r["context"]),
                "sensitive": r["sensitive"],
            }
        )
    return [r for r in out if r["writer"] in hold], [r for r in out if r["writer"] not in hold]


def for_gate(ts, rng):
    """Now and then the person's turns alone, as older parts of a long conversation reach the gate."""
    if len(ts) > 2 and rng.random() < 0.3:
        return [t for t in ts if t[0] == "user"]
    return ts
