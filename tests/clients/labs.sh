#!/usr/bin/env bash
# Runs JupyterLab as a workbench of `local`, and uses it as a browser does: through the proxy, with cookies and
# WebSockets, on loopback only. Usage: tests/clients/labs.sh
#
# Needs a built `local`, and Python with: pip install -r .ci/requirements.txt (which brings JupyterLab)
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/labs.sh lists what to install\n' "$*" >&2; exit 2; }
command -v jupyter-lab >/dev/null || lacks "JupyterLab is missing"
python3 -c 'import websocket' 2>/dev/null || lacks "python3 lacks websocket-client"
local=$(realpath "${LOCAL_BIN:-${CARGO_TARGET_DIR:-target}/debug/local}") && [[ -x $local ]] || lacks "local is not built"

export NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost PYTHONDONTWRITEBYTECODE=1
exec python3 tests/clients/labs.py "$local"
