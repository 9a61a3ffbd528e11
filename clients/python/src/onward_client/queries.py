"""The chain query (document 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from .caller import Caller
from .chains import ChainAnswer
from .errors import UsageError
from .keys import Keys
from .transport import Call
from .verification import verify_answer

PATH = "/api/v1/standard/chains"
LARGEST_QUERY = 100


@dataclass(frozen=True)
class AddressSuggestion:
    """A property that somebody may mean. `confidence` is 0 to 1. Nobody signed it."""

    uprn: int
    display_address: str
    confidence: float


class Queries:
    """Queries chains and verifies each answer before it returns it."""

    def __init__(self, base_url: str, caller: Caller, keys: Keys) -> None:
        self._base_url = base_url
        self._caller = caller
        self._keys = keys

    def query(self, input_type: str, values: Iterable[int | str], page: int,
              rows: int | None, explain: bool) -> ChainAnswer:
        """Query one page, or raise the errors of `Client.query_uprns`."""
        form = [("inputType", input_type)]
        form += [("value[]", value) for value in _texts_of(values)]
        if rows is not None:
            form.append(("rows", str(rows)))
        if explain:
            form.append(("explain", "true"))
        answer = self._caller.send(Call(
            "POST", self._base_url + PATH,
            {"Content-Type": "application/x-www-form-urlencoded"}, {"page": str(page)},
            urlencode(form).encode("ascii")))
        return verify_answer(answer.body, self._keys)

    def pages(self, input_type: str, values: Iterable[int | str],
              rows: int | None) -> Iterator[ChainAnswer]:
        """Query all pages, one after the other."""
        texts = _texts_of(values)
        page = 1
        while True:
            answer = self.query(input_type, texts, page, rows, False)
            yield answer
            if page >= answer.pagination.last_page:
                return
            page += 1

    def suggest(self, text: str, limit: int | None) -> tuple[AddressSuggestion, ...]:
        """Return the properties that a typed text may mean, the most likely first."""
        answer = self._caller.read("/api/v1/standard/addresses", {"q": text, "limit": limit})
        return tuple(
            AddressSuggestion(entry.integer("uprn"), entry.text("displayAddress"),
                              entry.number_or_none("confidence") or 0.0)
            for entry in answer.objects("data"))


def _texts_of(values: Iterable[int | str]) -> list[str]:
    # A string is an iterable of its characters, which nobody wants to query.
    if isinstance(values, (str, bytes)):
        raise UsageError("pass a list of values, not one string")
    texts = [str(value) for value in values]
    if not 1 <= len(texts) <= LARGEST_QUERY:
        raise UsageError(f"a query has 1 to {LARGEST_QUERY} values, not {len(texts)} (S-3)")
    return texts
