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
# The folder of install_library_examples.
# shellcheck disable=SC2034
library_examples=$work/typescript/examples/node
# OpenAPI documents of the sandbox, and the programs that use the clients generated from them.
documents=$work/documents
parts=$root/scripts/generators
generate_timeout_seconds=300
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
  flock -o /var/lib/apt/lists apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 update -qq
  DEBIAN_FRONTEND=noninteractive flock -o /var/lib/apt/lists apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -y -qq \
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

install_example_tools() {
  local packages=()
  python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3 python3-venv)
  command -v node >/dev/null || packages+=(nodejs)
  command -v npm >/dev/null || packages+=(npm)
  command -v curl >/dev/null || packages+=(curl)
  install_packages ${packages[@]+"${packages[@]}"}
}

# Installs the examples in $work/venv and $work/node, those in Python with the client library.
install_examples() {
  step "installing the packages of the examples"
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check \
    --requirement "$root/examples/python/without-library/requirements.txt"
  # A build of the client writes into its folder.
  cp -r "$root/clients/python" "$work/client"
  "$work/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check \
    "$work/client[fastapi]" uvicorn
  mkdir "$work/node"
  cp "$root"/examples/node/without-library/{query.mjs,receive.mjs,package.json,package-lock.json} "$work/node"
  (cd "$work/node" && npm ci --silent --no-audit --no-fund)
}

# Installs the examples that use the TypeScript library, which is built from a copy of its folder.
install_library_examples() {
  local library=$work/typescript/clients/typescript
  mkdir -p "$library" "$library_examples"
  cp -R "$root"/clients/typescript/{src,package.json,package-lock.json,tsconfig.json} "$library"
  cp "$root"/examples/node/{query.mjs,receive.mjs,package.json,package-lock.json} "$library_examples"
  npm ci --silent --no-audit --no-fund --prefix "$library"
  npm ci --silent --no-audit --no-fund --prefix "$library_examples"
}

# Saves the OpenAPI document of each address in $documents.
fetch_documents() {
  mkdir "$documents"
  fetch_document base "$(field base_url)"
  fetch_document auth "$(field auth_url)"
  fetch_document directory "$(field directory_url)"
  fetch_document listing "$(field listing_base_url)"
  fetch_document ops "$(field ops_url)"
}

# fetch_document NAME URL: saves the document of an address.
fetch_document() {
  local ca_file
  # File names may be relative to the sandbox's directory.
  ca_file=$(cd "$sandbox" && realpath "$(field ca_file)")
  curl --silent --show-error --fail --noproxy '*' --max-time 30 --cacert "$ca_file" \
    --output "$documents/$1.json" "$2/openapi.json"
}

# install_python_packages PART: makes $work/PART-venv with the packages of scripts/generators/PART.
install_python_packages() {
  mkdir "$work/$1"
  python3 -m venv "$work/$1-venv"
  "$work/$1-venv/bin/pip" install --quiet --no-compile --disable-pip-version-check \
    --requirement "$parts/$1/requirements.txt"
}

# Generates the packages onward_auth, onward_base and onward_listing in $work/python.
generate_python_clients() {
  local name
  step "openapi-python-client"
  install_python_packages python
  for name in auth base listing; do
    # The generator formats its files with ruff, which it looks for in PATH.
    PATH=$work/python-venv/bin:$PATH timeout "$generate_timeout_seconds" openapi-python-client generate \
      --fail-on-warning --meta none --path "$documents/$name.json" \
      --output-path "$work/python/onward_$name"
  done
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

# Prints the first of twenty neighbouring ports of 127.0.0.1 on which nothing listens.
find_free_ports() {
  local first port attempt
  for attempt in {1..50}; do
    first=$((20000 + RANDOM % 500 * 20))
    for port in $(seq "$first" $((first + 19))); do
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
