"""The public names are those of clients/names.json, which the TypeScript library has as well."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import onward_client
from onward_client import AsyncClient, Client

TABLE = json.loads((Path(__file__).parents[2] / "names.json").read_text("utf-8"))


def members_of(kind: type) -> set[str]:
    """Return the public fields and methods that this library gives a class."""
    return {name for base in kind.__mro__ if base.__module__.startswith("onward_client")
            for name in (*vars(base), *getattr(base, "__annotations__", {}))
            if not name.startswith("_")}


def public_names() -> set[str]:
    names = set()
    for name in onward_client.__all__:
        names.add(name)
        value = getattr(onward_client, name)
        if inspect.isclass(value) and name not in TABLE["python_only"]:
            names |= {f"{name}.{member}" for member in members_of(value)}
    return names


def test_the_names_are_those_of_the_table() -> None:
    expected = {*TABLE["pairs"], *TABLE["python_only"]}
    for name, members in TABLE["names"].items():
        expected |= {name, *(f"{name}.{member}" for member in members)}
    assert public_names() == expected


@pytest.mark.parametrize(("kind", "other"), [(Client, AsyncClient)])
def test_both_clients_have_the_same_names(kind: type, other: type) -> None:
    assert members_of(kind) == members_of(other) == {*TABLE["names"]["Client"]}
