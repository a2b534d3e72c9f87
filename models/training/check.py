"""check.py CONTEXTS CATALOGUE: heads parse, ids exist, kinds are known, last turn is the user's; prints counts."""

import re, sys
from collections import Counter
import data

KINDS = "pair miss direct state occasion indirect multi switch trap oov none distress twin sloppy".split()


if __name__ == "__main__":
    ids = {l.split(" | ")[0].strip() for l in open(sys.argv[2], encoding="utf-8") if l.strip()}
    fields = ("kind", "relevant", "acceptable", "context")
    r, bad = [tuple(c[f] for f in fields) for c in data.compact(sys.argv[1])], []
    for i, (k, rel, acc, t) in enumerate(r):
        where = f"{i + 1} ({k}: {t[:50]!r})"
        if k not in KINDS:
            bad.append(f"{where}: unknown kind")
        if not t:
            bad.append(f"{where}: no text")
        for x in rel + acc:
            if x not in ids:
                bad.append(f"{where}: no ad {x}")
        if set(rel) & set(acc):
            bad.append(f"{where}: both relevant and acceptable {set(rel) & set(acc)}")
        if k in ("oov", "none", "distress") and rel:
            bad.append(f"{where}: {k} with relevant ads")
        if k in ("direct", "state", "occasion", "indirect", "sloppy", "twin") and not rel:
            bad.append(f"{where}: {k} without a relevant ad")
        if re.match(r"^(Assistant|AI|Bot): ", t.split("\n")[-1]):
            bad.append(f"{where}: ends with the assistant")
    texts = Counter(t for *_, t in r)
    bad += [f"twice: {t[:60]!r}" for t, n in texts.items() if n > 1]
    print(
        "\n".join(bad) or "no faults",
        "\n",
        len(r),
        "conversations",
        dict(Counter(k for k, *_ in r)),
        len({x for _, rel, _, _ in r for x in rel}),
        "ads relevant",
    )
