"""The client: all calls of one application to one service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from .assertions import AssertionSigner
from .caller import Caller, KeyCredentials, TokenCredentials
from .catalogue import Catalogue
from .chain_calls import Chains
from .chains import ChainAnswer
from .listings import Listings
from .queries import AddressSuggestion, Queries
from .remote_keys import RemoteKeySet
from .settings import Settings, settings_of_sandbox
from .subscriptions import Subscriptions
from .tokens import TokenSource
from .transport import RetryRules, Transport, open_http

if TYPE_CHECKING:
    from typing_extensions import Self


class Client:
    """A client of Onward. Several threads may use it. Close it, or use it in `with`.

    `listings`, `chains` and `catalogue` have document 2's calls, `subscriptions` the webhook calls.
    `keys` is the service's key set, which an `EventVerifier` can share.

    Every call can raise these errors.
    `ProblemError`: the service refuses. `TokenError`: the service gives no token.
    `ConnectionFailed`: no complete answer comes. `UnexpectedAnswer`: its shape is wrong.
    """

    def __init__(self, settings: Settings) -> None:
        signer = AssertionSigner(settings.client_id, settings.auth_url,
                                 Path(settings.assertion_key_file), settings.assertion_kid)
        http = open_http(settings.ca_file, settings.timeout_seconds, settings.certificate)
        self._transport = transport = Transport(http, settings.retry)
        tokens = TokenSource(settings.auth_url + "/token", signer, transport)
        self.settings = settings
        self.keys = RemoteKeySet(settings.jwks_url, Transport(http, RetryRules(attempts=1)))
        query_caller = Caller(settings.base_url, transport,
                              TokenCredentials(tokens, "transaction-status"))
        listing_caller = Caller(settings.listing_base_url, transport,
                                TokenCredentials(tokens, "listing"))
        self._queries = Queries(settings.base_url, query_caller, self.keys)
        self.listings = Listings(listing_caller)
        self.chains = Chains(listing_caller)
        self.catalogue = Catalogue(listing_caller)
        self.subscriptions = Subscriptions(
            Caller(settings.base_url, transport, KeyCredentials(settings.api_key)))

    @classmethod
    def from_sandbox(cls, path: Path | str, client_name: str | None = None) -> Client:
        """Open a client of a sandbox, from its sandbox.json.

        Without `client_name` it is the first client with both scopes.
        Raises UsageError if the file or the client is missing.
        """
        return cls(settings_of_sandbox(path, client_name))

    def query_uprns(self, values: Iterable[int | str], page: int = 1, rows: int | None = None,
                    explain: bool = False) -> ChainAnswer:
        """Query the chains of 1 to 100 UPRNs, and verify the answer.

        `rows` is the number of chains on a page, 1 to 100 (default 15, S-2).
        `explain` asks why each value led to a chain or to none (S-58).
        Raises NotFound if no value matches, and VerificationError if a check fails.
        """
        return self._queries.query("uprn", values, page, rows, explain)

    def query_addresses(self, values: Iterable[str], page: int = 1, rows: int | None = None,
                        explain: bool = False) -> ChainAnswer:
        """Query the chains of 1 to 100 addresses or postcodes (S-7), as `query_uprns` does."""
        return self._queries.query("address", values, page, rows, explain)

    def pages_of_uprns(self, values: Iterable[int | str],
                       rows: int | None = None) -> Iterator[ChainAnswer]:
        """Query all pages of 1 to 100 UPRNs. Each page is verified before it is returned."""
        return self._queries.pages("uprn", values, rows)

    def pages_of_addresses(self, values: Iterable[str],
                           rows: int | None = None) -> Iterator[ChainAnswer]:
        """Query all pages of 1 to 100 addresses. Each page is verified before it is returned."""
        return self._queries.pages("address", values, rows)

    def suggest_addresses(self, text: str,
                          limit: int | None = None) -> tuple[AddressSuggestion, ...]:
        """Return the properties that a typed text may mean (docs/addresses.md). Nobody signs them.

        `limit` is 1 to 20.
        """
        return self._queries.suggest(text, limit)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()
