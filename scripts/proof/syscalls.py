"""The n-th system call of a write fails: strace lets calls on the store's files fail while a node serves.

A case is one kind of write, one kind of failure and a number n. n rises until the write makes fewer
such calls. After each case the store is read twice: as the node shows it, and as a start after a kill
would find it. Every answer has to be true in both."""

import collections
import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import threading
import time

import story
from proof import account, power, service, state_log, writer
from story import Failed, wait_until

UNIT_SECONDS = 25
UNIT_SECONDS_LONG = 300
SITE = service.Site
# Files of a node with many rows take long to read.
CASES_OF_NODE = 120
GROUP = 8
# `store_connections`
READERS = 4
NUMBER_MAX = 200
READY_SECONDS_MAX = 5
ANSWER_SECONDS_MAX = 20
END_SECONDS_MAX = 5
DELIVERED_SECONDS_MAX = 60
# `+` after the number: this call and all later ones fail. Locks are not among them: strace would let
# the release of a lock fail as well, which no kernel does.
FAILURES = [
    "fsync,fdatasync:error=EIO:when={n}",
    "fsync,fdatasync:error=EIO:when={n}+",
    "fsync,fdatasync:error=ENOSPC:when={n}",
    "fsync,fdatasync:signal=KILL:when={n}",
    "pwrite64:error=ENOSPC:when={n}",
    "pwrite64:error=ENOSPC:when={n}+",
    "pwrite64:error=EIO:when={n}",
    "pwrite64:error=EIO:when={n}+",
    "pwrite64:signal=KILL:when={n}",
    "pread64:error=EIO:when={n}",
    "pread64:error=EIO:when={n}+",
    "fcntl:signal=KILL:when={n}",
]
KINDS = ["milestone", "kept", "group", *dict.fromkeys(writer.Sale.STEPS), "subscribe", "watch"]
# Every write to the log seems to succeed, and none does.
CONTROL = "pwrite64:retval=4096:when=1+"


class Subject:
    """A node under test, with its writers, its receiver and its journal."""

    def __init__(self, site, choices):
        self.site, self.choices = site, choices
        (self.node,) = site.make_service("sqlite")
        self.store = self.node.folder / "onward.db"
        self.journal = writer.Journal()
        self.receiver = service.Receiver(self.node)
        self.base = power.prepare(site, [self.node], self.store, self.receiver)
        self.witness = state_log.Witness([self.node], self.node.checkpoint_file)
        self.node.start()
        self.node.wait_until_ready()
        self.writers = writer.make_writers([self.node], self.journal, choices, GROUP, keyed_share=0)
        for one in self.writers:
            one.caller.need_token()
        self.watching = self.subscribe_watch()
        self.cases, self.wrong, self.tried = 0, [], collections.Counter()

    def expect_delivered(self):
        """After all failures each event has come to the receiver."""
        if not holds_soon(lambda: not account.Account(self.store, self.base).waiting(), DELIVERED_SECONDS_MAX):
            self.accuse("the end", "no failure", ["events wait, although the receiver answers"])
        events = account.Account(self.store, self.base).table["event"]
        self.tried["events delivered"] += len(events)
        missing = [row[1] for row in events if row[1] not in self.receiver.events]
        self.accuse("the end", "no failure", [f"lost: the events {missing[:5]} never came"] if missing else [])

    def end(self):
        with contextlib.suppress(ValueError):
            self.site.kill(self.node.process)
        self.witness.end()
        self.receiver.shutdown()
        self.receiver.server_close()
        shutil.rmtree(self.node.folder, ignore_errors=True)

    def subscribe_watch(self):
        """The id of a subscription that watches a property."""
        body = {"participantName": service.LENDER, "callbackUrl": f"{self.receiver.url}/watch"}
        body |= {"events": ["fallthrough"], "watch": {"uprns": [1], "reach": "property"}}
        caller = self.writers[0].caller
        answer = caller.ask("base_url", "POST", "/api/v1/webhook/subscribe", body, caller.api_key())
        return answer.content["subscriptionId"]

    def plan(self, kind):
        """The writes of a case, each with its writer. All that they need is there already."""
        first = self.writers[0]
        if kind == "group":
            return [(one, one.plan_milestone()) for one in self.writers]
        if kind == "subscribe":
            return [(first, first.plan_subscription())]
        if kind == "watch":
            uprn = first.next_uprn()
            path = f"/api/v1/webhook/subscriptions/{self.watching}/watch"
            return [(first, writer.Write(kind, "PATCH", path, {"add": [uprn]}, ("watched", uprn), address="base_url"))]
        if kind in ("milestone", "kept"):
            write = first.plan_milestone()
        else:
            write = self.advance(first, kind)
        if kind == "kept":
            write.key = f"proof-kept-{self.cases}"
        return [(first, write)]

    def advance(self, one, kind):
        """Takes a new sale to the step of this kind, which is planned and not sent."""
        sale = writer.Sale(one)
        one.sales = [sale]
        # The second of two such steps.
        before = len(sale.STEPS) - 1 - sale.STEPS[::-1].index(kind)
        for _step in range(before):
            write = one.send(sale.plan())
            if write.outcome != "acknowledged":
                raise Failed(f"without a failure, {write.kind} got {write.answers}")
        return sale.plan()

    def try_case(self, kind, failure):
        """Whether a call failed. Everything that contradicts an answer is noted."""
        self.cases += 1
        try:
            planned = self.plan(kind)
        except Failed as error:
            self.accuse(kind, "no failure", [str(error)])
            return False
        for one in self.writers:
            if one.caller.token_ends < time.monotonic() + 60:
                one.caller.token_ends = 0
                one.caller.need_token()
        before = len(self.journal.wrong)
        # docs/runbooks.md, "A damaged store": a store that cannot be read is a 500.
        self.journal.is_damaged = failure.startswith("pread64")
        with Injection(self, failure) as injection:
            threads = [threading.Thread(target=one.send, args=[write], daemon=True) for one, write in planned]
            for thread in threads:
                thread.start()
            self.wait_for(threads, injection)
            is_unwritable = injection.is_lasting and not self.journal.is_damaged and injection.has_hit()
            if is_unwritable and self.choices.random() < 0.2:
                self.expect_unready(kind, failure)
        is_hit = injection.has_hit()
        if self.node.process.poll() is not None:
            self.restart()
        for thread in threads:
            thread.join(ANSWER_SECONDS_MAX)
            if thread.is_alive():
                self.accuse(kind, failure, ["a write has no answer"])
        self.note(kind, [write for _one, write in planned], is_hit)
        self.accuse(kind, failure, self.journal.wrong[before:])
        self.accuse(kind, failure, self.examine())
        self.expect_ready(kind, failure)
        self.expect_reads(kind, failure)
        return is_hit

    def wait_for(self, threads, injection):
        end = time.monotonic() + ANSWER_SECONDS_MAX
        while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
            if self.node.process.poll() is not None:
                return
            # A kept write is repeated until its outcome is known, and needs the failure to end.
            if injection.is_lasting and injection.has_hit() and time.monotonic() > end - ANSWER_SECONDS_MAX + 1:
                return
            time.sleep(0.005)

    def note(self, kind, writes, is_hit):
        self.tried["cases"] += 1
        if not is_hit:
            return
        self.tried["cases in which a call failed"] += 1
        for write in writes:
            status, code = write.answers[0] if write.answers else (0, "")
            word = {0: "without an answer", 503: f"503 {code}"}.get(status, str(status))
            self.tried[f"answers {word}"] += 1

    def restart(self):
        self.site.running.remove(self.node.process)
        self.node.start()
        self.node.wait_until_ready()
        self.tried["kills"] += 1

    def examine(self):
        """The store as the node shows it, and as a start after a kill finds it."""
        image = self.node.folder / "image"
        shutil.rmtree(image, ignore_errors=True)
        image.mkdir()
        process = self.node.process.pid
        os.kill(process, signal.SIGSTOP)
        wait_until("the node stops", lambda: is_stopped(process) or self.node.process.poll() is not None)
        if self.node.process.poll() is not None:
            # The kill hit a call that came after the answer, such as the sealer's.
            self.restart()
            return self.examine()
        now = time.time_ns()
        try:
            shutil.copy(self.store, image)
            for ending in ("-wal", ".checkpoint"):
                # A node begins the log some seconds after its start.
                with contextlib.suppress(FileNotFoundError):
                    shutil.copy(f"{self.store}{ending}", image)
        finally:
            os.kill(process, signal.SIGCONT)
        found = []
        for name, store in (("after a kill", image / "onward.db"), ("live", self.store)):
            memory = self.witness.at(f"{store}.checkpoint")
            memory.seen = {checkpoint: at for checkpoint, at in list(memory.seen.items()) if at < now}
            wrong = account.examine(store, self.base, self.journal.writes, self.receiver.events, memory=memory)
            found += [f"{name}: {text}" for text in wrong]
        self.tried["stores read"] += 2
        return found

    def expect_unready(self, kind, failure):
        """While the store cannot be written, a node is not ready."""
        self.tried["readiness during a failure"] += 1
        if not holds_soon(lambda: story.fetch(self.node.ports["ops"], "/health/ready")[0] == 503):
            self.accuse(kind, failure, ["the node is ready although calls go on to fail"])

    def expect_ready(self, kind, failure):
        self.tried["readiness after a failure"] += 1
        # After a failed sync of the store's file only a restart moves its log.
        if "store_sync" in story.fetch(self.node.ports["ops"], "/health/ready")[1]:
            self.site.kill(self.node.process)
            self.node.start()
            self.node.wait_until_ready()
            self.tried["restarts after a failed sync"] += 1
        if not holds_soon(lambda: story.is_ready(self.node.ports["ops"])):
            self.accuse(kind, failure, ["the node is not ready although no call fails any more"])

    def expect_reads(self, kind, failure):
        """Each of the threads that read reads again."""
        caller = self.writers[0].caller
        for _thread in range(READERS):
            ask = ("listing_base_url", "GET", "/api/v1/listing?per_page=1", None, caller.own_header())
            answer = caller.ask(*ask)
            if answer.status == 0:
                # The connection was one of before a kill.
                answer = caller.ask(*ask)
            if answer.status != 200:
                self.accuse(kind, failure, [f"a read after the failure got {answer.status}: {answer.content}"])

    def accuse(self, kind, failure, texts):
        if texts:
            texts = [*texts, *self.site.last_lines(self.node)]
        self.wrong += [f"{kind}, {failure}: {text}" for text in texts]


class Injection:
    """strace, attached to a node, while calls of it fail."""

    def __init__(self, subject, failure, files=("", "-wal", "-shm")):
        self.subject, self.failure = subject, failure
        self.is_lasting = failure.endswith("+")
        self.output = subject.node.folder / "injected"
        self.paths = [f"{subject.store}{ending}" for ending in files]

    def __enter__(self):
        process = self.subject.node.process.pid
        command = ["strace", "-f", "-p", str(process), "-o", self.output]
        for path in self.paths:
            command += ["-P", path]
        call = self.failure.partition(":")[0]
        command += ["-e", f"trace={call}", "-e", f"inject={self.failure}"]
        self.output.write_text("")
        self.process = self.subject.site.start("strace", command)
        # A write of the node itself may have ended both already.
        wait_until("strace is attached", lambda: is_traced(process) or self.process.poll() is not None)
        return self

    def __exit__(self, *_error):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(END_SECONDS_MAX)
            self.subject.site.running.remove(self.process)
        except subprocess.TimeoutExpired:
            # It waits for a thread of a killed node.
            self.subject.site.kill(self.process)

    def has_hit(self):
        return "INJECTED" in self.output.read_text(errors="replace") or self.subject.node.process.poll() is not None


def is_traced(process):
    """Whether all threads of a process are traced, or the process is gone."""
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{task}/status", encoding="ascii") as status:
                if "TracerPid:\t0\n" in status.read():
                    return False
    return True


def is_stopped(process):
    with open(f"/proc/{process}/stat", encoding="ascii") as stat:
        return stat.read().rpartition(") ")[2][0] in "Tt"


def holds_soon(holds, seconds=READY_SECONDS_MAX):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(story.POLL_SECONDS)
    return True


def prove_unit(site, choices, seconds, _evidence):
    """All numbers of all cases in a random order; in a short unit some numbers of each."""
    end = time.monotonic() + seconds
    pairs = list(itertools.product(KINDS, FAILURES))
    choices.shuffle(pairs)
    step_max = 1 if seconds > UNIT_SECONDS else 9
    tried, wrong, subject = collections.Counter(), [], None

    def leave():
        if not subject.wrong:
            subject.expect_delivered()
        subject.end()
        tried.update(subject.tried)
        wrong.extend(subject.wrong)

    try:
        for kind, failure in pairs:
            number = choices.randint(1, step_max)
            while time.monotonic() < end and number <= NUMBER_MAX:
                if subject is None or subject.cases >= CASES_OF_NODE:
                    if subject:
                        leave()
                    subject = Subject(site, choices)
                if not subject.try_case(kind, failure.format(n=number)):
                    tried["sweeps"] += 1
                    break
                number += choices.randint(1, step_max)
            if time.monotonic() > end or wrong:
                break
    finally:
        if subject:
            leave()
    return dict(tried), wrong


def prove_control(site, choices):
    """Writes to the log that only seem to succeed lose what is acknowledged."""
    subject = Subject(site, choices)
    try:
        with Injection(subject, CONTROL, ("-wal",)):
            for _write in range(3):
                subject.writers[0].send(subject.writers[0].plan_milestone())
        found = subject.examine()
    finally:
        subject.end()
    lost = [text for text in found if "lost: " in text]
    return {"fault": "writes to the log that only seem to succeed", "found": len(lost), "shown": lost[:1]}
