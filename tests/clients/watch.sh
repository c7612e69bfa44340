#!/usr/bin/env bash
# Runs every function under `cargo lambda watch`, as README.md describes it, and calls each one at one URL, on loopback
# only and at free ports. Usage: tests/clients/watch.sh
#
# Needs Rust; Python with: pip install -r .ci/requirements.txt (which brings cargo-lambda); and: cargo build --workspace
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/watch.sh lists what to install\n' "$*" >&2; exit 2; }
command -v cargo-lambda >/dev/null || lacks "cargo-lambda is missing"
local=$(realpath "${LOCAL_BIN:-${CARGO_TARGET_DIR:-target}/debug/local}") && [[ -x $local ]] || lacks "local is not built"

work=$(mktemp -d)
sessions=()
# Starts a command in a new session, so that its child processes can be killed with it.
start() { setsid "$@" & sessions+=($!); }
# Lists the processes of a session. The name of a process may contain spaces, and ends at the last parenthesis.
of_session() { sed -n 's/^\([0-9]*\) (.*) [A-Z] [0-9-]* [0-9-]* '"$1"' .*/\1/p' /proc/[0-9]*/stat 2>/dev/null || true; }
clean_up() {
    local session left
    for session in "${sessions[@]}"; do kill -INT "$session" 2>/dev/null || true; done
    for session in "${sessions[@]}"; do
        for _ in {1..100}; do left=$(of_session "$session"); [[ -z $left ]] && break; sleep 0.1; done
        # shellcheck disable=SC2086 # one argument a process
        [[ -z $left ]] || kill -KILL $left 2>/dev/null || true
    done
    wait
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port
export NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost
# The fake provider is on this machine.
export OUTBOUND_ALLOWED_CIDRS=127.0.0.0/8
unset "${!AWS_@}"

# A long timeout: watch runs cargo before the first call of each function, and cargo waits for other builds.
patience_s=300
# Waits until a command succeeds. Fails when the watched process has ended, or after the timeout.
await() {
    local process=$1 log=$2 deadline=$((SECONDS + patience_s))
    until "${@:3}"; do
        if ! kill -0 "$process" 2>/dev/null || ((SECONDS > deadline)); then
            tail -30 "$log" >&2
            printf 'error: %s\n' "the process has ended or hangs: ${log##*/}" >&2
            exit 1
        fi
        sleep 0.1
    done
}

start "$local" services --first-port 0 --data-dir "$work/data" --watch-url "$url" >"$work/out" 2>"$work/services.log"
await "${sessions[-1]}" "$work/services.log" test -s "$work/out"
# Runs the binaries that are built: nothing is compiled, and files are not watched for changes.
start cargo lambda watch --ignore-changes --invoke-address 127.0.0.1 --invoke-port "$port" \
    --timeout "$patience_s" --env-file "$work/data/watch.env" >"$work/watch.log" 2>&1
await "${sessions[-1]}" "$work/watch.log" curl -s -m 5 -o /dev/null "$url/"

token=$("$local" token --user ada --org acme --data-dir "$work/data")
PATIENCE_S=$patience_s timeout 20m python3 tests/clients/watch.py "$url" "$work/data" "$token" || {
    tail -60 "$work/watch.log" >&2
    exit 1
}
