#!/usr/bin/env python3
"""Works in a pedantic sandbox for three minutes: receives events, asks for chains, plays stories.

Each call of a library must succeed at its first try. Each receiver must keep each event of its
subscription exactly once, as the log of deliveries shows them. Meanwhile the receivers are away for
a while, come back at other addresses, and the API key is replaced.
"""

import argparse
import asyncio
import dataclasses
import itertools
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from onward_client import AsyncClient, Client, Delivery, ProblemError

ROOT = Path(__file__).resolve().parent.parent
STORIES = ("completion", "fall-through", "split")
# Programs without a library repeat no call, so they are started again.
STARTS_MAX = 5
PASSING = ("429", "503", "the rate limit is reached")
PLAY_SECONDS = 150
# Four pauses after a lost answer, each of which holds up the later events of its property.
SETTLE_SECONDS_MAX = 90
PAUSE_SECONDS = 0.5
OVERLAP_SECONDS = 20
PORTS = 5

Command = list[str | Path]


class Receiver:
    """A program that receives events. It prints each event as a line of JSON."""

    def __init__(self, name: str, command: Command, port: int, folder: Path) -> None:
        self.name, self.command, self.port = name, command, port
        self.out, self.err = folder / f"{port}.out", folder / f"{port}.err"
        self.subscription_id = ""
        self.starts = 0
        self.start()

    def start(self) -> None:
        self.starts += 1
        with self.out.open("ab") as out, self.err.open("ab") as err:
            self.process = subprocess.Popen([*self.command, "--port", str(self.port)],
                                            stdout=out, stderr=err)

    def keep_running(self) -> None:
        if self.process.poll() is None:
            return
        said = self.err.read_text()
        if self.starts == STARTS_MAX or not any(status in said for status in PASSING):
            raise SystemExit(f"{self.name} ended with {self.process.returncode}: {said}")
        self.start()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()

    def events(self) -> list[dict]:
        lines = self.out.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def new_events(self) -> list[str]:
        return [event["eventId"] for event in self.events() if not event.get("duplicate")]


class Callers:
    """Clients of the libraries that live through the whole story, and call again and again."""

    def __init__(self, file: Path, uprns: list[int], node: Path) -> None:
        self.file, self.uprns = file, uprns
        self.is_over = threading.Event()
        self.pool = ThreadPoolExecutor()
        self.node = subprocess.Popen(["node", node / "pedantic_client.mjs", file, *map(str, uprns)],
                                     stdin=subprocess.PIPE)
        self.calling = [self.start(self.call), self.start(asyncio.run, self.call_async())]

    def start(self, work: Callable[..., None], *args: object) -> Future[None]:
        return self.pool.submit(work, *args)

    def call(self) -> None:
        with Client.from_sandbox(self.file, "Example Platform") as client:
            for rounds in itertools.count():
                assert len(client.query_uprns(self.uprns).chains) == len(self.uprns)
                client.listings.list()
                if self.is_over.wait(PAUSE_SECONDS):
                    return print(f"Python: {rounds + 1} rounds of calls")

    async def call_async(self) -> None:
        async with AsyncClient.from_sandbox(self.file, "Example Platform") as client:
            for rounds in itertools.count():
                assert len((await client.query_uprns(self.uprns)).chains) == len(self.uprns)
                await client.listings.list()
                if self.is_over.is_set():
                    return print(f"asynchronous Python: {rounds + 1} rounds of calls")
                await asyncio.sleep(PAUSE_SECONDS)

    def check(self) -> None:
        for calling in self.calling:
            if calling.done():
                calling.result()
        if self.node.poll():
            raise SystemExit("the client in TypeScript failed")

    def end(self) -> None:
        self.is_over.set()
        self.node.stdin.close()
        self.node.wait()
        self.check()
        self.pool.shutdown()


class Story:
    """The sandbox and the programs that work in it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.onward, self.sandbox = options.onward, options.sandbox
        self.file = options.sandbox / "sandbox.json"
        self.client = Client.from_sandbox(self.file)
        self.started = time.monotonic()
        self.stories = itertools.cycle(STORIES)
        self.receivers = open_receivers(options)
        samples = json.loads(self.file.read_text())["samples"]
        uprns = [samples[name] for name in ("uprn_in_chain", "uprn_split", "uprn_alone")]
        self.callers = Callers(self.file, uprns, options.node)
        self.queries = list_queries(options, uprns[0])
        self.once = ["env", f"PYTHONPATH={options.generated}", options.generated_python,
                     ROOT / "scripts/generators/python/use_clients.py", options.sandbox]

    def play(self) -> None:
        self.subscribe()
        story = self.callers.start(self.play_story)
        run(self.once)
        story.result()
        self.query()
        self.settle()
        old_key = self.break_off()
        while time.monotonic() - self.started < PLAY_SECONDS or not self.has_second_key():
            story = self.callers.start(self.play_story)
            self.query()
            story.result()
        check_pedantry(self.receivers[-1], self.settle())
        self.check_subscriptions(old_key)
        self.callers.end()

    def end(self) -> None:
        self.callers.is_over.set()
        self.callers.node.kill()
        for receiver in self.receivers:
            receiver.end()

    def subscribe(self) -> None:
        """Wait until each receiver has subscribed."""
        end = time.monotonic() + SETTLE_SECONDS_MAX
        while time.monotonic() < end:
            self.check()
            found = {port_of(one.callback_url): one.subscription_id
                     for one in self.client.subscriptions.list()}
            if all(receiver.port in found for receiver in self.receivers):
                for receiver in self.receivers:
                    receiver.subscription_id = found[receiver.port]
                return
            time.sleep(PAUSE_SECONDS)
        raise SystemExit(f"not all receivers subscribed: {found}")

    def play_story(self) -> None:
        run([self.onward, "scenario", next(self.stories), "--speed", "10000",
             "--sandbox", self.sandbox])

    def query(self) -> None:
        for starts, commands in self.queries.items():
            for command in commands:
                run(command, starts)
                self.check()

    def check(self) -> None:
        self.callers.check()
        for receiver in self.receivers:
            receiver.keep_running()

    def settle(self) -> list[Delivery]:
        """Wait until each receiver has each event of its subscription. Return all deliveries."""
        end = time.monotonic() + SETTLE_SECONDS_MAX
        while True:
            self.check()
            logs = {receiver: list(self.client.subscriptions.all_deliveries(receiver.subscription_id))
                    for receiver in self.receivers}
            missing = {receiver: [entry for entry in log if entry.event_id not in received]
                       for receiver, log in logs.items()
                       for received in [set(receiver.new_events())]}
            for receiver, entries in missing.items():
                is_late = time.monotonic() > end
                if lost := [entry for entry in entries if is_late or entry.status != "waiting"]:
                    raise SystemExit(f"{receiver.name} lacks {len(lost)} events: {lost[0]}; "
                                     f"it said: {receiver.err.read_text()[-2000:]}")
            if not any(missing.values()):
                break
            time.sleep(PAUSE_SECONDS)
        for receiver, log in logs.items():
            if len(set(receiver.new_events())) < len(receiver.new_events()):
                raise SystemExit(f"{receiver.name} took an event for new twice")
            print(f"{receiver.name} kept {len(log)} events, each once")
        return [entry for log in logs.values() for entry in log]

    def break_off(self) -> str:
        """Stop the receivers with a store for a while, move them, and replace the API key.

        Returns the old key.
        """
        away = self.receivers[:-1]
        for receiver in away:
            receiver.end()
        self.play_story()
        file = json.loads(self.file.read_text())
        old_key = file["api_keys"][0]["key"]
        rotated = run([self.onward, "api-key", "rotate", re.search(r"_(\d+)_", old_key)[1], "--json",
                       "--overlap", f"{OVERLAP_SECONDS}s", "--config", file["config_file"]])
        file["api_keys"][0]["key"] = json.loads(rotated)["key"]
        self.file.write_text(json.dumps(file))
        self.client.close()
        self.client = Client.from_sandbox(self.file)
        for receiver in away:
            subscription = self.client.subscriptions.get(receiver.subscription_id)
            receiver.port += PORTS
            url = subscription.callback_url.replace(f":{receiver.port - PORTS}/", f":{receiver.port}/")
            self.client.subscriptions.move(receiver.subscription_id, url)
            receiver.start()
        return old_key

    def has_second_key(self) -> bool:
        return len({event["kid"] for event in self.receivers[-1].events()}) > 1

    def check_subscriptions(self, old_key: str) -> None:
        """Fail unless the receivers have their old subscriptions, and the old key has ended."""
        now = {one.subscription_id for one in self.client.subscriptions.list()}
        assert now == {receiver.subscription_id for receiver in self.receivers}
        with Client(dataclasses.replace(self.client.settings, api_key=old_key)) as old:
            try:
                old.subscriptions.list()
            except ProblemError as error:
                assert error.status == 401, error
            else:
                raise SystemExit("the old API key is still valid")


def open_receivers(options: argparse.Namespace) -> list[Receiver]:
    """Start the receivers. Only the last one, `onward listen`, forgets its events when it ends."""
    sandbox = ["--sandbox", options.sandbox]
    more = [*sandbox, "--subscribe", "--accept-simulated"]
    python = ROOT / "examples/python"
    commands = {
        "the Python library": [sys.executable, python / "receive.py", *sandbox, "--accept-simulated"],
        "Python": [sys.executable, python / "without-library/receive.py", *more],
        "the TypeScript library": ["node", options.node / "receive.mjs", *sandbox],
        "Node": ["node", options.node_without_library / "receive.mjs", *more],
        "onward listen": [options.onward, "listen", *more, "--json"],
    }
    return [Receiver(name, command, options.port + offset, options.folder)
            for offset, (name, command) in enumerate(commands.items())]


def list_queries(options: argparse.Namespace, uprn: int) -> dict[int, list[Command]]:
    """Return the programs that query, by the number of their starts."""
    sandbox = ["--sandbox", options.sandbox]
    python = ROOT / "examples/python"
    return {
        1: [[sys.executable, python / "query.py", *sandbox],
            ["node", options.node / "query.mjs", *sandbox]],
        STARTS_MAX: [[sys.executable, python / "without-library/query.py", *sandbox],
                     ["node", options.node_without_library / "query.mjs", *sandbox],
                     [options.onward, "query", *sandbox, "--uprn", str(uprn)]],
    }


def check_pedantry(listener: Receiver, deliveries: list[Delivery]) -> None:
    """Fail unless the sandbox was as pedantic as it said."""
    again = sum(len(entry.attempts) > 1 for entry in deliveries)
    duplicates = sum(event["duplicate"] for event in listener.events())
    print(f"{again} deliveries took several attempts; onward listen saw {duplicates} duplicates")
    if not again or not duplicates:
        raise SystemExit("the sandbox was not pedantic")


def run(command: Command, starts: int = 1) -> str:
    """Run a program until it is not refused for a moment. Return what it printed."""
    for start in range(1, starts + 1):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout
        if start == starts or not any(status in done.stderr for status in PASSING):
            words = " ".join(map(str, command))
            raise SystemExit(f"exit status {done.returncode} from `{words}`: {done.stderr}")
        time.sleep(1)
    raise AssertionError("starts must be at least 1")


def port_of(url: str) -> int:
    return int(url.split(":")[2].split("/")[0])


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onward", type=Path, required=True)
    parser.add_argument("--sandbox", type=Path, required=True)
    parser.add_argument("--node", type=Path, required=True, help="examples with the library")
    parser.add_argument("--node-without-library", type=Path, required=True)
    parser.add_argument("--generated", type=Path, required=True, help="generated packages")
    parser.add_argument("--generated-python", type=Path, required=True, help="runs them")
    parser.add_argument("--port", type=int, required=True, help="the first of ten free ports")
    parser.add_argument("--folder", type=Path, required=True, help="for what the receivers print")
    return parser.parse_args()


def main() -> None:
    story = Story(parse_options())
    try:
        story.play()
    finally:
        story.end()


if __name__ == "__main__":
    main()
