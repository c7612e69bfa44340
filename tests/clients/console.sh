#!/usr/bin/env bash
# Uses the console in Debian's Chromium, on loopback only. Usage: tests/clients/console.sh
#
# Needs a built `local`; Chromium (apt-get install chromium); Node 20 or newer; and: npm ci --prefix tests/clients/docs
# PICTURES=<folder> also stores a picture of each screen. TESTS=<files> carries out only these. LANES=1 runs them one after another.
# DELAY=1000 delays each answer by up to a second: what passes only on a fast machine fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/console.sh lists what to install\n' "$*" >&2; exit 2; }
[[ -x /usr/bin/chromium ]] || lacks "there is no Chromium"
[[ -d tests/clients/docs/node_modules/axe-core ]] || lacks "node lacks axe"
# Both pages are tested with the same packages.
ln -sfn ../docs/node_modules tests/clients/console/node_modules

program=$(realpath "${LOCAL_BIN:-${CARGO_TARGET_DIR:-target}/debug/local}")
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

# Each file has a platform of its own: a newcomer has paid for nothing yet.
run_file() {
    local file=$1 own=$data/$lane port=$((${PORT:-9350} + lane)) failed=0 platform
    rm -rf "$own" && mkdir "$own"
    "$program" --ephemeral --data-dir "$own/platform" --port "$port" >"$own/out" 2>"$own/log" &
    platform=$!
    export BASE="http://127.0.0.1:$port"
    for _ in $(seq 100); do curl -m 5 -fs "$BASE/health" >/dev/null && break; sleep 0.1; done
    node --test --test-concurrency=1 --test-reporter=spec "$file" >"$own/tests" 2>&1 || failed=1
    # In one piece, because the files of the other lane write too.
    cat "$own/tests"
    kill -INT "$platform" && wait "$platform" || true
    return "$failed"
}
export -f run_file
export program data

# Two at once, because a page often waits. In reverse order, because the screens take the most time.
ls -r ${TESTS:-tests/clients/console/*_test.mjs} |
    xargs -P "${LANES:-2}" --process-slot-var=lane -I{} bash -c 'run_file {}'
