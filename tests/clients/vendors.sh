#!/usr/bin/env bash
# Validates what the gateway sends to vendors against the types of their own SDKs: every row of the table of parameters,
# and conversations of every form. Usage: tests/clients/vendors.sh
#
# Needs Python with: pip install -r .ci/requirements.txt
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/vendors.sh says what to install\n' "$*" >&2; exit 2; }
python3 -c 'import anthropic, botocore, google.genai, openai, pydantic' 2>/dev/null || lacks "python3 lacks the SDKs"

# The test sends each request through the real translation to a fake provider, which writes down what arrives.
cargo test --locked --quiet -p tests --test providers -- parameters::
export PYTHONDONTWRITEBYTECODE=1
python3 tests/clients/vendors/validate.py "${CARGO_TARGET_DIR:-target}/tmp/upstream-requests"
