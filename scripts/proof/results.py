"""Runs the units of a part, keeps their results, and writes the figures of docs/proof.md.

Each unit adds a line to a file in target. Each run of more than some minutes adds one to a file that is committed."""

import collections
import hashlib
import importlib
import json
import os
import pathlib
import random
import subprocess
import time

import story

FOLDER = story.TARGET / "proof"
# One JSON object a run.
RUNS = story.ROOT / "scripts/proof/results.jsonl"
RUN_SECONDS_MIN = 300
FILE = pathlib.Path(os.environ.pop("ONWARD_PROOF_RESULTS", FOLDER / "results.jsonl"))
PAGE = story.ROOT / "docs/proof.md"
BEGIN, END = "<!-- figures: scripts/prove --report -->\n", "<!-- end of figures -->\n"
CONTROL = "control"
FAULTS_KEPT = 20


def prove(name, seed, seconds, only=None, ports=None):
    """Proves a part for so many seconds, on these ports or any. Returns all that was wrong."""
    part = importlib.import_module(f"proof.{name}")
    run = Run(name, part, seed, seconds, only)
    print(f"== {name}", flush=True)
    try:
        story.tell(lambda folder: part.SITE(folder, ports), run.tell)
    except SystemExit as ended:
        # A signal ends a run without a fault.
        if isinstance(ended.code, str):
            run.faults.append(f"{name}: the run ended early: {ended.code.splitlines()[-1]}")
        raise
    finally:
        run.keep_run()
    return run.faults


class Run:
    """The units of one part in one run."""

    def __init__(self, name, part, seed, seconds, only):
        self.name, self.part, self.seed, self.only = name, part, seed, only
        self.seconds, self.faults = seconds, []
        self.began = time.monotonic()
        self.counts, self.controls = collections.Counter(), collections.Counter()

    def tell(self, site):
        end = time.monotonic() + self.seconds
        if self.only is None:
            self.run_control(site)
        unit = self.only if self.only is not None else self.next_unit()
        longest = self.part.UNIT_SECONDS_LONG if self.seconds > RUN_SECONDS_MIN else self.part.UNIT_SECONDS
        while True:
            left = end - time.monotonic()
            self.run_unit(site, unit, min(longest, max(left, longest / 2)))
            unit += 1
            # The last unit may be shorter, but not by much.
            if self.only is not None or end - time.monotonic() < longest / 3:
                return

    def keep_run(self):
        """Adds a long run to the figures."""
        seconds = time.monotonic() - self.began
        if seconds < RUN_SECONDS_MIN or self.only is not None:
            return
        line = {
            "part": self.name,
            "seed": self.seed,
            "hours": round(seconds / 3600, 2),
            "counts": dict(self.counts),
            "controls": dict(self.controls),
            "faults": self.faults,
            "commit": program()["commit"],
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
        }
        add_line(RUNS, line)

    def next_unit(self):
        done = [line["unit"] for line in read_lines() if line["part"] == self.name and line["seed"] == self.seed]
        return max([unit for unit in done if unit != CONTROL], default=-1) + 1

    def choose(self, unit):
        return random.Random(f"{self.seed}/{self.name}/{unit}")

    def run_control(self, site):
        began = time.monotonic()
        found = self.part.prove_control(site, self.choose(CONTROL))
        self.controls += collections.Counter(planted=1, found=int(bool(found["found"])))
        if not found["found"]:
            self.faults.append(f"{self.name}: the control was not found: {found['fault']}")
        self.keep(CONTROL, began, {"control": found}, [])

    def run_unit(self, site, unit, seconds):
        began = time.monotonic()
        evidence = FOLDER / f"{self.name}-{self.seed}-{unit}"
        tried, wrong = self.part.prove_unit(site, self.choose(unit), seconds, evidence)
        self.counts += collections.Counter({"units": 1, **tried})
        self.faults += [f"{self.name}, seed {self.seed}, unit {unit}: {text}" for text in wrong[:FAULTS_KEPT]]
        self.keep(unit, began, {"tried": tried}, wrong)

    def keep(self, unit, began, found, wrong):
        line = {
            "part": self.name,
            "seed": self.seed,
            "unit": unit,
            "program": program(),
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "seconds": round(time.monotonic() - began, 1),
            "faults": wrong[:FAULTS_KEPT],
        } | found
        add_line(FILE, line)
        told = ", ".join(f"{count} {what}" for what, count in line.get("tried", {}).items() if count)
        print(f"{self.name} {unit}: {told or found}, {len(wrong)} faults", flush=True)


def program():
    """The digest of the program, and the commit of the sources."""
    commit = subprocess.run(
        ["git", "-C", story.ROOT, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True, check=False
    )
    digest = hashlib.sha256(pathlib.Path(story.ONWARD).read_bytes()).hexdigest()
    return {"commit": commit.stdout.strip(), "digest": digest[:16]}


def add_line(path, line):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def read_lines(path=FILE):
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def report():
    """Writes the figures of all long runs into docs/proof.md."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + "\n" + "".join(figures(read_lines(RUNS))) + "\n" + END + after, encoding="utf-8")


def figures(runs):
    names = list(dict.fromkeys(run["part"] for run in runs))
    totals = {name: collections.Counter() for name in names}
    yield "| Part | Hours | Units | Seeds | Faults | Controls found |\n|---|---|---|---|---|---|\n"
    for name in names:
        own = [run for run in runs if run["part"] == name]
        for run in own:
            totals[name].update(run["counts"])
        hours = sum(run["hours"] for run in own)
        units = totals[name].pop("units", 0)
        seeds = ", ".join(map(str, sorted({run["seed"] for run in own})))
        faults = sum(len(run["faults"]) for run in own)
        found, planted = (sum(run["controls"].get(what, 0) for run in own) for what in ("found", "planted"))
        yield f"| `{name}` | {hours:.1f} | {units} | {seeds} | {faults} | {found} of {planted} |\n"
    for name in names:
        if not totals[name]:
            continue
        yield f"\n`scripts/prove {name}`:\n\n| What | How often |\n|---|---|\n"
        for what, count in sorted(totals[name].items()):
            yield f"| {what} | {count:,.0f} |\n"
    commits = len({run["commit"] for run in runs})
    days = sorted(run["date"] for run in runs)
    yield f"\nCommits that were proved: {commits}, from {days[0]} to {days[-1]}.\n"
