"""Runs the units of a part, keeps their results, and writes the figures of docs/proof.md."""

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
FILE = pathlib.Path(os.environ.pop("ONWARD_PROOF_RESULTS", FOLDER / "results.jsonl"))
PAGE = story.ROOT / "docs/proof.md"
BEGIN, END = "<!-- figures: scripts/prove --report -->\n", "<!-- end of figures -->\n"
CONTROL = "control"
FAULTS_KEPT = 20


def prove(name, seed, seconds, only=None):
    """Proves a part for so many seconds. Returns all that was wrong."""
    part = importlib.import_module(f"proof.{name}")
    run = Run(name, part, seed, seconds, only)
    print(f"== {name}", flush=True)
    story.tell(part.SITE, run.tell)
    return run.faults


class Run:
    """The units of one part in one run."""

    def __init__(self, name, part, seed, seconds, only):
        self.name, self.part, self.seed, self.only = name, part, seed, only
        self.seconds, self.faults = seconds, []

    def tell(self, site):
        end = time.monotonic() + self.seconds
        if self.only is None:
            self.run_control(site)
        unit = self.only if self.only is not None else self.next_unit()
        longest = self.part.UNIT_SECONDS_LONG if self.seconds > 300 else self.part.UNIT_SECONDS
        while True:
            left = end - time.monotonic()
            self.run_unit(site, unit, min(longest, max(left, longest / 2)))
            unit += 1
            # The last unit may be shorter, but not by much.
            if self.only is not None or end - time.monotonic() < longest / 3:
                return

    def next_unit(self):
        done = [line["unit"] for line in read_lines() if line["part"] == self.name and line["seed"] == self.seed]
        return max([unit for unit in done if unit != CONTROL], default=-1) + 1

    def choose(self, unit):
        return random.Random(f"{self.seed}/{self.name}/{unit}")

    def run_control(self, site):
        began = time.monotonic()
        found = self.part.prove_control(site, self.choose(CONTROL))
        if not found["found"]:
            self.faults.append(f"{self.name}: the control was not found: {found['fault']}")
        self.keep(CONTROL, began, {"control": found}, [])

    def run_unit(self, site, unit, seconds):
        began = time.monotonic()
        evidence = FOLDER / f"{self.name}-{self.seed}-{unit}"
        tried, wrong = self.part.prove_unit(site, self.choose(unit), seconds, evidence)
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
        FILE.parent.mkdir(parents=True, exist_ok=True)
        with open(FILE, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        told = ", ".join(f"{count} {what}" for what, count in line.get("tried", {}).items() if count)
        print(f"{self.name} {unit}: {told or found}, {len(wrong)} faults", flush=True)


def program():
    """The digest of the program, and the commit of the sources."""
    commit = subprocess.run(
        ["git", "-C", story.ROOT, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True, check=False
    )
    digest = hashlib.sha256(pathlib.Path(story.ONWARD).read_bytes()).hexdigest()
    return {"commit": commit.stdout.strip(), "digest": digest[:16]}


def read_lines():
    if not FILE.exists():
        return []
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def report():
    """Writes the figures of all results into docs/proof.md."""
    lines = read_lines()
    if not lines:
        raise SystemExit(f"{FILE} has no results: run scripts/prove first")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + "\n" + "".join(figures(lines)) + "\n" + END + after, encoding="utf-8")


def figures(lines):
    names = list(dict.fromkeys(line["part"] for line in lines))
    yield "| Part | Hours | Units | Seeds | Faults | Controls found |\n|---|---|---|---|---|---|\n"
    for name in names:
        own = [line for line in lines if line["part"] == name]
        controls = [line["control"] for line in own if line["unit"] == CONTROL]
        found = sum(bool(control["found"]) for control in controls)
        hours = sum(line["seconds"] for line in own) / 3600
        seeds = ", ".join(sorted({str(line["seed"]) for line in own}))
        faults = sum(len(line["faults"]) for line in own)
        units = len(own) - len(controls)
        yield f"| `{name}` | {hours:.1f} | {units} | {seeds} | {faults} | {found} of {len(controls)} |\n"
    for name in names:
        total = collections.Counter()
        for line in lines:
            if line["part"] == name:
                total.update(line.get("tried", {}))
        if not total:
            continue
        yield f"\n`scripts/prove {name}`:\n\n| What | How often |\n|---|---|\n"
        for what, count in sorted(total.items()):
            yield f"| {what} | {count:,.0f} |\n"
    builds = len({line["program"]["digest"] for line in lines})
    days = sorted(line["at"][:10] for line in lines)
    yield f"\nBuilds of the program: {builds}, from {days[0]} to {days[-1]}.\n"
