"""Applies each edit, change and note of examples/vectors/evidence, and counts the packs that verify_evidence.py accepts.

tests/it/vectors.rs runs it. Signatures that were verified once are remembered, because most edits leave them alone.
"""

import importlib.util
import json
from functools import lru_cache
from pathlib import Path

EXAMPLES = Path(__file__).parents[3] / "examples"
VECTORS = EXAMPLES / "vectors/evidence"

spec = importlib.util.spec_from_file_location("verify_evidence", EXAMPLES / "python/verify_evidence.py")
verifier = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verifier)
verifier.verify_ed25519 = lru_cache(None)(verifier.verify_ed25519)


def edit(pack, kind, place, byte=0):
    added = {"r": [byte], "i": [byte], "d": []}[kind]
    return pack[:place] + bytes(added) + pack[place + (kind != "i"):]


def change(at, why, **new):
    value = json.loads(pack)
    *parents, name = (int(word) if word.isdecimal() else word for word in at.split("/")[1:])
    target = value
    for parent in parents:
        target = target[parent]
    if new:
        target[name] = new["set"]
    else:
        del target[name]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def note(add, escape="", why=None):
    value = json.loads(pack)
    value["states"][0]["proof"] += "".join(text * times for text, times in add)
    return verifier.canonical(value).replace("\ue000".encode(), escape.encode())


def accepts(pack):
    try:
        return bool(verifier.verify(pack, policy))
    except Exception:
        return False


policy = (VECTORS / "policy.txt").read_bytes()
pack = (VECTORS / "pack.json").read_bytes()
good = [(VECTORS / name).read_bytes() for name in ("pack.json", "pack-one-property.json", "pack-without-states.json")]
lines = [line.split() for line in (VECTORS / "edits.txt").read_text().splitlines()]
edits = [edit(pack, kind, *map(int, numbers)) for kind, *numbers in lines]
changes = [change(**one) for one in json.loads((VECTORS / "changes.json").read_text())]
notes = json.loads((VECTORS / "notes.json").read_text())
right = sum(accepts(note(**one)) == ("why" not in one) for one in notes)
print(f"accepted {sum(map(accepts, good))} packs, {sum(map(accepts, edits))} of {len(edits)} edits "
      f"and {sum(map(accepts, changes))} of {len(changes)} changes, and judged {right} of {len(notes)} notes as stated")
