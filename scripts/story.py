"""Parts that the stories in Python share: programs, ports, certificates, tokens and an orderly end."""

import base64
import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# Onward takes each variable ONWARD_… for a setting, so the programs of a story must not see these.
ONWARD = os.environ.pop("ONWARD_BIN", str(TARGET / "debug/onward"))
POSTGRES = os.environ.pop("ONWARD_TEST_POSTGRES", "")

HOST = "127.0.0.1"
PATIENCE_SECONDS = 40
POLL_SECONDS = 0.05
LOG_LINES_SHOWN = 15
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)

OPENSSL_CONFIGURATION = f"""
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[server]
subjectAltName = IP:{HOST}
extendedKeyUsage = serverAuth
authorityKeyIdentifier = keyid
[client]
extendedKeyUsage = clientAuth
authorityKeyIdentifier = keyid
"""


class Failed(Exception):
    """A condition did not hold. The story ends with this message."""


class Site:
    """A folder, and the programs that the story started. Each program has a log in the folder."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, name, command, **options):
        with open(self.folder / f"{name}.log", "ab") as log:
            options.setdefault("stdout", log)
            process = subprocess.Popen(command, stderr=log, stdin=subprocess.DEVNULL, **options)
        self.running.append(process)
        return process

    def kill(self, process):
        process.kill()
        process.wait()
        self.running.remove(process)

    def end(self):
        for process in list(self.running):
            self.kill(process)

    def logs(self, is_notable=lambda line: True):
        for log in sorted(self.folder.glob("*.log")):
            lines = list(filter(is_notable, log.read_text(errors="replace").splitlines()))
            if lines:
                yield from [f"The last lines of {log.name}:", *lines[-LOG_LINES_SHOWN:]]


class Authority:
    """Issues certificates in a folder. Makes the authority itself unless the folder has one."""

    def __init__(self, folder, configuration=OPENSSL_CONFIGURATION):
        self.folder = folder
        self.configuration = folder / "openssl.cnf"
        self.configuration.write_text(configuration)
        if not (folder / "ca.pem").exists():
            self.issue("ca", "authority")

    def issue(self, name, usage, days=2):
        files = ["-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.pem"]
        if usage != "authority":
            files += ["-CA", self.folder / "ca.pem", "-CAkey", self.folder / "ca.key"]
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"]
        options = ["-config", self.configuration, "-extensions", usage, "-days", str(days)]
        run("openssl", "req", "-x509", *key, *options, "-subj", f"/CN={name}", *files)
        return self.folder / f"{name}.pem"


class Client:
    """A client of a sandbox. It keeps a connection to each address that it calls."""

    def __init__(self, sandbox, name):
        self.sandbox = sandbox
        (self.client,) = [one for one in sandbox["clients"] if one["name"] == name]
        self.trust = ssl.create_default_context(cafile=sandbox["ca_file"])
        self.trust.load_cert_chain(self.client["certificate_file"], self.client["key_file"])
        self.connections = {}
        self.token = None

    def request_token(self):
        keys = self.client["assertion_kid"], self.client["assertion_key_file"]
        form = make_token_form(self.client["client_id"], *keys, self.sandbox["auth_url"])
        header = {"content-type": "application/x-www-form-urlencoded"}
        self.token = self.send("auth_url", "POST", "/token", form, header)["access_token"]

    def call(self, method, path, body=None):
        """Calls listing and chain management."""
        header = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        return self.send("listing_base_url", method, path, body and json.dumps(body), header)

    def send(self, address, method, path, body, header):
        """Sends a request to the address that this member of sandbox.json names."""
        try:
            connection = self.connect(address)
            connection.request(method, path, body, header)
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.connections.pop(address).close()
            raise
        if answer.status // 100 != 2:
            raise Failed(f"{method} {path} got {answer.status}: {text.decode()}")
        return json.loads(text or b"null")

    def connect(self, address):
        if address not in self.connections:
            url = urllib.parse.urlsplit(self.sandbox[address])
            options = {"timeout": PATIENCE_SECONDS, "context": self.trust}
            self.connections[address] = http.client.HTTPSConnection(url.hostname, url.port, **options)
        return self.connections[address]


def tell(make, test, seconds_max=0):
    """Makes a site in a temporary folder and tests it. Ends its programs, however the test ends."""
    began = time.monotonic()
    name = pathlib.Path(sys.argv[0]).name

    def end_late(_number, _frame):
        raise Failed(f"this took longer than {seconds_max} s")

    signal.signal(signal.SIGALRM, end_late)
    for number in SIGNALS:
        signal.signal(number, lambda number, _frame: sys.exit(128 + number))
    signal.alarm(seconds_max)
    with tempfile.TemporaryDirectory(prefix=f"onward-{name}.") as folder:
        site = make(pathlib.Path(folder))
        try:
            test(site)
        except (Failed, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
            signal.alarm(0)
            reason = str(error) if isinstance(error, Failed) else repr(error)
            sys.exit("\n".join([*site.logs(), f"{name}: {reason}"]))
        finally:
            signal.alarm(0)
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN)
            site.end()
    print(f"All of this took {time.monotonic() - began:.0f} s.")


def need_program(program):
    if not (os.path.isfile(program) and os.access(program, os.X_OK)):
        sys.exit(f"{program} is no program: run cargo build, or set ONWARD_BIN")


def run(*command, status=0):
    """The standard output of a command, which must end with this status."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != status:
        words = " ".join(map(str, command))
        text = done.stdout + done.stderr
        raise Failed(f"exit status {done.returncode} instead of {status} from `{words}`:\n{text}")
    return done.stdout


def run_sql(statement):
    """Runs a statement in the database that ONWARD_TEST_POSTGRES names."""
    return run("psql", "-XqAt", "--set=ON_ERROR_STOP=1", f"--command={statement}", POSTGRES)


def store_url(database):
    return urllib.parse.urlsplit(POSTGRES)._replace(path=f"/{database}").geturl()


def change_settings(text, settings):
    """The text of a configuration file with other values of these settings."""
    for name, value in settings.items():
        text, count = re.subn(f"(?m)^{name} = .*$", f"{name} = {json.dumps(value)}", text)
        if count != 1:
            raise Failed(f"the settings have no {name}")
    return text


def make_token_form(client_id, kid, key_file, auth_url):
    """The body of a request for a token, with an assertion that a PS256 key signs."""
    now = int(time.time())
    header = {"alg": "PS256", "kid": kid, "typ": "JWT"}
    claims = {"iss": client_id, "sub": client_id, "aud": auth_url, "iat": now, "exp": now + 120}
    claims["jti"] = secrets.token_urlsafe(24)
    text = b".".join(encode(json.dumps(part).encode()) for part in (header, claims))
    options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:32"]
    command = ["openssl", "dgst", "-sha256", *options, "-sign", key_file]
    signature = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout
    return urllib.parse.urlencode(
        {
            "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": (text + b"." + encode(signature)).decode(),
        }
    )


def encode(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=")


def fetch(port, path):
    """Status and body, or 0 if nothing answers."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    return 0, ""


def is_ready(port):
    return fetch(port, "/health/ready")[0] == 200


def find_ports(count):
    """Free neighbouring ports, below those that the kernel gives to connections."""
    for _attempt in range(50):
        ports = range(first := 20000 + secrets.randbelow(590) * 20, first + count)
        with contextlib.ExitStack() as sockets, contextlib.suppress(OSError):
            for port in ports:
                sockets.enter_context(socket.create_server((HOST, port)))
            return ports
    raise Failed("found no free ports")


def wait_until(wanted, holds, process=None, seconds=PATIENCE_SECONDS):
    end = time.monotonic() + seconds
    while not holds():
        if process is not None and process.poll() is not None:
            raise Failed(f"a program ended with {process.returncode} before {wanted}")
        if time.monotonic() > end:
            raise Failed(f"waited in vain until {wanted}")
        time.sleep(POLL_SECONDS)
