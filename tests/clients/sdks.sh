#!/usr/bin/env bash
# Runs the official SDKs of OpenAI and Anthropic, the AI SDK, the Agents SDK and LangChain, unchanged, against the gateway with
# fake providers behind it, on loopback only. Usage: tests/clients/sdks.sh
#
# Needs a built `local`; Python with: pip install -r .ci/requirements.txt (which brings Node too);
# and: npm ci --prefix tests/clients/sdks
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/sdks.sh lists what to install\n' "$*" >&2; exit 2; }
is_new='process.exit(parseInt(process.versions.node) < 22 ? 1 : 0)'
python3 -c 'import agents, anthropic, langchain_anthropic, langchain_openai, openai, pydantic, pytest' 2>/dev/null || lacks "python3 lacks the SDK"
node -e "$is_new" 2>/dev/null || lacks "the SDK needs Node 22 or newer"
[[ -d tests/clients/sdks/node_modules/@ai-sdk/openai ]] || lacks "node lacks the SDK"

local=$(realpath "${LOCAL_BIN:-${CARGO_TARGET_DIR:-target}/debug/local}")
data=$(mktemp -d)
port=${PORT:-9320}
base="http://127.0.0.1:$port"
cd tests/clients/sdks
"$local" --ephemeral --data-dir "$data" --port "$port" >"$data/out" 2>"$data/log" &
platform=$!
python3 fake_provider.py >"$data/provider" &
providers=$!
python3 fake_anthropic.py >"$data/anthropic" &
providers+=" $!"
clean_up() {
    kill $providers 2>/dev/null || true
    kill -INT "$platform" 2>/dev/null || true
    wait "$platform" 2>/dev/null || true
    rm -rf "$data"
}
trap clean_up EXIT
for _ in $(seq 100); do curl -m 5 -fs "$base/health" >/dev/null && [[ -s $data/provider && -s $data/anthropic ]] && break; sleep 0.1; done

export SDK_STAGE=$data/stage.json PYTHONDONTWRITEBYTECODE=1 NO_PROXY=127.0.0.1 no_proxy=127.0.0.1
unset "${!OPENAI_@}" "${!ANTHROPIC_@}"
python3 prepare.py "$base" "$(cat "$data/provider")" "$(cat "$data/anthropic")" "$data" "$local" >"$SDK_STAGE"
failed=0
echo "openai $(python3 -c 'import openai; print(openai.__version__)'), anthropic $(python3 -c 'import anthropic; print(anthropic.__version__)') for Python"
python3 -m pytest -q -p no:cacheprovider -rs --tb=short . || failed=1
echo "openai $(node -p 'require("./node_modules/openai/package.json").version'), anthropic $(node -p 'require("./node_modules/@anthropic-ai/sdk/package.json").version') for Node"
node --test --test-reporter=dot ./*_test.mjs || failed=1
if grep -E 'level=ERROR| ERROR |panicked' "$data/log"; then
    echo "the platform failed under the SDKs" >&2
    failed=1
fi
exit $failed
