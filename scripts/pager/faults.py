"""The faults of the story test-pager: how each is planted and mended, and the alerts that it brings.

Each class is one fault, with a node of its own. The mend is the one of docs/runbooks.md.
"""

import base64
import contextlib
import os
import pathlib
import re
import resource
import secrets
import signal
import socket
import sqlite3
import ssl
import subprocess

import story
from pager.nodes import Caller, Load, Receiver
from story import HOST, ONWARD, PATIENCE_SECONDS, run, run_sql, wait_until

LOAD_PAUSE_SECONDS = 0.3
HANDSHAKE_PAUSE_SECONDS = 0.3
BACKUP_INTERVAL_SECONDS = 10
RESTARTS = 3
# The log of an SQLite store grows to 16 MiB before it begins anew.
SMALL_DISK_BYTES = 32 << 20
FILES_MAX = 256
FILES_HELD = 230
ADDRESS_CONNECTIONS_MAX = 20
# Longer than OnwardSubscriptionBehind waits.
WAITED_MILLISECONDS = 1_200_000
# Longer than a second, and shorter than the 10 s after which Onward gives a statement up.
LOCK_SECONDS = 1.5
LOCKS = 120


class Fault:
    """A fault, and a node on which it is planted."""

    # The alerts that fire, each with its label `reason` or `setting`. The value says why a second one does.
    alerts = {}
    template = "sqlite"
    settings = {}
    # Whether the alert ends soon after the mend. Some look back on many minutes.
    ends_soon = True

    def __init__(self, site):
        self.name = re.sub("(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()
        self.site = site
        self.node = site.add_node(self.name, self.template, self.settings)

    @staticmethod
    def is_possible():
        """Whether this user and machine can plant the fault."""
        return True

    def prepare(self):
        """Does what precedes the fault. Nothing is wrong yet."""

    def plant(self):
        """Begins the fault."""

    def mend(self):
        """Ends the fault."""

    def load(self, name, work):
        return Load(self.site, LOAD_PAUSE_SECONDS, getattr(Caller(self.node, name), work))


class Killed(Fault):
    """The program was killed, and nobody starts it"""

    alerts = {"OnwardDown": ""}

    def plant(self):
        self.site.kill(self.node.process)

    def mend(self):
        self.node.start()


class Frozen(Fault):
    """The program hangs"""

    alerts = {"OnwardDown": ""}

    def plant(self):
        self.node.process.send_signal(signal.SIGSTOP)

    def mend(self):
        self.node.process.send_signal(signal.SIGCONT)


class DatabaseAway(Fault):
    """PostgreSQL takes no connections"""

    alerts = {"OnwardNotReady store": "", "OnwardErrors": "callers get 503"}
    template = "postgres"

    def prepare(self):
        self.load("Example Lender", "query")
        self.load("Example Lender", "request_token")

    def plant(self):
        database = self.node.database
        run_sql(f"alter database {database} allow_connections false")
        run_sql(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{database}'")

    def mend(self):
        run_sql(f"alter database {self.node.database} allow_connections true")


class DiskFull(Fault):
    """The disk of the store is full"""

    alerts = {
        "OnwardNotReady store": "",
        "OnwardErrors": "callers get 503",
        "OnwardDiskFills": "the disk of the store has no room",
    }
    settings = {"store": "disk/onward.db"}
    # The small disk ends with the node, because nobody else sees it.
    script = """
        mount -t tmpfs -o size={size} tmpfs "$1/disk"
        cp "$1/onward.db" "$1/disk"
        exec "$2" serve --config "$1/onward.toml"
    """

    def __init__(self, site):
        super().__init__(site)
        (self.node.folder / "disk").mkdir()
        script = self.script.format(size=SMALL_DISK_BYTES)
        apart = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", script, "sh"]
        self.node.command = [*apart, self.node.folder, ONWARD]

    @staticmethod
    def is_possible():
        mount = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        if os.geteuid() == 0 and subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0:
            return True
        print("The full disk is left out: this user or machine has no namespaces for it.")
        return False

    def prepare(self):
        self.load("Example Agent", "record")
        self.load("Example Lender", "request_token")

    def find_filler(self):
        root = pathlib.Path(f"/proc/{self.node.process.pid}/root")
        return root / self.node.folder.relative_to("/") / "disk/filler"

    def plant(self):
        with contextlib.suppress(OSError), open(self.find_filler(), "wb", buffering=0) as filler:
            for size in (4096, 1):
                with contextlib.suppress(OSError):
                    for _part in range(SMALL_DISK_BYTES):
                        filler.write(bytes(size))

    def mend(self):
        self.find_filler().unlink()


class StoreRemoved(Fault):
    """Somebody renamed the store while the node runs"""

    alerts = {"OnwardNotReady store_files": ""}

    def prepare(self):
        self.store, self.away = (self.node.folder / name for name in ("onward.db", "away.db"))

    def plant(self):
        self.store.rename(self.away)

    def mend(self):
        self.away.rename(self.store)


class StoreLocked(Fault):
    """Another program holds the lock of the store"""

    alerts = {"OnwardNotReady store": ""}

    def plant(self):
        store = self.node.folder / "onward.db"
        options = {"isolation_level": None, "timeout": PATIENCE_SECONDS, "check_same_thread": False}
        self.connection = sqlite3.connect(store, **options)
        self.connection.execute("begin immediate")

    def mend(self):
        self.connection.close()


class KeysSealedAnew(Fault):
    """Somebody sealed the signing keys with a key that the node does not have"""

    alerts = {"OnwardNotReady signing_keys": ""}

    def prepare(self):
        self.old, self.new = (self.node.folder / f"{name}.key" for name in ("key-encryption", "new"))
        self.new.touch(mode=0o600)
        key = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
        self.new.write_text(f"{key}\n{self.old.read_text()}")

    def plant(self):
        options = ["--config", self.node.config, "--set", f"key_encryption_key_file={self.new}"]
        run(ONWARD, "keys", "rewrap", "--now", "--reason", "the story", *options)

    def mend(self):
        self.node.restart(lambda: self.new.rename(self.old))


class WrongHost(Fault):
    """The node started with a certificate for another host"""

    alerts = {"OnwardNotReady certificate": ""}

    def plant(self):
        self.node.restart(lambda: self.install("other"))

    def mend(self):
        self.install("server")

    def install(self, usage):
        self.site.authority.install_certificate(self.node, usage, 90)


class CertificateEnds(Fault):
    """The certificate ends in 5 days"""

    alerts = {"OnwardCertificateEnds certificate_file": ""}

    def plant(self):
        self.install(5)

    def mend(self):
        self.install(90)

    def install(self, days):
        self.site.authority.install_certificate(self.node, "server", days)
        self.node.reload()


class ListEnds(Fault):
    """The revocation list ends in 2 hours"""

    alerts = {"OnwardRevocationListEnds client_crl_file": ""}
    settings = {"client_crl_file": "revoked.pem"}
    lifetime = ["-crlhours", "2"]

    def plant(self):
        self.install(*self.lifetime)

    def mend(self):
        self.install("-crldays", "30")

    def install(self, *lifetime):
        self.site.authority.install_list(self.node, *lifetime)
        self.node.reload()


class ListEnded(ListEnds):
    """The revocation list has ended"""

    alerts = {
        "OnwardRevocationListEnds client_crl_file": "",
        "OnwardNotReady revocation_list": "no client certificate is accepted",
    }
    lifetime = ["-crlsec", "2"]


class FilesRefused(Fault):
    """The certificate file has other content"""

    alerts = {"OnwardCertificatesRefused": ""}

    def prepare(self):
        self.file = self.node.folder / "server.pem"
        self.right = self.file.read_text()

    def plant(self):
        self.install("This is no certificate.\n")

    def mend(self):
        self.install(self.right)

    def install(self, text):
        self.file.write_text(text)
        self.node.reload()


class SettingsRefused(Fault):
    """A setting has a wrong value"""

    alerts = {"OnwardSettingsRefused": ""}

    def prepare(self):
        self.right = self.node.config.read_text()

    def plant(self):
        self.install("log = \"inof\"\n")

    def mend(self):
        self.install(self.right)

    def install(self, text):
        self.node.config.write_text(text)
        self.node.reload()


class Restarting(Fault):
    """The program crashes again and again"""

    alerts = {"OnwardRestarts": ""}
    ends_soon = False

    def plant(self):
        for _time in range(RESTARTS):
            before = self.find_start()
            self.node.restart()
            wait_until("Prometheus sees the restart", lambda: self.find_start() not in (before, None))

    def find_start(self):
        found = self.site.prometheus.query(f'process_start_time_seconds{{instance="{self.name}"}}')
        return found[0][1] if found else None


class StoreDamaged(Fault):
    """Pages of the store are damaged"""

    alerts = {"OnwardErrors": "", "OnwardBackupMissing": "nobody copies a damaged store"}

    def prepare(self):
        self.load("Example Lender", "query")
        self.copies = self.site.start_copies(self.node)

    def plant(self):
        self.node.restart(self.damage)

    def damage(self):
        store = self.node.folder / "onward.db"
        with contextlib.closing(sqlite3.connect(store)) as connection:
            (size,) = connection.execute("pragma page_size").fetchone()
            find = "select rootpage from sqlite_schema where name = 'milestone'"
            (page,) = connection.execute(find).fetchone()
        with open(store, "r+b") as file:
            file.seek((page - 1) * size)
            file.write(b"\xff" * size)

    def mend(self):
        """Stops all programs that use the store, and restores the newest whole copy."""
        self.site.kill(self.node.copying)
        newest = max(self.copies.glob("onward-*.db"))
        restore = [ONWARD, "restore", newest, "--replace", "--config", self.node.config]
        self.node.restart(lambda: run(*restore))
        self.site.copy_often(self.node, self.copies)


class CopiesStop(Fault):
    """The schedule of copies has ended"""

    alerts = {"OnwardBackupMissing": ""}

    def prepare(self):
        self.copies = self.site.start_copies(self.node)

    def plant(self):
        self.site.kill(self.node.copying)

    def mend(self):
        self.site.copy_often(self.node, self.copies)


class DatabaseSlow(Fault):
    """Somebody holds locks in PostgreSQL"""

    alerts = {"OnwardSlow": ""}
    template = "postgres"

    def prepare(self):
        self.load("Example Agent", "list_listings")
        self.load("Example Agent", "list_listings")

    def plant(self):
        lock = f"begin; lock table listing in access exclusive mode; select pg_sleep({LOCK_SECONDS}); commit;\n"
        script = self.node.folder / "lock.sql"
        script.write_text(f"{lock}select pg_sleep(0.1);\n" * LOCKS)
        command = ["psql", "-XqAt", f"--file={script}", story.store_url(self.node.database)]
        self.locking = self.site.start(f"{self.name}-psql", command)

    def mend(self):
        wait_until("the session with the locks ends", self.is_blocker_ended)
        self.site.kill(self.locking)

    def is_blocker_ended(self):
        """Ends the session for which others wait. For moments there is none."""
        waiting = f"datname = '{self.node.database}' and wait_event_type = 'Lock'"
        blockers = f"select unnest(pg_blocking_pids(pid)) from pg_stat_activity where {waiting}"
        run_sql(f"select pg_terminate_backend(pid) from pg_stat_activity where pid in ({blockers})")
        return self.locking.poll() is not None


class HandshakesFail(Fault):
    """A client with a certificate of a stranger tries again and again"""

    alerts = {"OnwardHandshakesFail": ""}

    def prepare(self):
        folder = self.node.folder / "stranger"
        folder.mkdir()
        stranger = story.Authority(folder)
        certificate = stranger.issue("stranger", "client")
        self.trust = ssl.create_default_context(cafile=self.node.sandbox["ca_file"])
        self.trust.load_cert_chain(certificate, certificate.with_suffix(".key"))

    def plant(self):
        self.trying = Load(self.site, HANDSHAKE_PAUSE_SECONDS, self.shake_hands)

    def shake_hands(self):
        plain = socket.create_connection((HOST, self.node.ports["base"]), PATIENCE_SECONDS)
        with contextlib.closing(plain), self.trust.wrap_socket(plain, server_hostname=HOST) as connection:
            # The node refuses the certificate after the client's side of the handshake.
            connection.recv(1)

    def mend(self):
        self.trying.stop()


class ConnectionsRefused(Fault):
    """A client opens too many connections"""

    alerts = {"OnwardConnectionsRefused": ""}
    settings = {"connections_per_address_max": ADDRESS_CONNECTIONS_MAX, "idle_timeout_seconds": 600}
    ends_soon = False

    def plant(self):
        self.held = [self.node.connect() for _connection in range(ADDRESS_CONNECTIONS_MAX)]
        self.trying = Load(self.site, LOAD_PAUSE_SECONDS, self.node.connect)

    def mend(self):
        self.trying.stop()


class FilesRunOut(Fault):
    """Connections take almost all of the allowed files"""

    alerts = {"OnwardFilesRunOut": ""}
    settings = {"idle_timeout_seconds": 600}

    def plant(self):
        process = self.node.process.pid
        _soft, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
        resource.prlimit(process, resource.RLIMIT_NOFILE, (FILES_MAX, hard))
        open_files = len(os.listdir(f"/proc/{process}/fd"))
        self.held = [self.node.connect() for _connection in range(FILES_HELD - open_files)]

    def mend(self):
        self.node.restart()


class SubscriptionBehind(Fault):
    """A receiver has answered errors for long"""

    alerts = {"OnwardSubscriptionBehind": ""}

    def prepare(self):
        self.receiver = Receiver(self.node, 503)
        subscription = self.node.subscribe(self.receiver.url)
        self.site.subscriptions[subscription] = self.name
        self.node.simulate()
        wait_until("the receiver refuses an event", lambda: self.receiver.answered)

    def plant(self):
        self.node.restart(self.change_times)

    def change_times(self):
        change = f"update delivery set created_at = created_at - {WAITED_MILLISECONDS} where state = 'waiting'"
        with contextlib.closing(sqlite3.connect(self.node.folder / "onward.db")) as connection, connection:
            connection.execute(change)

    def mend(self):
        """The receiver answers, and its owner ends the pause."""
        self.receiver.status = 202
        self.node.subscribe(self.receiver.url)


class ReceiverGone(Fault):
    """A receiver answers 410"""

    alerts = {"OnwardSubscriptionDisabled": ""}

    def prepare(self):
        self.receiver = Receiver(self.node, 202)
        self.subscription = self.node.subscribe(self.receiver.url)
        self.site.subscriptions[self.subscription] = self.name

    def plant(self):
        self.receiver.status = 410
        self.node.simulate()

    def mend(self):
        self.receiver.status = 202
        self.node.call_webhook(f"subscriptions/{self.subscription}/enable", {})


FAULTS = [
    Killed,
    Frozen,
    DatabaseAway,
    DiskFull,
    StoreRemoved,
    StoreLocked,
    KeysSealedAnew,
    WrongHost,
    ListEnded,
    Restarting,
    StoreDamaged,
    DatabaseSlow,
    CertificateEnds,
    ListEnds,
    FilesRefused,
    SettingsRefused,
    HandshakesFail,
    ConnectionsRefused,
    FilesRunOut,
    SubscriptionBehind,
    ReceiverGone,
    CopiesStop,
]
