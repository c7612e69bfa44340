"""Names the locked versions of crates that their authors have yanked since, often because of a fault. Exits with 1 if there are any.

Cargo accepts a yanked version that is locked, and has no command that shows it. So this reads cargo's own copy of the index, which
`cargo update --dry-run` has just brought up to date. If cargo changes the format of that copy, the script says so and exits with 2.
"""
import json
import os
import sys
import tomllib
from pathlib import Path

home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
locked = tomllib.loads(Path("Cargo.lock").read_text())["package"]
locked = [package for package in locked if package.get("source", "").startswith("registry+")]


def copies(name):
    """The files of a crate: the index has folders by the first letters of names."""
    name = name.lower()
    folder = {1: "1", 2: "2", 3: f"3/{name[0]}"}.get(len(name), f"{name[:2]}/{name[2:4]}")
    return home.glob(f"registry/index/*/.cache/{folder}/{name}")


def versions(name):
    """Whether each version is yanked. A copy has a line of JSON for each version, between zero bytes."""
    lines = [line for copy in copies(name) for line in copy.read_bytes().split(b"\0") if line.startswith(b"{")]
    return {entry["vers"].split("+")[0]: entry["yanked"] for entry in map(json.loads, lines)}


yanked, unknown = [], []
for package in locked:
    state = versions(package["name"]).get(package["version"].split("+")[0])
    if state is not False:
        (yanked if state else unknown).append(f"{package['name']} {package['version']}")
print(f"{len(locked)} locked crates, {len(yanked)} yanked" + "".join(f"\n  {name}" for name in yanked))
if unknown:
    print(f"cannot be read in cargo's copy of the index: {', '.join(unknown[:5])} and {len(unknown)} in all", file=sys.stderr)
    sys.exit(2)
sys.exit(bool(yanked))
