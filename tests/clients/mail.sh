#!/usr/bin/env bash
# Sends emails from workflows of `local` to a real SMTP server (aiosmtpd) on loopback: with STARTTLS, with TLS, and with wrong
# certificates and passwords. Usage: tests/clients/mail.sh
#
# Needs a built `local`, and Python with: pip install -r .ci/requirements.txt
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/mail.sh lists what to install\n' "$*" >&2; exit 2; }
python3 -c 'import aiosmtpd, cryptography' 2>/dev/null || lacks "python3 lacks aiosmtpd"
local=$(realpath "${LOCAL_BIN:-${CARGO_TARGET_DIR:-target}/debug/local}") && [[ -x $local ]] || lacks "local is not built"

export NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/clients/mcp
exec python3 -W ignore tests/clients/mail.py "$local"
