"""Power cuts: strace records each change and each sync of a node's files, and each image of the disk is opened.

A unit records one node under writers, or an import, and builds images until its time is over. In an
image the power was cut between two calls. In some units, some syncs of the node fail as well."""

import collections
import os
import pathlib
import shutil
import signal
import time

import story
from proof import account, companions, disk, service, state_log, writer
from story import ONWARD, Failed

UNIT_SECONDS = 20
UNIT_SECONDS_LONG = 150
RECORDING_SECONDS_MAX = 20
CHECKPOINTS = 2
CHECKPOINT_SECONDS_MAX = 3
WRITERS = 4
WRITES = 360
WRITES_SHORT = 120
PASS_IMAGES = 250
IMAGES_MIN = 50
DEEP_EVERY = 250
CONTROL_IMAGES = 40
# A sync of a file of the store that fails, and the next ones: the counts are those of a thread.
FAILING = "inject=fsync,fdatasync:error=EIO:when={first}+{step}"
SITE = service.Site
# The files of the store are named after it. The last checkpoint of the log of states is in a file beside it.
STORE, CHECKPOINT = "onward.db", "onward.db.checkpoint"


class Recording:
    """A node's files before a run, the calls that changed them, and all that its callers know."""

    def __init__(self, site, choices, writes, fails=False):
        (self.node,) = site.make_service("sqlite")
        self.site, self.choices, self.journal = site, choices, writer.Journal()
        self.folder = self.node.folder / "store"
        self.folder.mkdir()
        for file in self.node.folder.glob(f"{STORE}*"):
            shutil.move(file, self.folder / file.name)
        settings = {"store": str(self.folder / STORE)}
        self.node.config.write_text(story.change_settings(self.node.config.read_text(), settings))
        self.receiver = service.Receiver(self.node)
        self.witness = state_log.Witness([self.node], self.folder / CHECKPOINT)
        try:
            self.base = prepare(site, [self.node], self.folder / STORE, self.receiver)
            self.files = disk.read_files(self.folder, [STORE, CHECKPOINT])
            self.run(writes, fails)
        finally:
            self.witness.end()
            self.receiver.shutdown()
            self.receiver.server_close()

    def run(self, writes, fails):
        trace = self.node.folder / "trace"
        self.node.command = [*trace_command(self.folder, trace, fails and self.choices), *self.node.command]
        self.node.start()
        self.node.wait_until_ready()
        writers = writer.make_writers([self.node], self.journal, self.choices, WRITERS)
        threads = writer.start(writers, count_max=writes // WRITERS)
        end = time.monotonic() + RECORDING_SECONDS_MAX
        for thread in threads:
            thread.join(max(0.1, end - time.monotonic()))
        writer.end(writers, threads)
        self.witness.wait_until_seen(CHECKPOINTS, CHECKPOINT_SECONDS_MAX)
        (child,) = children(self.node.process.pid)
        # An orderly end moves the log into the file and removes it.
        os.kill(child, self.choices.choice([signal.SIGINT, signal.SIGKILL]))
        self.node.process.wait(story.PATIENCE_SECONDS)
        self.site.running.remove(self.node.process)
        self.read(trace)

    def read(self, trace):
        self.ended_ns = time.time_ns()
        self.calls = disk.read_calls(trace)
        trace.unlink()
        impossible = self.compare_model().impossible
        if impossible:
            self.calls, self.ended_ns = disk.until(self.calls, impossible), impossible.began_ns

    def compare_model(self):
        """With all calls, the model has the same files as the folder. Returns the model."""
        state = disk.Disk(self.folder, self.files)
        for _line, begins, call in disk.steps(self.calls):
            (state.begin if begins else state.end)(call)
        names = [path.name for path in self.folder.iterdir() if not disk.is_index(path.name)]
        if all(call.end is not None for call in self.calls):
            found, told = disk.read_files(self.folder, names), state.view()
            differing = [name for name in found.keys() | told.keys() if found.get(name) != told.get(name)]
            # Locks on these files matter, and nothing in them.
            if set(differing) - {str(self.folder / f"{name}.lock") for name in (STORE, CHECKPOINT)}:
                raise Failed(f"the model of the disk differs from the disk: {differing}")
        return state

    def examine(self, store, at_ns):
        """Everything that is wrong with an image of a power cut at this time."""
        memory = self.witness.at(store.with_name(CHECKPOINT))
        return account.examine(store, self.base, self.journal.writes, self.receiver.events, at_ns, memory)

    def failed_syncs(self):
        return sum(call.name in disk.SYNCS and call.result == -1 for call in self.calls)

    def cut(self, count, choices, ignores=lambda path: False):
        """So many images: when the power was cut, and the files."""
        found = disk.steps(self.calls)
        times = disk.cut_times(found)
        cuts = collections.Counter(choices.randint(0, len(found)) for _image in range(count))
        # The end of the recording is one of the moments.
        cuts[len(found)] += 1
        state = disk.Disk(self.folder, self.files, ignores)
        for number, (_line, begins, call) in enumerate(found):
            for _image in range(cuts[number]):
                yield times[number], state.image(choices)
            (state.begin if begins else state.end)(call)
        for _image in range(cuts[len(found)]):
            yield self.ended_ns, state.image(choices)


class ImportRecording(Recording):
    """The same of an import, without a node."""

    def run(self, _writes, _fails):
        trace, rows = self.node.folder / "trace", self.node.folder / "rows.ndjson"
        companions.write_rows(rows)
        command = [ONWARD, "import", rows, "--config", self.node.config]
        story.run(*trace_command(self.folder, trace), *command)
        self.read(trace)

    def examine(self, store, at_ns):
        wrong = super().examine(store, at_ns)
        if at_ns == self.ended_ns and not wrong:
            wrong = list(companions.find_missing(store))
        return wrong


def prepare(site, nodes, store, receiver):
    """Subscribes the receiver and reads what is in the store already."""
    nodes[0].start()
    nodes[0].wait_until_ready()
    caller = service.Caller(nodes[:1], service.AGENT)
    answer = caller.subscribe(receiver.url)
    if answer.status // 100 != 2:
        raise Failed(f"subscribing got {answer.status}: {answer.content}")
    caller.need_token()
    types = caller.ask("listing_base_url", "GET", "/api/v1/milestone_type", None, caller.own_header())
    keys = {int(one["id"]): one["attributes"]["key"] for one in types.content["data"]}
    keys = {number: key for number, key in keys.items() if key in writer.LABELS}
    nodes[0].process.send_signal(signal.SIGINT)
    nodes[0].process.wait(story.PATIENCE_SECONDS)
    site.running.remove(nodes[0].process)
    return account.Base.read(store, keys, receiver.url)


def trace_command(folder, trace, choices=None):
    """strace with all data that is written to the files of a folder, and failing syncs if there are choices."""
    endings = ("", "-wal", "-shm", "-journal", ".checkpoint", ".checkpoint.new")
    paths = [folder, *(folder / f"{STORE}{ending}" for ending in endings)]
    command = ["strace", "-f", "-y", "--seccomp-bpf", "--timestamps=unix,ns", "-xx", "-s", "1048576", "-o", trace]
    for path in paths:
        command += ["-P", path]
    command += ["-e", f"trace={disk.TRACED}"]
    if choices:
        when = {"first": choices.randint(3, 12), "step": choices.randint(5, 25)}
        command += ["-e", FAILING.format(**when)]
    return command


def children(process):
    return [int(text) for text in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


class Opener:
    """Opens images of one recording, and keeps those that are wrong."""

    def __init__(self, recording, evidence):
        self.recording, self.evidence = recording, evidence
        self.place = recording.node.folder / "image"
        self.place.mkdir(exist_ok=True)
        self.opened, self.deep, self.faults = 0, 0, []

    def open(self, at_ns, files):
        """Everything that is wrong with an image."""
        disk.write_files(files, self.recording.folder, self.place)
        self.opened += 1
        return self.recording.examine(self.place / STORE, at_ns)

    def open_deep(self, files):
        """What the program itself says about an image."""
        disk.write_files(files, self.recording.folder, self.place)
        self.deep += 1
        store = self.place / STORE
        command = [ONWARD, "check", "--deep", "--config", self.recording.node.config, "--set", f"store={store}"]
        try:
            story.run(*command)
        except Failed as error:
            return [str(error)]
        return []

    def keep(self, at_ns, files, wrong):
        self.faults += [f"image {self.opened}, cut at {at_ns}: {text}" for text in wrong]
        if self.evidence and not self.evidence.exists():
            self.evidence.mkdir(parents=True)
            disk.write_files(files, self.recording.folder, self.evidence)


def prove_unit(site, choices, seconds, evidence):
    end = time.monotonic() + seconds
    kind = choices.choice(["node", "node", "node", "failing", "failing", "import"])
    writes = WRITES if seconds > UNIT_SECONDS else WRITES_SHORT
    recording = (ImportRecording if kind == "import" else Recording)(site, choices, writes, kind == "failing")
    opener = Opener(recording, evidence)
    recorded = time.monotonic()
    while (time.monotonic() < end or opener.opened < IMAGES_MIN) and not opener.faults:
        for at_ns, files in recording.cut(PASS_IMAGES, choices):
            wrong = opener.open(at_ns, files)
            if not wrong and opener.opened % DEEP_EVERY == 0:
                wrong = opener.open_deep(files)
            if wrong:
                opener.keep(at_ns, files, wrong)
            # On a busy machine the recording may have taken all the time.
            if wrong or (time.monotonic() > end and opener.opened >= IMAGES_MIN):
                break
    journal = recording.journal
    tried = {
        "recordings of a node": int(kind == "node"),
        "recordings of a node with failing syncs": int(kind == "failing"),
        "recordings of an import": int(kind == "import"),
        "images": opener.opened,
        "images that the program checked": opener.deep,
        "acknowledged writes": journal.count("acknowledged"),
        "calls that changed files": len(recording.calls),
        "failed syncs": recording.failed_syncs(),
        "checkpoints of the log seen": len(recording.witness.seen),
        "seconds of images": round(time.monotonic() - recorded, 1),
    }
    if not opener.opened or (kind != "import" and not journal.count("acknowledged")):
        opener.faults.append("nothing was recorded, or no image was opened")
    clean_up(recording)
    return tried, journal.wrong + opener.faults


def prove_control(site, choices):
    """A disk that ignores the syncs of the log loses acknowledged writes."""
    disk.check_model()
    recording = Recording(site, choices, WRITES_SHORT)
    opener = Opener(recording, None)
    images = recording.cut(CONTROL_IMAGES, choices, lambda path: path.endswith("-wal"))
    found = [text for at_ns, files in images for text in opener.open(at_ns, files)]
    clean_up(recording)
    lost = [text for text in found if text.startswith("lost: ")]
    return {"fault": "a disk that ignores the syncs of the log", "found": len(lost), "shown": lost[:1]}


def clean_up(recording):
    shutil.rmtree(recording.node.folder, ignore_errors=True)


