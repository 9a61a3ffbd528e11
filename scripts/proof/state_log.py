"""The public log of states: each sealed version is in it once, and no checkpoint contradicts another (S-61)."""

import base64
import collections
import contextlib
import dataclasses
import hashlib
import http.client
import pathlib
import threading
import time

from proof.service import AGENT, Caller
from story import Failed

WATCH_SECONDS = 0.2
ENTRIES, HASHES = -1, 0
# The first octet of an entry. A third type tells of the service.
STATE, KEY = 1, 2
# The columns and the rest of each query. One state of the store answers all of them.
QUERIES = {
    "log": ("number, origin, size, signed_size, checkpoint", "from state_log"),
    "tile": ("log_number, level, place, content", f"from log_tile where level in ({ENTRIES}, {HASHES})"),
    "sealed": ("chain_id, version, log_number, log_index", "from sealed"),
    "key": ("kid, state, log_number, log_index", "from key_change"),
}


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    origin: str
    size: int
    root: bytes

    @classmethod
    def parse(cls, text):
        origin, size, root = text.split("\n")[:3]
        return cls(origin, int(size), base64.b64decode(root, validate=True))


class Witness:
    """Keeps each checkpoint that the nodes showed, with the time, and knows the file of the last one."""

    def __init__(self, nodes, file):
        self.caller, self.file = Caller(nodes, AGENT), pathlib.Path(file)
        self.seen, self.is_over = {}, threading.Event()
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while not self.is_over.wait(WATCH_SECONDS):
            with contextlib.suppress(OSError, ValueError, http.client.HTTPException, Failed):
                self.look()

    def look(self):
        try:
            connection = self.caller.connect("directory_url")
            connection.request("GET", "/checkpoint")
            answer = connection.getresponse()
            content = answer.read().decode()
        except (OSError, http.client.HTTPException):
            self.caller.move_on()
            raise
        if answer.status == 200:
            self.seen.setdefault(Checkpoint.parse(content), time.time_ns())

    def wait_until_seen(self, count, seconds):
        """Waits until it has seen so many checkpoints, or the time is over."""
        end = time.monotonic() + seconds
        while len(self.seen) < count and time.monotonic() < end:
            time.sleep(WATCH_SECONDS)

    def at(self, file):
        """The same checkpoints, and the file of a copy."""
        return Memory(file and pathlib.Path(file), self.seen)

    def end(self):
        self.is_over.set()


@dataclasses.dataclass
class Memory:
    """What a witness saw, and the checkpoint's file beside a copy of a store. None: the copy has no file."""

    file: pathlib.Path | None
    seen: dict


def read_file(memory):
    """The checkpoint in the file, or None if there is none."""
    try:
        return memory.file and Checkpoint.parse(memory.file.read_text())
    except FileNotFoundError:
        return None


class Tree:
    """The entries of a log, and the roots of their tree (RFC 6962, section 2.1)."""

    def __init__(self, bundles, hashes):
        self.entries = list(read_entries(b"".join(bundles)))
        self.leaves = [hashlib.sha256(b"\0" + entry).digest() for entry in self.entries]
        self.agrees = b"".join(self.leaves) == b"".join(hashes)

    def root(self, size):
        return hash_tree(self.leaves[:size])


def read_entries(octets):
    at = 0
    while at < len(octets):
        begin = at + 2
        at = begin + int.from_bytes(octets[at:begin], "big")
        yield octets[begin:at]


def hash_tree(hashes):
    """Hashes neighbours level by level. The last one of an odd number rises as it is."""
    if not hashes:
        return hashlib.sha256().digest()
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=False)
        above = [hashlib.sha256(b"\1" + left + right).digest() for left, right in pairs]
        hashes = above + hashes[len(above) * 2 :]
    return hashes[0]


class Log:
    """What a store says about its logs, compared with the checkpoints outside it."""

    def __init__(self, rows):
        self.rows, self.wrong = rows, []
        self.logs = {number: rest for number, *rest in sorted(rows["log"])}
        self.newest = max(self.logs, default=0)
        tiles = collections.defaultdict(list)
        for number, level, _place, content in sorted(rows["tile"], key=lambda row: row[:3]):
            tiles[number, level].append(read_octets(content))
        self.trees = {number: Tree(tiles[number, ENTRIES], tiles[number, HASHES]) for number in self.logs}

    def compare(self, memory, before, before_ns):
        """`before` is the checkpoint in the file before the store was read."""
        for number, (origin, size, signed_size, text) in self.logs.items():
            tree, stored = self.trees[number], Checkpoint.parse(text)
            if len(tree.entries) != size or not tree.agrees:
                self.accuse(f"log {number} of {size} entries has {len(tree.entries)}, or other hashes")
            if (stored.origin, stored.size) != (origin, signed_size):
                self.accuse(f"log {number} of {origin}, signed at {signed_size}, has the checkpoint {stored}")
            self.expect(stored, size, "the store")
            if number != self.newest and signed_size:
                self.accuse(f"log {number} was closed, although nothing went back in time")
        self.compare_places()
        for checkpoint, at_ns in list(memory.seen.items()):
            if before_ns is None or at_ns < before_ns:
                self.expect(checkpoint, None, "a witness")
        if memory.file:
            self.compare_file(before, read_file(memory))

    def compare_file(self, before, after):
        """The file is ahead of the checkpoint in the store, and never ahead of the entries in the store."""
        if before:
            self.expect(before, None, "the file")
        if not self.newest:
            return
        origin, _size, signed_size, _text = self.logs[self.newest]
        if signed_size and (not after or after.origin != origin or after.size < signed_size):
            self.accuse(f"the store shows {signed_size} entries of {origin}, and its file has {after}")

    def expect(self, checkpoint, size, where):
        """A checkpoint that somebody has is one of a tree in the store."""
        numbers = [number for number, row in self.logs.items() if row[0] == checkpoint.origin]
        if not numbers:
            self.accuse(f"lost: the log of which {where} has {checkpoint}")
            return
        size = self.logs[numbers[0]][1] if size is None else size
        if checkpoint.size > size:
            self.accuse(f"lost: entries of a log of {size}, of which {where} has {checkpoint}")
        elif self.trees[numbers[0]].root(checkpoint.size) != checkpoint.root:
            self.accuse(f"{where} has {checkpoint}, and the store has another tree")

    def compare_places(self):
        """Each version and each change of a key has one entry, and each such entry has one of them."""
        kinds = {}
        for number, (_origin, size, signed_size, _text) in self.logs.items():
            # Entries of a closed log that nobody saw enter the next one.
            shown = size if number == self.newest else signed_size
            for index, entry in enumerate(self.trees[number].entries[:shown]):
                kinds[number, index] = entry[0]
        owners = collections.defaultdict(list)
        for kind, rows in ((STATE, self.rows["sealed"]), (KEY, self.rows["key"])):
            for first, second, *place in rows:
                if place[0] is not None:
                    owners[tuple(place)].append((kind, first, second))
        for place in kinds.keys() | owners.keys():
            kind, found = kinds.get(place), owners[place]
            if kind in (STATE, KEY) or found:
                if [one[0] for one in found] != [kind]:
                    self.accuse(f"the entry of type {kind} at {place} is the one of {found}")

    def accuse(self, text):
        self.wrong.append(f"the log of states: {text}")

    def is_complete(self):
        """Whether all that was sealed is in the log, and the newest checkpoint shows it."""
        waits = any(row[2] is None for row in self.rows["sealed"] + self.rows["key"])
        return bool(self.newest) and not waits and self.logs[self.newest][1] == self.logs[self.newest][2]


def read_octets(content):
    """PostgreSQL writes octets as text into JSON."""
    return bytes.fromhex(content.removeprefix("\\x")) if isinstance(content, str) else content
