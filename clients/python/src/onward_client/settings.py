"""The settings of a client, explicit or from the sandbox.json of a sandbox."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from .assertions import ALGORITHMS, AssertionSigner, Signer, signer_of_file
from .encoding import parse_json
from .errors import UnexpectedAnswer, UsageError
from .reading import Reader
from .retry import RetryRules
from .transport import Connecting

API_KEY = re.compile(r"[!-~]+")
PATH_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
OPTIONAL_ADDRESSES = ("listing_base_url", "directory_url")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The addresses of a service, and the credentials of one client.

    The client authenticates with `private_key_jwt` (S-21), the only way that Onward offers.
    The assertion key is an RSA, P-256 or Ed25519 key in PEM, without a password. Instead,
    `assertion_signer` takes the bytes to sign and returns the JWS signature, for example from a
    vault or a PKCS#11 token; `assertion_algorithm` then is `PS256`, `RS256`, `ES256` or `EdDSA`.
    In an `AsyncClient` it may be a coroutine function, and otherwise runs in a thread.
    Without a certificate the client gets unbound tokens, and only for listings (S-24).
    `ca_file` names the authorities to trust; without it the system decides.
    `proxy` is the http:// address of a proxy; it sees the names of the servers and no content.
    `timeout_seconds` bounds each wait for the service; connecting takes at most 5 of them.
    `path_segment` stands after /api/v1/ in the chain query, for example `opda`.
    `api_key` is needed for webhook calls alone, `listing_base_url` for document 2's calls, and
    `directory_url` for `participants`.
    """

    base_url: str
    auth_url: str
    jwks_url: str
    client_id: str
    assertion_key_file: Path | str | None = None
    assertion_signer: Signer | None = field(default=None, repr=False)
    assertion_algorithm: str | None = None
    assertion_kid: str | None = None
    listing_base_url: str | None = None
    directory_url: str | None = None
    path_segment: str = "standard"
    certificate_file: Path | str | None = None
    key_file: Path | str | None = None
    ca_file: Path | str | None = None
    proxy: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 30.0
    retry: RetryRules = field(default_factory=RetryRules)

    def __post_init__(self) -> None:
        for name in ("base_url", "auth_url", "jwks_url", *OPTIONAL_ADDRESSES):
            _check_address(name, getattr(self, name))
        if (self.certificate_file is None) != (self.key_file is None):
            raise UsageError("certificate_file and key_file belong together: set both or neither")
        if not self.client_id:
            raise UsageError("client_id must not be empty")
        self._check_assertion()
        if not PATH_SEGMENT.fullmatch(self.path_segment):
            raise UsageError("path_segment must be one word of letters, digits, _ and -")
        if self.proxy is not None and not _is_proxy(self.proxy):
            raise UsageError("proxy must be http://HOST:PORT, perhaps with a user and a password")
        # An error about a malformed header would show the key.
        if self.api_key is not None and not API_KEY.fullmatch(self.api_key):
            raise UsageError("api_key must be visible ASCII characters without spaces or line ends")
        if not self.timeout_seconds > 0:
            raise UsageError("timeout_seconds must be more than 0")
        if self.retry.attempts < 1:
            raise UsageError("RetryRules.attempts must be at least 1")

    def _check_assertion(self) -> None:
        if (self.assertion_key_file is None) == (self.assertion_signer is None):
            raise UsageError("set either assertion_key_file or assertion_signer")
        if self.assertion_algorithm is None:
            if self.assertion_signer is not None:
                raise UsageError("assertion_signer needs an assertion_algorithm")
        elif self.assertion_algorithm not in ALGORITHMS:
            raise UsageError(f"assertion_algorithm must be one of {', '.join(ALGORITHMS)}")

    def open_signer(self) -> AssertionSigner:
        """Return the signer of assertions. Raises UsageError if the key file cannot be used."""
        signer, algorithm = self.assertion_signer, self.assertion_algorithm
        if signer is None:
            signer, algorithm = signer_of_file(Path(self.assertion_key_file or ""), algorithm)
        return AssertionSigner(
            self.client_id, self.auth_url, signer, algorithm or "", self.assertion_kid)

    def connecting(self) -> Connecting:
        """Return how the client connects."""
        certificate = (None if self.certificate_file is None or self.key_file is None
                       else (Path(self.certificate_file), Path(self.key_file)))
        return Connecting(self.ca_file, certificate, self.timeout_seconds, self.proxy)


def settings_of_sandbox(path: Path | str, client_name: str | None = None) -> Settings:
    """Read the settings from the sandbox.json of `onward sandbox`.

    Without `client_name` it takes the first client that may query, as the commands of `onward` do.
    `api_key` is the key of the client's organisation, or None if the sandbox has none for it.
    Raises UsageError if the file or the client is missing.
    """
    file = Path(path)
    try:
        sandbox = Reader(parse_json(file.read_bytes()), str(file))
        client = _choose_client(sandbox.objects("clients"), client_name)
        return _read_settings(sandbox, client, file.parent)
    except OSError as error:
        raise UsageError(
            f"cannot read {file}: {error.strerror}; start `onward sandbox` first") from error
    except (UnexpectedAnswer, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{file} is no sandbox.json: {error}") from error


def _check_address(name: str, address: str | None) -> None:
    if address is None:
        if name not in OPTIONAL_ADDRESSES:
            raise UsageError(f"{name} is missing")
        return
    try:
        parts = urlsplit(address)
        is_good = (parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
                   and not (parts.query or parts.fragment))
    except ValueError:
        is_good = False
    # An address with a password is not shown.
    if not is_good or "@" in address:
        raise UsageError(f"{name} must be https://HOST with an optional port and path, and no more")
    if address.endswith("/"):
        raise UsageError(f"{name} must not end with a slash: {address!r}")


def _is_proxy(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return (parts.scheme == "http" and bool(parts.hostname) and parts.port is not None
                and not (parts.path.strip("/") or parts.query or parts.fragment))
    except ValueError:
        return False


def _choose_client(clients: list[Reader], name: str | None) -> Reader:
    names = [client.text("name") for client in clients]
    if name is not None:
        if name not in names:
            raise UsageError(f"the sandbox has no client {name!r}; it has {', '.join(names)}")
        return clients[names.index(name)]
    if not clients:
        raise UsageError("the sandbox has no client")
    return next((client for client in clients if "transaction-status" in client.texts("scopes")),
                clients[0])


def _read_settings(sandbox: Reader, client: Reader, folder: Path) -> Settings:
    return Settings(
        base_url=sandbox.text("base_url"),
        auth_url=sandbox.text("auth_url"),
        jwks_url=sandbox.text("jwks_url"),
        listing_base_url=sandbox.text("listing_base_url"),
        directory_url=sandbox.text_or_none("directory_url"),
        client_id=client.text("client_id"),
        assertion_key_file=folder / client.text("assertion_key_file"),
        assertion_algorithm=client.text_or_none("assertion_alg"),
        assertion_kid=client.text("assertion_kid"),
        certificate_file=folder / client.text("certificate_file"),
        key_file=folder / client.text("key_file"),
        ca_file=folder / sandbox.text("ca_file"),
        api_key=next((key.text("key") for key in sandbox.objects("api_keys")
                      if key.text("participantName") == client.text("name")), None),
    )
