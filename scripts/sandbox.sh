# Shell functions for scripts that test something against a fresh sandbox. A script sources this file,
# which makes the temporary directory $work and removes it at the end.
#
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
onward=${ONWARD_BIN:-${CARGO_TARGET_DIR:-$root/target}/debug/onward}
# Onward refuses a variable of this kind that is no setting.
unset ONWARD_BIN
work=$(mktemp -d)
sandbox=$work/sandbox
sandbox_pid=
start_timeout_seconds=180
stop_timeout_seconds=15

build_if_missing() {
  [[ -x $onward ]] || cargo build --manifest-path "$root/Cargo.toml" --package onward
}

# install_packages PACKAGE…: installs them with apt-get, as root. Installs nothing without arguments.
install_packages() {
  (($#)) || return 0
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
    fail "install these first: $*"
  fi
  apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 update -qq
  DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -y -qq \
    --no-install-recommends "$@"
}

# use_venv NAME FILE… -- ARGUMENT…: sets $venv to a Python environment in which pip has installed these
# arguments. It stays for later runs, until the content of a FILE changes.
use_venv() {
  local name=$1 files=() content
  shift
  while [[ $1 != -- ]]; do
    files+=("$1")
    shift
  done
  shift
  content=$({ python3 --version && cat "${files[@]}"; } | sha256sum)
  venv=${CARGO_TARGET_DIR:-$root/target}/venvs/$name-${content:0:16}
  [[ ! -e $venv/complete ]] || return 0
  step "installing Python packages for $name"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --no-compile --disable-pip-version-check "$@"
  touch "$venv/complete"
}

# use_recent_node MINOR: takes Node 20 from npm unless Node is 20.MINOR or later. Debian 12 has 18.
use_recent_node() {
  local is_recent="const [a, b] = process.versions.node.split('.').map(Number);
    process.exit(a > 20 || (a === 20 && b >= $1) ? 0 : 1)"
  node -e "$is_recent" && return
  step "installing Node 20, because node is $(node --version)"
  npm install --silent --no-audit --no-fund --prefix "$work/node-20" node@20
  PATH=$work/node-20/node_modules/.bin:$PATH
  node -e "$is_recent" || fail "node is $(node --version), but this test needs Node 20.$1 or later"
}

# start_sandbox OPTION…: starts a sandbox in $sandbox, and waits until it serves.
start_sandbox() {
  local port log=$sandbox.log waited=0
  port=$(find_free_ports)
  step "starting a sandbox on port $port"
  "$onward" sandbox --dir "$sandbox" --port "$port" --listings 300 "$@" >"$log" 2>&1 &
  sandbox_pid=$!
  until [[ -f $sandbox/sandbox.json ]]; do
    kill -0 "$sandbox_pid" 2>/dev/null || fail "the sandbox ended: $(tail -n 20 "$log")"
    ((waited < start_timeout_seconds * 5)) || fail "the sandbox did not start in time: $(tail -n 20 "$log")"
    waited=$((waited + 1))
    sleep 0.2
  done
}

stop_sandbox() {
  local waited=0
  step "stopping the sandbox"
  # A shell without job control makes its background processes ignore SIGINT.
  kill -TERM "$sandbox_pid"
  while kill -0 "$sandbox_pid" 2>/dev/null; do
    ((waited < stop_timeout_seconds * 5)) || fail "the sandbox did not stop after SIGTERM"
    waited=$((waited + 1))
    sleep 0.2
  done
  sandbox_pid=
}

# Prints the first of ten neighbouring ports of 127.0.0.1 on which nothing listens.
find_free_ports() {
  local first port attempt
  for attempt in {1..50}; do
    first=$((20000 + RANDOM % 1000 * 10))
    for port in $(seq "$first" $((first + 9))); do
      if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
        continue 2
      fi
    done
    echo "$first"
    return 0
  done
  fail "found no free ports in $attempt attempts"
}

# field KEY…: prints the value of sandbox.json at this path of keys and indices.
field() {
  python3 - "$sandbox/sandbox.json" "$@" <<'PYTHON'
import json, sys

value = json.load(open(sys.argv[1], encoding="utf-8"))
for key in sys.argv[2:]:
    value = value[int(key)] if isinstance(value, list) else value[key]
print(value)
PYTHON
}

step() {
  printf '\n== %s\n' "$*" >&2
}

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

clean_up() {
  if [[ -n $sandbox_pid ]]; then
    kill "$sandbox_pid" 2>/dev/null || true
    wait "$sandbox_pid" 2>/dev/null || true
  fi
  rm -rf "$work"
}

trap clean_up EXIT
