"""Executes each Python sample of the README and of docs/query.md, and the examples."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_sandbox import branch_of

from onward_client import Client, Simulation

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = Path(__file__).parents[3] / "examples" / "python"
GUIDE = Path(__file__).parents[3] / "docs" / "query.md"
TEXT = README.read_text("utf-8") + GUIDE.read_text("utf-8")
SAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture(scope="module")
def lender(sandbox_file: Path) -> Iterator[Client]:
    """The client that the samples use without a name."""
    with Client.from_sandbox(sandbox_file) as client:
        yield client


@pytest.fixture(scope="module")
def place(sandbox_file: Path, lender: Client,
          tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a folder with the files that the samples name, and end their subscription."""
    folder = tmp_path_factory.mktemp("readme")
    sandbox = json.loads(sandbox_file.read_text())
    (folder / "onward-sandbox").symlink_to(sandbox_file.parent)
    first = sandbox["clients"][0]
    for name, member in [("lender.pem", "certificate_file"), ("lender.key", "key_file"),
                         ("lender.assertion.key", "assertion_key_file")]:
        (folder / name).symlink_to(first[member])
    yield folder
    for subscription in lender.subscriptions.list():
        if subscription.callback_url == "https://localhost:8453/onward/events":
            lender.subscriptions.delete(subscription.subscription_id)


def test_the_samples_are_found() -> None:
    assert len(SAMPLES) == TEXT.count("```python") > 7


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_a_sample_runs(place: Path, samples: dict[str, Any], monkeypatch: pytest.MonkeyPatch,
                       number: int, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(place)
    # The README has the numbers of a sandbox with the default data.
    sample = SAMPLES[number].replace("100486368119", str(samples["uprn_in_chain"]))
    sample = sample.replace("branch_id=13", f"branch_id={samples['branch_id']}")
    branch = branch_of(place / "onward-sandbox" / "sandbox.json", "Other Agent")
    sample = sample.replace("branch_id=2,", f"branch_id={branch},")
    (place / "sample.py").write_text(sample, "utf-8")
    runpy.run_path("sample.py")
    assert "do not use this answer" not in capsys.readouterr().out


def test_the_query_example(place: Path) -> None:
    done = subprocess.run([sys.executable, EXAMPLES / "query.py"], cwd=place, timeout=20,
                          capture_output=True, text=True, check=True)
    assert "signature verified" in done.stdout


def test_the_receive_example(place: Path, lender: Client) -> None:
    command: list[str | Path] = [sys.executable, EXAMPLES / "receive.py", "--port", "0",
                                 "--accept-simulated", "--count", "1"]
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert process.stderr is not None
        assert "listening on" in process.stderr.readline()
        lender.subscriptions.simulate(Simulation(event_type="milestone.updated", uprn=1))
        output, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
    assert json.loads(output)["eventType"] == "milestone.updated"
