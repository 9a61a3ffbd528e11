#!/usr/bin/env python3
"""Verifies an evidence pack offline, with Python's standard library alone (3.10 or later):
    python3 -I verify_evidence.py pack.json policy.txt
prints `level N`, what is proved and what is not, or the reason for a refusal with exit status 1. The policy is yours:
never take it from the sender of a pack. The formats stand in crates/evidence/src/lib.rs and at https://c2sp.org."""
import base64, hashlib, json, re, sys, time

DECIMAL, HASH = r"(0|[1-9][0-9]{0,18})", r"[A-Za-z0-9+/]{43}="
PROOF = re.compile(rf"c2sp\.org/tlog-proof@v1\nindex {DECIMAL}\n((?:{HASH}\n){{0,63}})\n"  # C2SP tlog-proof
                   rf"(([^\n]+)\n{DECIMAL}\n({HASH})\n)\n((?:— [^\n]+\n){{1,100}})")  # C2SP tlog-checkpoint
CHAIN = "chainId", "chainSummary", "properties"
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
def sha256(*parts): return hashlib.sha256(b"".join(parts)).digest()
def encode(data): return base64.urlsafe_b64encode(data).decode().rstrip("=")
def canonical(value): return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
def write_time(seconds): return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
def has_members(value, *names): check(sorted(value) == sorted(names), f"the members must be {', '.join(names)}")
def check(is_right, reason):
    if not is_right: raise ValueError(reason)
def decode(text, is_url=False):
    """Base64 in its one spelling: with padding, or base64url without."""
    check(not is_url or not {*"+/="} & {*text}, "not base64url without padding")
    text = text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4) if is_url else text
    data = base64.b64decode(text, validate=True)
    check(base64.b64encode(data).decode() == text, "base64 in a second spelling")
    return data
def parse(data):
    """Reads JSON that is in its RFC 8785 form, in which no member is repeated, and has no fractions."""
    def integer(text):
        check(len(text) < 18 and abs(int(text)) < 2**53, "a number is not an integer of at most 2^53 - 1")
        return int(text)
    sort = lambda pairs: dict(sorted(pairs, key=lambda pair: pair[0].encode("utf-16-be")))
    value = json.loads(data.decode(), object_pairs_hook=sort, parse_int=integer, parse_float=integer, parse_constant=integer)
    check(canonical(value) == data and len(data) <= 2**22, "the pack is longer than 4 MiB, or its spelling was changed: verify it unaltered")
    return value
def list_dates(value, *path):
    if isinstance(value, dict):
        return [date for name in value for date in list_dates(value[name], *path, name)]
    return [f"{'.'.join(path)} {value}"] if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", str(value)) else []
def describe(home): return f"home {home['uprn']}: {', '.join(list_dates(home['milestones'])) or 'no milestone has a date'}"
def open_digest(secret, value):
    check(len(decode(secret, True)) == 32, "a salt or nonce does not have 32 bytes")
    return sha256(decode(secret, True), canonical(value))
def point(data):
    y, sign = int.from_bytes(data, "little") & (1 << 255) - 1, data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    check(y < P and x and x * x % P == square, "a key is not a point of the curve")
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P
def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P
def verify_ed25519(public, message, signature):  # RFC 8032 section 5.1.7: the signature is R and S, and [S]B - [k]A is R
    s, a, base, total = int.from_bytes(signature[32:], "little"), point(public), point(b"\x58" + b"\x66" * 31), (0, 1, 1, 0)
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    minus_a = P - a[0], a[1], 1, P - a[3]
    terms = total, base, minus_a, add(base, minus_a)
    for bit in range(252, -1, -1):
        total = add(add(total, total), terms[(s >> bit & 1) + 2 * (k >> bit & 1)])
    x, y = (value * pow(total[2], -1, P) % P for value in total[:2])
    return len(signature) == 64 and s < ORDER and (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]
def verify_rs256(jwk, message, signature):
    n, e, s = (int.from_bytes(part, "big") for part in (decode(jwk["n"], True), decode(jwk["e"], True), signature))
    size, info = (n.bit_length() + 7) // 8, bytes.fromhex("3031300d060960864801650304020105000420") + sha256(message)
    padded = int.from_bytes(b"\1" + b"\xff" * (size - len(info) - 3) + b"\0" + info, "big")  # RFC 8017 section 9.2
    return n.bit_length() >= 2048 and e > 2 and e % 2 and len(signature) == size and s < n and pow(s, e, n) == padded
def is_name(text): return re.fullmatch(r"[^\s+]+", text) and len(text.encode()) < 256  # C2SP signed-note
def parse_key(text, kind):
    name, key_id, key = text.split("+", 2)
    data = decode(key)
    is_key = len(data) == 33 and data[0] == kind and sha256(name.encode(), b"\n", data)[:4].hex() == key_id
    check(is_key and is_name(name), f"the policy has no key of type {kind}: {text}")
    return (name, bytes.fromhex(key_id)), data[1:]
def parse_policy(text):
    """C2SP tlog-policy: the keys of logs, the keys of witnesses by name, the groups, and the quorum."""
    logs, witnesses, groups, quorum, free = [], {}, {}, None, set()
    check(not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text), "the policy has a control character")
    for line in text.split("\n"):
        names = {"none", *witnesses, *groups}
        match re.split(r"[ \t]+", line.strip(" \t")):
            case ["log", key, *url] if len(url) < 2:
                logs.append(parse_key(key, 1))
            case ["witness", name, key, *url] if len(url) < 2 and name not in names:
                witnesses[name], free = parse_key(key, 4), free | {name}
            case ["group", name, count, *members] if name not in names and len({*members} & free) == len(members) > 0:
                count = {"any": "1", "all": str(len(members))}.get(count, count)
                check(re.fullmatch("[1-9][0-9]?", count) and int(count) <= len(members), f"the policy has a wrong group: {line}")
                groups[name], free = (int(count), {*members}), free - {*members} | {name}
            case ["quorum", name] if name in names and not quorum:
                quorum = name
            case [word, *_]:
                check(not word or word.startswith("#"), f"the policy has a wrong line: {line}")
    keys = [key for _, key in logs], [key for _, key in witnesses.values()]
    check(quorum and all(len({*some}) == len(some) for some in keys), "the policy needs a quorum line, and each key once")
    return logs, witnesses, groups, quorum
def verify_checkpoint(origin, text, lines, policy):
    """Returns the cosignatures, and the time of the one that completes the quorum: None if the policy needs none."""
    (logs, witnesses, groups, quorum), signatures, seen, met, by = policy, {}, [], set(), None
    for name, data in (re.fullmatch(r"— ([^\s+]+) ([^\s]+)", line).groups() for line in lines[:-1].split("\n")):
        data = decode(data)
        check(is_name(name) and len(data) > 4 and (name, data[:4]) not in signatures, "a signature line is wrong")
        signatures[name, data[:4]] = data[4:]
    known = [(key, text, signatures[named]) for named, key in logs if named[0] == origin and named in signatures]
    check(known and all(verify_ed25519(*signed) for signed in known), "no log of the policy signed the checkpoint")
    for place, (witness, (named, key)) in enumerate(witnesses.items()):
        if data := signatures.get(named):
            at = int.from_bytes(data[:8], "big")
            is_signed = verify_ed25519(key, f"cosignature/v1\ntime {at}\n".encode() + text, data[8:])
            check(is_signed and 0 < at < 2**63, f"witness {witness} did not sign this")
            seen.append((at, place, witness))
    for at, _, witness in sorted(seen):
        met.add(witness)
        for name, (count, members) in groups.items(): met |= {name} if len(met & members) >= count else set()
        by = at if by is None and quorum in met else by
    check(by is not None or quorum == "none", "the witnesses that cosigned are not the quorum of the policy")
    return [(witness, at) for at, _, witness in sorted(seen)], by
def verify_logged(entry, proof, policy):
    """C2SP tlog-proof: returns the entry's place, and the result of verify_checkpoint."""
    match = PROOF.fullmatch(proof)
    check(match and len(proof[match.start(3):].encode()) <= 2**16 and not re.search(r"[\x00-\x09\x0b-\x1f]", proof), "not a tlog-proof")
    first, hashes, text, origin, size, root, lines = match.groups()
    index, last, value = int(first), int(size) - 1, sha256(b"\x00", entry)
    check(index <= last < 2**63 - 1, "the log is shorter than the index of an entry")
    for sibling in map(decode, hashes.split()):  # RFC 9162 section 2.1.3.2
        check(last > 0, "a Merkle proof is too long")
        value = sha256(b"\x01", sibling, value) if index % 2 or index == last else sha256(b"\x01", value, sibling)
        while index == last and index and index % 2 == 0: index, last = index // 2, last // 2
        index, last = index // 2, last // 2
    check(last == 0 and value == decode(root), "a Merkle proof does not lead to the root")
    return f"entry {first} of {origin}", *verify_checkpoint(origin, text.encode(), lines, policy)
def verify(data, policy):
    """Returns the lines to print, or raises an exception. Level 5 is not in packs of form 1."""
    pack, policy, steps, lacks, seen, times = parse(data), parse_policy(policy.decode()), [], [], [], [0]
    is_bounded = max(len(pack["keys"]), len(pack["states"])) <= 200
    check(repr(pack["form"]) == "1" and is_bounded and pack["keys"] + pack["states"], "the pack is incomplete, or has a later form")
    has_members(pack, "form", "keys", "states", *(["answer"] if pack["keys"] else []))
    def logged(part, entry):
        check(part["statement"]["form"] == 1, "a statement has a later form: use a later program")
        place, cosigned, by = verify_logged(entry, part["proof"], policy)
        seen.extend(one for one in cosigned if one not in seen)
        times.append(by or 0)
        return place
    if pack["keys"]:
        has_members(pack["answer"], "data", "provenance")
        data, block, stated = pack["answer"]["data"], pack["answer"]["provenance"], pack["keys"][0]["statement"]
        has_members(block, "alg", "kid", "payloadHash", "signature")
        jwk, kid = stated["jwk"], stated["kid"]
        check((block["alg"], block["kid"]) == ("RS256", kid), "the statement is about another key")
        check(block["payloadHash"] == {"alg": "SHA-256", "value": encode(sha256(canonical(data)))}, "payloadHash is wrong")
        check(verify_rs256(jwk, canonical(data), decode(block["signature"], True)), "the answer's signature does not verify")
        steps.append((1, f"key {kid} signed the answer"))
        for part in pack["keys"]:
            has_members(part, "proof", "statement")
            key = part["statement"]
            check((key["kid"], key["jwk"], key["purpose"]) == (kid, jwk, "provenance"), "a statement is about another key")
            place = logged(part, b"\2" + canonical(key))
            steps.append((2, f"{place} states at {key['at']} that key {kid} is {key['state']}"))
        if "revoked" in (part["statement"]["state"] for part in pack["keys"]):
            check(pack["states"], "the key was revoked, and the pack does not show that the state was logged")
            steps.append((2, "the key was revoked: only the log proves the state"))
        chains, ids = {}, sorted(state["statement"]["chain"] for state in pack["states"])
        for chain in data["data"]:
            same = chains.setdefault(chain["chainId"], chain)
            is_covered = {*chain, "queriedAddress"} == {*CHAIN, "queriedAddress"} and all(chain[name] == same[name] for name in CHAIN)
            check(is_covered or not ids, "the answer shows more than a state")
        check(not ids or ids == sorted(chains), "the states are not those of the answer's chains")
        steps += [(1, describe(home)) for chain in chains.values() if not ids for home in chain["properties"]]
        lacks.append("when the answer was signed: the pack has no signedAt")
    for state in pack["states"]:
        has_members(state, "nonce", "opened", "proof", "statement")
        statement, opened, last = state["statement"], state["opened"], -1
        chain = chains[statement["chain"]] if pack["keys"] else {"properties": [one.pop("property") for one in opened]}
        shown, count, chain_id = chain["properties"], len(statement["properties"]), statement["chain"]
        check(not pack["keys"] or chain["chainSummary"] == statement["summary"], "the summary is not the one that was logged")
        check(len(shown) == len(opened) and statement["type"] == "state", "the answer has other properties than the state")
        for one, value in zip(opened, shown):
            has_members(one, "index", "salt")
            is_next = type(one["index"]) is int and last < one["index"]
            last, digest = one["index"], encode(open_digest(one["salt"], value))
            check(is_next and statement["properties"][last] == digest, "a property is not the one that was logged")
        place = logged(state, b"\1" + open_digest(state["nonce"], statement))
        steps.append((3, f"{place} is version {statement['version']} of chain {chain_id}, recorded at "
                         f"{statement['recordedAt']}; {len(shown)} of {count} properties are shown"))
        steps += [(3, describe(home)) for home in shown]
        lacks += [f"{count - len(shown)} of {count} properties of chain {chain_id}: the pack withholds them"] * (len(shown) < count)
    steps += [(4, f"witness {witness} cosigned at {write_time(at)}") for witness, at in seen]
    steps += [(4, f"the quorum had seen every entry by {write_time(max(times))}")] if max(times) else []
    level = 2 if not pack["states"] else 4 if max(times) else 3
    lacks += ["whether the key was revoked later: level 2 does not show it"] * (level == 2)
    lacks += ["when a state was recorded: recordedAt is a statement of Onward"] * (level == 3)
    return [f"level {level}", *(f"{number} {text}" for number, text in steps), *(f"not proved: {text}" for text in lacks)]

if __name__ == "__main__":
    try: print(*verify(*(open(name, "rb").read() for name in sys.argv[1:])), sep="\n")
    except Exception as error: sys.exit(f"refused: {error}")
