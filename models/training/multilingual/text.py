"""Text of all languages in one shape: see ../data.py. Native text lies in ../text/languages, parallel sentences in PARALLEL."""

import glob, gzip, json, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import data
from bert import TextTokenizer, message, whole

LANGUAGES = "ar de es fr hi it ja nl pl pt tr zh".split()
NATIVE = os.path.join(data.TEXT, "languages")


def parallel(path=os.environ.get("PARALLEL", "parallel.jsonl.gz")):
    """[(language, English, text)] of the promised languages."""
    rows = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
    return [(r["lang"], r["en"], r["text"]) for r in rows if r["lang"] in LANGUAGES]


def native():
    """({catalogue: [ad]}, [conversation]) of the people who wrote in their own languages. Their ads said in English make a
    second catalogue with the same conversations; others wrote about one of the English catalogues (contexts-en-NN.jsonl).
    Requests (contexts-5.jsonl) have the writer "LANGUAGE requests"."""
    cats, items = {}, []
    english = data.load()[0]
    for folder in sorted(glob.glob(f"{NATIVE}/*/")):
        lang = os.path.basename(folder[:-1])
        writers = {lang: [], f"{lang} requests": []}
        for p in sorted(glob.glob(f"{folder}contexts.jsonl") + glob.glob(f"{folder}contexts-[0-9].jsonl")):
            rows = [{**r, "relevant": r["right"], "sensitive": False} for r in data.read(p)]
            writers[f"{lang} requests" if p.endswith("-5.jsonl") else lang] += rows
        for name, file in ((lang, "ads.jsonl"), (f"{lang}-en", "ads.en.jsonl")):
            if os.path.exists(folder + file):
                cats[name] = [data.ad(r) for r in data.read(folder + file)]
                for writer, rows in writers.items():
                    items += data.labelled(writer, name, cats[name], rows)
        second = data.compact(folder + "contexts-2.txt") if os.path.exists(folder + "contexts-2.txt") else []
        # Half of "none" are needs that no ad of the catalogue serves.
        second = [{**r, "sensitive": False, "kind": "unserved" if r["kind"] == "none" else r["kind"]} for r in second if r["context"]]
        for name, file in ((f"{lang}-2", "ads-2.txt"), (f"{lang}-2-en", "ads-2.en.txt")):
            if os.path.exists(folder + file):
                cats[name] = [data.ad(r) for r in data.compact_catalogue(folder + file)]
                items += data.labelled(lang, name, cats[name], second)
        for p in sorted(glob.glob(f"{folder}contexts-en-*.jsonl")):
            name = p[-8:-6]
            rows = [{**r, "relevant": r["right"], "sensitive": False} for r in data.read(p)]
            items += data.labelled(lang, name, english[name], rows)
    return cats, items


def native_signals():
    """[(turns, distress?, language, topic, need or None)]"""
    return [
        (data.turns(r["context"]), r["label"] == "distress", os.path.basename(os.path.dirname(p)), r["topic"], r.get("need"))
        for p in sorted(glob.glob(f"{NATIVE}/*/signals*.jsonl"))
        for r in data.read(p)
    ]


def plain():
    """[(turns, distress?, need)] of the plain requests that are never trained on."""
    rows = [r for p in sorted(glob.glob(f"{NATIVE}/*/plain.jsonl")) for r in data.read(p)]
    return [(data.turns(r["context"]), False, r["need"]) for r in rows]


def everyday(split):
    """[(turns, distress?, need or None)] of test/eval/languages."""
    rows = [r for lang in LANGUAGES for r in data.read(f"{data.EVAL}/languages/{lang}/contexts.{split}.jsonl")]
    return [(data.turns(r["context"]), bool(r.get("sensitive")), True if r["relevant"] else False if r.get("sensitive") else None) for r in rows]


def everything():
    """Every string whose tokens must stay."""
    cats, items = data.load()
    more, own = native()
    out = [message(a) for c in (*cats.values(), *more.values()) for a in c]
    out += [whole(i["turns"]) for i in items + own] + [whole(t) for t, *_ in native_signals()]
    return out + [s for _, en, other in parallel() for s in (en, other)]
