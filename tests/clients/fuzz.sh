#!/usr/bin/env bash
# Fuzzes every route of the OpenAPI documents with the credentials of the demo accounts, on loopback only.
# Usage: [MAX_EXAMPLES=100] tests/clients/fuzz.sh   (needs `schemathesis` and a built `local`)
set -euo pipefail
cd "$(dirname "$0")/../.."

local=${LOCAL_BIN:-${CARGO_TARGET_DIR:-target}/debug/local}
data=$(mktemp -d)
port=${PORT:-9310}
base="http://127.0.0.1:$port"
# A live stream ends soon, because the fuzzer waits for the end of each response.
STREAM_SECONDS=1 "$local" --ephemeral --data-dir "$data" --port "$port" >"$data/out" 2>"$data/log" &
platform=$!
trap 'kill -INT $platform 2>/dev/null || true; wait $platform 2>/dev/null || true; rm -rf "$data"' EXIT
for _ in $(seq 100); do curl -fs "$base/health" >/dev/null && break; sleep 0.1; done

token=$("$local" token --user ada --org acme --role admin --data-dir "$data")
credential() { "$local" credentials --data-dir "$data" | python3 -c "import json, sys; print(json.load(sys.stdin)$1['apiKey'])"; }

# fuzz <document> <credential> <option>…
fuzz() {
  echo "fuzzing $1 ${*:3}"
  for _ in 1 2; do
    schemathesis --config-file tests/clients/schemathesis.toml run "$base/$1" --header "Authorization: Bearer $2" \
      --max-examples "${MAX_EXAMPLES:-100}" "${@:3}" | tee "$data/fuzzed" && return
    # Hypothesis itself sometimes fails while it optimises its examples, depending on the times of responses.
    grep -q 'hypothesis/internal/conjecture/optimiser.py' "$data/fuzzed" || return 1
  done
  return 1
}
all=examples,coverage,fuzzing,stateful
fuzz builder/v1/openapi.json "$token" --phases $all
fuzz workbenches/v1/openapi.json "$token" --phases $all
fuzz gateway/v1/openapi.json "$(credential "['users']['ada']")" --phases $all --exclude-path-regex '/admin/|/me(/|$)'
# With an access token: the fuzzer would find an API key in the list of keys and revoke it.
fuzz gateway/v1/openapi.json "$token" --phases $all --include-path-regex '/me(/|$)'
# Last, and without stateful phases: the operator could suspend itself or other accounts. The list of what a provider offers
# is excluded: it is 502 where the provider cannot be reached.
fuzz gateway/v1/openapi.json "$(credential "['operator']")" --phases examples,coverage,fuzzing --include-path-regex '/admin/' \
  --exclude-path-regex '/providers/[^/]+/models'
if grep -E '"?status"?[=:] ?5[0-9][0-9]|panicked' "$data/log"; then
  echo "the platform failed under the fuzzer" >&2
  exit 1
fi
