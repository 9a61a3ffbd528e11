"""The clients: all calls of one application to one service."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Generic

from .arguments import of_kind
from .caller import Caller, KeyCredentials, NoCredentials, TokenCredentials
from .catalogue import Catalogue
from .chain_calls import Chains
from .chains import ChainAnswer
from .listings import Listings
from .milestones import MilestoneReader
from .pages import Page
from .queries import AddressSuggestion, Batch, Queries
from .remote_keys import RemoteKeySet
from .settings import Settings, settings_of_sandbox
from .steps import Async, Close, Group, M, Steps, Stream, Sync, call, stream
from .subscriptions import Subscriptions
from .tokens import TokenSource
from .transport import AsyncTransport, SyncTransport
from .versions import ChainVersion, VersionAnswer

if TYPE_CHECKING:
    from typing_extensions import Self


class BaseClient(Group[M], Generic[M]):
    """The calls of `Client` and `AsyncClient`.

    `listings`, `chains` and `catalogue` have document 2's calls, `subscriptions` the webhook calls.
    `keys` is the service's key set, which an `EventVerifier` can share with a `Client`.

    Every call can raise these errors.
    `ProblemError`: the service refuses. `TokenError`: the service gives no token.
    `ConnectionFailed`: no complete answer comes. `UnexpectedAnswer`: its shape is wrong.
    `UsageError`: an argument or a setting is wrong, or the client is closed.
    """

    settings: Settings
    keys: RemoteKeySet[M]
    listings: Listings[M]
    chains: Chains[M]
    catalogue: Catalogue[M]
    subscriptions: Subscriptions[M]

    def __init__(self, settings: Settings, mode: M) -> None:
        super().__init__(mode)
        rules = settings.retry
        tokens = TokenSource(settings.auth_url + "/token", settings.open_signer(), rules,
                             mode.new_lock())
        query_caller = Caller(settings.base_url, "base_url", rules,
                              TokenCredentials(tokens, "transaction-status"))
        past_caller = Caller(settings.base_url, "base_url", rules, TokenCredentials(
            tokens, "transaction-status transaction-history"))
        listing_caller = Caller(settings.listing_base_url, "listing_base_url", rules,
                                TokenCredentials(tokens, "listing"))
        directory = Caller(settings.directory_url, "directory_url", rules, NoCredentials())
        milestones = MilestoneReader(listing_caller)
        self.settings = settings
        self.keys = RemoteKeySet(settings.jwks_url, mode)
        self._queries = Queries(
            settings.path_segment, query_caller, past_caller, directory, self.keys)
        self.listings = Listings(mode, listing_caller, milestones)
        self.chains = Chains(mode, listing_caller)
        self.catalogue = Catalogue(mode, listing_caller, milestones)
        self.subscriptions = Subscriptions(mode, Caller(
            settings.base_url, "base_url", rules, KeyCredentials(settings.api_key)))

    @call
    def query_uprns(self, values: Iterable[int | str], page: int = 1, rows: int | None = None,
                    explain: bool = False,
                    as_of: dt.datetime | None = None) -> Steps[ChainAnswer]:
        """Query the chains of 1 to 100 UPRNs, and verify the answer.

        `rows` is the number of chains on a page, 1 to 100; without it all of them are on one.
        `explain` asks why each value led to a chain or to none (S-58).
        `as_of` asks for the state at a time, to the second (S-60). The client then needs the scope
        `transaction-history` besides.
        Raises NotFound if no value matches, and VerificationError if a check fails.
        """
        return self._queries.query("uprn", values, page, rows, explain, as_of)

    @call
    def query_addresses(self, values: Iterable[str], page: int = 1, rows: int | None = None,
                        explain: bool = False,
                        as_of: dt.datetime | None = None) -> Steps[ChainAnswer]:
        """Query the chains of 1 to 100 addresses or postcodes (S-7), as `query_uprns` does."""
        return self._queries.query("address", values, page, rows, explain, as_of)

    @stream
    def pages_of_uprns(self, values: Iterable[int | str], rows: int | None = None,
                       explain: bool = False,
                       as_of: dt.datetime | None = None) -> Stream[ChainAnswer]:
        """Query all pages of 1 to 100 UPRNs. Each page is verified before it is returned."""
        return self._queries.pages("uprn", values, rows, explain, as_of)

    @stream
    def pages_of_addresses(self, values: Iterable[str], rows: int | None = None,
                           explain: bool = False,
                           as_of: dt.datetime | None = None) -> Stream[ChainAnswer]:
        """Query all pages of 1 to 100 addresses. Each page is verified before it is returned."""
        return self._queries.pages("address", values, rows, explain, as_of)

    @stream
    def batches_of_uprns(self, values: Iterable[int | str],
                         longest_wait_seconds: float = 300.0,
                         as_of: dt.datetime | None = None) -> Stream[Batch]:
        """Query any number of UPRNs, 100 in each call, and tell values not found from failures.

        After a 429 it waits as `Retry-After` says, up to `longest_wait_seconds` for each batch.
        A failed batch has its `error`, and the next one follows.
        An error that would meet every batch is raised, for example TokenError or Forbidden.
        """
        return self._queries.batches("uprn", values, longest_wait_seconds, as_of)

    @stream
    def batches_of_addresses(self, values: Iterable[str],
                             longest_wait_seconds: float = 300.0,
                             as_of: dt.datetime | None = None) -> Stream[Batch]:
        """Query any number of addresses or postcodes, as `batches_of_uprns` does."""
        return self._queries.batches("address", values, longest_wait_seconds, as_of)

    @call
    def chain_versions(self, chain_id: str, page: int = 1,
                       per_page: int = 15) -> Steps[Page[ChainVersion]]:
        """List the versions of a chain that the service keeps, the oldest first (S-60).

        The client needs the scopes `transaction-status` and `transaction-history`.
        Raises NotFound if no version of the chain is kept.
        """
        return self._queries.versions(chain_id, page, per_page)

    @stream
    def all_chain_versions(self, chain_id: str) -> Stream[ChainVersion]:
        """Return all kept versions of a chain, page after page."""
        return self._queries.all_versions(chain_id)

    @call
    def chain_version(self, chain_id: str, version: int) -> Steps[VersionAnswer]:
        """Return one version of a chain, and verify it. Scopes and errors are as for the list."""
        return self._queries.version(chain_id, version)

    @call
    def evidence(self, answer: ChainAnswer | bytes,
                 longest_wait_seconds: float = 40.0) -> Steps[bytes]:
        """Return the evidence pack of an answer, which proves its states for years (S-62).

        Pass an answer, or the bytes of one that you kept; one about a past time needs the scope
        `transaction-history` besides. Keep the bytes of the pack unaltered.
        The log shows a state within three seconds, and its witnesses sign it within about ten.
        The call waits `longest_wait_seconds` for both.
        Raises Conflict of type `not-logged` after that, and Invalid of type `not-provable` for an
        answer that this service did not give, or that has no kept state.
        """
        return self._queries.evidence(answer, longest_wait_seconds)

    @call
    def suggest_addresses(self, text: str,
                          limit: int | None = None) -> Steps[tuple[AddressSuggestion, ...]]:
        """Return the properties that a typed text may mean (docs/addresses.md). Nobody signs them.

        `limit` is 1 to 20.
        """
        return self._queries.suggest(text, limit)

    @call
    def participants(self) -> Steps[tuple[Mapping[str, object], ...]]:
        """Return the organisations of the participant directory, as it shows them."""
        return self._queries.participants()

    @call
    def close(self) -> Steps[None]:
        """Close the connections. Later calls raise UsageError."""
        yield Close()


class Client(BaseClient[Sync]):
    """A client of Onward. Several threads may use it. Close it, or use it in `with`."""

    def __init__(self, settings: Settings) -> None:
        connecting = of_kind("settings", settings, Settings).connecting()
        super().__init__(settings, SyncTransport(connecting))

    @classmethod
    def from_sandbox(cls, path: Path | str, client_name: str | None = None) -> Self:
        """Open a client of a sandbox, from its sandbox.json.

        Without `client_name` it is the first client that may query.
        Raises UsageError if the file or the client is missing.
        """
        return cls(settings_of_sandbox(path, client_name))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()


class AsyncClient(BaseClient[Async]):
    """A client of Onward for asyncio. It has the names of `Client`; each call is awaited.

    Several tasks of one event loop may use it. Close it, or use it in `async with`.
    """

    def __init__(self, settings: Settings) -> None:
        connecting = of_kind("settings", settings, Settings).connecting()
        super().__init__(settings, AsyncTransport(connecting))

    @classmethod
    def from_sandbox(cls, path: Path | str, client_name: str | None = None) -> Self:
        """Open a client of a sandbox, as `Client.from_sandbox` does."""
        return cls(settings_of_sandbox(path, client_name))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()
