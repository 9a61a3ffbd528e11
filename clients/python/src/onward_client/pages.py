"""Pages of lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from .reading import Reader

T = TypeVar("T")

LARGEST_PAGE = 100


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list. `total` counts the entries of all pages; pages begin at 1."""

    items: tuple[T, ...]
    total: int
    per_page: int
    current_page: int
    last_page: int


def page_of(reader: Reader, read: Callable[[Reader], T]) -> Page[T]:
    """Read the items of `data` and the figures of `meta.pagination`."""
    figures = reader.member("meta").member("pagination")
    return Page(tuple(map(read, reader.objects("data"))), figures.integer("total"),
                figures.integer("per_page"), figures.integer("current_page"),
                figures.integer("last_page"))
