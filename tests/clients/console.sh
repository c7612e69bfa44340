#!/usr/bin/env bash
# Uses the console in Debian's Chromium, on loopback only. Usage: tests/clients/console.sh
#
# Needs a built `local`; Chromium (apt-get install chromium); Node 20 or newer; and: npm ci --prefix tests/clients/docs
# PICTURES=<folder> also stores a picture of each screen. TESTS=<files> carries out only these.
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/console.sh lists what to install\n' "$*" >&2; exit 2; }
[[ -x /usr/bin/chromium ]] || lacks "there is no Chromium"
[[ -d tests/clients/docs/node_modules/axe-core ]] || lacks "node lacks axe"
# Both pages are tested with the same packages.
ln -sfn ../docs/node_modules tests/clients/console/node_modules

local=$(realpath "${LOCAL_BIN:-${CARGO_TARGET_DIR:-target}/debug/local}")
data=$(mktemp -d)
port=${PORT:-9350}
export BASE="http://127.0.0.1:$port" NO_PROXY=127.0.0.1 no_proxy=127.0.0.1
platform=
clean_up() {
    [[ -z $platform ]] || { kill -INT "$platform" && wait "$platform"; } 2>/dev/null || true
    platform=
}
trap 'clean_up; rm -rf "$data"' EXIT

failed=0
# Each file has a platform of its own: a newcomer has paid for nothing yet.
for file in ${TESTS:-tests/clients/console/*_test.mjs}; do
    rm -rf "$data/platform"
    "$local" --ephemeral --data-dir "$data/platform" --port "$port" >"$data/out" 2>"$data/log" &
    platform=$!
    for _ in $(seq 100); do curl -m 5 -fs "$BASE/health" >/dev/null && break; sleep 0.1; done
    node --test --test-concurrency=1 --test-reporter=spec "$file" || failed=1
    clean_up
done
exit "$failed"
