"""The calls in a recording of strace, and the disk after a loss of power between any two of them.

The disk has everything that was synced. Of the rest it may have anything: each sector of 512 octets
is old or new. Names of files change in the order of the calls, as on a file system with a journal,
and are safe once their folder was synced. After a failed sync nothing of before is safe, even if
a later sync succeeds: the kernel may have dropped the pages."""

import collections
import dataclasses
import pathlib
import re

from story import Failed

SECTOR = 512
# Calls that change files. Any other call of these that names a file of the store is an error.
TRACED = (
    "write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,msync,ftruncate,truncate,"
    "fallocate,rename,renameat,renameat2,unlink,unlinkat,link,linkat,open,openat,creat,mmap"
)
LINE = re.compile(r"(\d+) +(\d+)\.(\d{9}) (.*)")
WRITES = ("pwrite64", "write")
SYNCS = ("fsync", "fdatasync")
DESCRIPTOR = r"\d+<([^>]*)>"
PATTERNS = {
    "pwrite64": re.compile(rf'{DESCRIPTOR}, "([^"]*)", (\d+), (\d+)'),
    "write": re.compile(rf'{DESCRIPTOR}, "([^"]*)", (\d+)'),
    "ftruncate": re.compile(rf"{DESCRIPTOR}, (\d+)"),
    "fdatasync": re.compile(DESCRIPTOR),
    "fsync": re.compile(DESCRIPTOR),
    "openat": re.compile(r'[^,]*, "([^"]*)", ([A-Z_|]+)'),
    "unlink": re.compile(r'"([^"]*)"'),
    "rename": re.compile(r'"([^"]*)", "([^"]*)"'),
    "link": re.compile(r'"([^"]*)", "([^"]*)"'),
}


@dataclasses.dataclass
class Call:
    """A call with the numbers of the lines on which it begins and ends."""

    name: str
    begin: int
    began_ns: int
    arguments: tuple
    end: int | None = None
    result: int | None = None
    # The open file that a write or a sync names.
    descriptor: int | None = None


def is_index(path):
    """The index of SQLite's log is memory that a start makes anew."""
    return path.endswith("-shm")


def unhex(text):
    return bytes.fromhex(text.replace("\\x", ""))


def read_calls(trace):
    """The calls in the order in which they begin."""
    calls, open_calls = [], {}
    with open(trace, encoding="ascii") as lines:
        for number, line in enumerate(lines):
            process, seconds, part, text = LINE.fullmatch(line.rstrip("\n")).groups()
            if text.startswith(("+++", "---")):
                continue
            if text.startswith("<... "):
                call = open_calls.pop(process, None)
                ending = text.partition(" resumed>")[2]
            else:
                call = parse_call(text, number, int(seconds + part))
                ending = text
                if call:
                    calls.append(call)
            if text.endswith("<unfinished ...>"):
                open_calls[process] = call
            elif call and (result := read_result(ending)) is not None:
                call.end, call.result = number, result
    return calls


def parse_call(text, number, began_ns):
    name, _, arguments = text.partition("(")
    if name == "mmap":
        if "PROT_WRITE" in arguments and "MAP_SHARED" in arguments:
            mapped = unhex(re.search(r"\d+<([^>]*)>", arguments)[1]).decode()
            if not is_index(mapped):
                raise Failed(f"the store is written through memory: {mapped}")
        return None
    if name == "???":
        # The program was killed before its call began.
        return None
    if name not in PATTERNS:
        raise Failed(f"the model of the disk does not know {name}")
    found = PATTERNS[name].match(arguments)
    if not found:
        raise Failed(f"this call cannot be read: {text[:200]}")
    values = list(found.groups())
    values[0] = unhex(values[0]).decode()
    if name in WRITES:
        # A write without a place goes to the end of those before.
        values[1:] = unhex(values[1]), int(values[3]) if name == "pwrite64" else None
        if len(values[1]) != int(found[3]):
            raise Failed("strace cut off what was written")
    elif name == "ftruncate":
        values[1] = int(values[1])
    elif name in ("rename", "link"):
        values[1] = unhex(values[1]).decode()
    elif name == "openat" and "O_CREAT" not in values[1]:
        return None
    if is_index(values[0]):
        return None
    descriptor = int(re.match(r"\d+", arguments)[0]) if name in (*SYNCS, *WRITES) else None
    return Call(name, number, began_ns, tuple(values), descriptor=descriptor)


def read_result(text):
    """None where a kill cut the call off (`= ?`): it may have had its effect or not."""
    found = re.search(r"= (-?\d+)", text.rpartition(")")[2] or text)
    return int(found[1]) if found else None


class Inode:
    """A file: what is safe of it, and the changes that are not."""

    def __init__(self, octets=b""):
        self.safe, self.pending = bytearray(octets), []


@dataclasses.dataclass(eq=False)
class Change:
    """A write, or a new length if there is no data.

    `is_doomed`: a sync of it failed. `is_told`: one of its own open file did."""

    call: Call
    offset: int
    data: bytes | None
    is_doomed: bool = False
    is_told: bool = False

    def span(self):
        return self.offset, self.offset + len(self.data or b"")


class Disk:
    """The files of one folder, while calls are applied to them."""

    def __init__(self, folder, files, ignores=lambda path: False):
        """`ignores`: control. Whether the disk ignores syncs of a path."""
        self.folder, self.ignores = str(folder), ignores
        self.names = {name: Inode(octets) for name, octets in files.items()}
        self.safe_names = dict(self.names)
        self.renamings = []
        self.syncing = {}
        # Where the next write without a place goes. A file that is written so is open once at a time.
        self.places = collections.Counter()
        # The first sync that succeeded although the kernel would have let it fail: Linux (since 4.13) tells each
        # open file of a failed sync once, and strace fails the sync of one of them alone.
        self.impossible = None

    def begin(self, call):
        path = call.arguments[0]
        inode = self.names.get(path)
        if call.name in SYNCS:
            self.syncing[call.begin] = list(inode.pending) if inode else len(self.renamings)
        elif call.name in WRITES and inode:
            _path, octets, place = call.arguments
            if place is None:
                place = self.places[path]
                self.places[path] += len(octets)
            inode.pending.append(Change(call, place, octets))
        elif call.name == "ftruncate" and inode:
            inode.pending.append(Change(call, call.arguments[1], None))
        elif call.name == "openat":
            self.places[path] = 0
            if inode and "O_TRUNC" in call.arguments[1]:
                inode.pending.append(Change(call, 0, None))

    def end(self, call):
        path = call.arguments[0]
        if call.name in SYNCS:
            self.end_sync(path, self.syncing.pop(call.begin), call)
        elif call.result < 0:
            self.forget(path, call)
        elif call.name in WRITES and call.result != len(call.arguments[1]):
            raise Failed("a write was short, which the model does not know")
        elif call.name == "openat" and path not in self.names and path.startswith(self.folder):
            self.rename({path: Inode()})
        elif call.name == "unlink":
            self.rename({path: None})
        elif call.name == "rename":
            self.rename({call.arguments[1]: self.names[path], path: None})
        elif call.name == "link":
            self.rename({call.arguments[1]: self.names[path]})

    def forget(self, path, call):
        """A call that failed changed nothing."""
        inode = self.names.get(path)
        if inode:
            inode.pending = [change for change in inode.pending if change.call is not call]

    def rename(self, names):
        self.renamings.append(names)
        self.apply_names(self.names, names)

    @staticmethod
    def apply_names(names, changed):
        for name, inode in changed.items():
            if inode is None:
                names.pop(name, None)
            else:
                names[name] = inode

    def end_sync(self, path, before, call):
        if self.ignores(path):
            return
        if isinstance(before, int):
            if call.result == 0 and path == self.folder:
                for names in self.renamings[:before]:
                    self.apply_names(self.safe_names, names)
                del self.renamings[:before]
            return
        inode = self.names.get(path)
        if inode is None:
            return
        # A call that was under way when the sync began is not covered.
        covered = {change for change in before if change.call.end is not None and change.call.end < call.begin}
        if call.result != 0:
            for change in covered:
                change.is_doomed = True
                change.is_told = change.is_told or change.call.descriptor == call.descriptor
            return
        kept = []
        for change in inode.pending:
            if change in covered and not change.is_doomed:
                apply(inode.safe, change)
                kept = [old for old in kept if not replaces(old, change)]
            else:
                kept.append(change)
        inode.pending = kept
        untold = [change for change in kept if change in covered and change.is_doomed and not change.is_told]
        if any(change.call.descriptor == call.descriptor for change in untold):
            self.impossible = self.impossible or call

    def view(self):
        """The files as programs see them now."""
        return {name: bytes(build(inode, None, "all", 1)) for name, inode in self.names.items()}

    def image(self, choices):
        """The files after a loss of power now: names and octets."""
        names = dict(self.safe_names)
        for changed in self.renamings[: choices.randint(0, len(self.renamings))]:
            self.apply_names(names, changed)
        manner = choices.choice(["nothing", "all", "first", "some", "torn", "torn"])
        share = choices.choice([0.1, 0.5, 0.9])
        return {name: build(inode, choices, manner, share) for name, inode in names.items()}


def replaces(old, new):
    """Whether the new change leaves nothing of the old one. A length lasts until the next one or a longer file."""
    (first, last), (begin, end) = old.span(), new.span()
    if new.data is None:
        return old.data is None or first >= begin
    if old.data is None:
        return end > first
    return first < end and begin < last


def apply(octets, change):
    if change.data is None:
        del octets[change.offset :]
        octets.extend(bytes(change.offset - len(octets)))
        return
    begin, end = change.span()
    if len(octets) < begin:
        octets.extend(bytes(begin - len(octets)))
    octets[begin:end] = change.data


def build(inode, choices, manner, share):
    """The octets of a file of which some pending changes reached the disk."""
    if manner == "nothing" or not inode.pending:
        return inode.safe
    octets = bytearray(inode.safe)
    pending = inode.pending
    if manner == "first":
        pending = pending[: choices.randint(1, len(pending))]
    for change in pending:
        is_last_of_first = manner == "first" and change is pending[-1]
        if manner == "some" and choices.random() >= share:
            continue
        if change.data is not None and (manner == "torn" or is_last_of_first):
            tear(octets, change, choices, share)
        else:
            apply(octets, change)
    return octets


def tear(octets, change, choices, share):
    """Applies some sectors of a write."""
    begin, end = change.span()
    at = begin
    while at < end:
        border = min(end, (at // SECTOR + 1) * SECTOR)
        if choices.random() < share:
            apply(octets, Change(change.call, at, change.data[at - begin : border - begin]))
        at = border


def steps(calls):
    """Beginnings and ends of calls in the order in which they happened: line, whether it begins, call."""
    found = [(call.begin, True, call) for call in calls]
    found += [(call.end, False, call) for call in calls if call.end is not None]
    # A call on one line begins before it ends.
    return sorted(found, key=lambda step: (step[0], not step[1]))


def check_model():
    """The model notices a sync that cannot have succeeded, and no other."""
    path = "/store/onward.db-wal"
    write = Call("pwrite64", 0, 0, (path, b"commit", 0), end=1, result=6, descriptor=1)
    for failing, is_impossible in ((2, True), (1, False)):
        failed = Call("fdatasync", 2, 0, (path,), end=3, result=-1, descriptor=failing)
        later = Call("fdatasync", 4, 0, (path,), end=5, result=0, descriptor=1)
        state = Disk("/store", {path: b""})
        for _line, begins, call in steps([write, failed, later]):
            (state.begin if begins else state.end)(call)
        if state.impossible is not (later if is_impossible else None):
            raise Failed(f"the model of the disk is wrong about a sync after one of descriptor {failing} failed")


def until(calls, sync):
    """The calls while this sync was still under way."""
    kept = [call for call in calls if call.begin < sync.end]
    return [dataclasses.replace(call, end=None, result=None) if ends_after(call, sync) else call for call in kept]


def ends_after(call, sync):
    return call.end is not None and call.end >= sync.end


def read_files(folder, names):
    return {str(folder / name): (folder / name).read_bytes() for name in names if (folder / name).exists()}


def write_files(files, source, target):
    """Writes an image to another folder, and nothing else stays there."""
    target = pathlib.Path(target)
    wanted = {target / pathlib.Path(name).relative_to(source): octets for name, octets in files.items()}
    for old in target.iterdir():
        if old not in wanted:
            old.unlink()
    for path, octets in wanted.items():
        path.write_bytes(octets)


def cut_times(found):
    """For each step, a time at which it had not happened: what was acknowledged earlier was so before the step."""
    latest, times = 0, []
    for _line, begins, call in found:
        if begins:
            latest = max(latest, call.began_ns)
        times.append(latest)
    return times
