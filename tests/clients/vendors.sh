#!/usr/bin/env bash
# Validates the gateway's requests to vendors against the types of the vendors' SDKs: every row of the parameter table,
# and every form of conversation. Validates the requests of the catalogue of services against the services' SDKs and the
# descriptions of their APIs.
# Usage: tests/clients/vendors.sh
#
# Needs Python with: pip install -r .ci/requirements.txt
# Needs Node 24 with: npm ci --prefix tests/clients/vendors/services
set -euo pipefail
cd "$(dirname "$0")/../.."

lacks() { printf 'error: %s; the top of tests/clients/vendors.sh lists what to install\n' "$*" >&2; exit 2; }
python3 -c '
import anthropic, botocore, google.genai, openai, pydantic
import asana, clickup_python_sdk, ghapi, googleapiclient, graphql, notion_client, O365, praw, pyairtable, slack_sdk
' 2>/dev/null || lacks "python3 lacks the SDKs"
[[ -d tests/clients/vendors/services/node_modules/stripe ]] || lacks "node lacks the SDKs"

# The test sends each request through the real translation to a fake provider, and records what arrives.
cargo test --locked --quiet --workspace --test providers -- parameters:: dialects:: services::
export PYTHONDONTWRITEBYTECODE=1
python3 tests/clients/vendors/validate.py "${CARGO_TARGET_DIR:-target}/tmp/upstream-requests"
requests=$(realpath "${CARGO_TARGET_DIR:-target}/tmp/service-requests")
(cd tests/clients/vendors && python3 -m services "$requests")
