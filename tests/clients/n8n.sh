#!/usr/bin/env bash
# Runs the workflows of tests/clients/n8n with n8n's own engine, and fails if what its nodes give is no longer what is recorded. The
# test `runs::imports::recorded` imports the same workflows and compares.
# Usage: tests/clients/n8n.sh
#
# Needs Node 20 or newer with: npm ci --ignore-scripts --prefix tests/clients/n8n
set -euo pipefail
cd "$(dirname "$0")/../.."

[[ -d tests/clients/n8n/node_modules/n8n-core ]] || {
    echo "error: n8n is not installed; the top of tests/clients/n8n.sh says how" >&2
    exit 2
}
node tests/clients/n8n/record.mjs --check
