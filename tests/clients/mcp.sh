#!/usr/bin/env bash
# Runs the official clients and servers of the Model Context Protocol, unchanged, against `local`: the SDKs for Python and Node,
# the inspector, the conformance tests, and server-everything, on loopback only. Usage: tests/clients/mcp.sh
#
# Needs a built `local`; Python with: pip install -r .ci/requirements.txt (which brings Node too);
# and: npm ci --prefix tests/clients/mcp
# TESTS=<files> carries out only these, such as server_test.py.
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/mcp.sh lists what to install\n' "$*" >&2; exit 2; }
is_new='process.exit(parseInt(process.versions.node) < 22 ? 1 : 0)'
python3 -c 'import anyio, httpx2, mcp.server.mcpserver, pytest, uvicorn' 2>/dev/null || lacks "python3 lacks the SDK"
node -e "$is_new" 2>/dev/null || lacks "the SDK needs Node 22 or newer"
[[ -d tests/clients/mcp/node_modules/@modelcontextprotocol/sdk ]] || lacks "node lacks the SDK"

local=$(realpath "${LOCAL_BIN:-${CARGO_TARGET_DIR:-target}/debug/local}")
data=$(mktemp -d)
port=${PORT:-9360}
base="http://127.0.0.1:$port"
everything="http://127.0.0.1:$((port + 1))/mcp"
cd tests/clients/mcp
export PYTHONDONTWRITEBYTECODE=1 NO_PROXY=127.0.0.1 no_proxy=127.0.0.1 TMPDIR=$data
"$local" --ephemeral --data-dir "$data/platform" --port "$port" >"$data/out" 2>"$data/log" &
platform=$!
python3 servers.py >"$data/servers" 2>"$data/servers.log" &
servers=$!
# The node of the Python package starts the real one as a process of its own.
PORT=$((port + 1)) "$(node -p process.execPath)" node_modules/@modelcontextprotocol/server-everything/dist/index.js streamableHttp &>"$data/everything.log" &
servers+=" $!"
clean_up() {
    kill $servers 2>/dev/null || true
    kill -INT "$platform" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$data"
}
trap clean_up EXIT
ready() { curl -m 5 -fs "$base/health" >/dev/null && curl -m 5 -s "$everything" >/dev/null && [[ -s $data/servers ]]; }
for _ in $(seq 150); do ready && break; sleep 0.1; done

export MCP_STAGE=$data/stage.json
python3 prepare.py "$base" "$data/platform" "$local" "$(cat "$data/servers")" "$everything" >"$MCP_STAGE"
failed=0
tests=${TESTS:-$(echo ./*_test.py ./*_test.mjs)}
in_python=$(printf '%s\n' $tests | grep '\.py$' || true)
in_node=$(printf '%s\n' $tests | grep '\.mjs$' || true)
if [[ $in_python ]]; then
    echo "mcp $(python3 -c 'import importlib.metadata as m; print(m.version("mcp"))') for Python"
    python3 -m pytest -q -p no:cacheprovider -rs --tb=short $in_python || failed=1
fi
version() { node -p "require('./node_modules/@modelcontextprotocol/$1/package.json').version"; }
if [[ $in_node ]]; then
    echo "sdk $(version sdk), client $(version client), inspector $(version inspector), conformance $(version conformance) for Node"
    node --test --test-reporter=dot $in_node || failed=1
fi
if grep -E 'level=ERROR| ERROR |panicked' "$data/log"; then
    echo "the platform failed under the clients" >&2
    failed=1
fi
exit $failed
