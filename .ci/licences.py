"""Reads `cargo metadata` and fails if the licence of a dependency is not permissive."""
import json
import re
import sys

PERMISSIVE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib",
}


def permitted(expression):
    """Returns whether a licence expression is permissive: an `OR` needs one permissive side, an `AND` needs both."""
    text = expression.replace("/", " OR ").replace("(", " ").replace(")", " ")
    return any(all(part.strip() in PERMISSIVE for part in re.split(r"\bAND\b", side)) for side in re.split(r"\bOR\b", text))


packages = json.load(sys.stdin)["packages"]
refused = [(p["name"], p["license"]) for p in packages if not permitted(p["license"] or "")]
for name, licence in refused:
    print(f"{name}: {licence}", file=sys.stderr)
print(f"{len(packages)} packages, {len(refused)} refused")
sys.exit(bool(refused))
