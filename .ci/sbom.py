"""Reads `cargo metadata` and writes the software bill of materials (SBOM) of a release to the file of the first argument, as JSON
of CycloneDX 1.6: the crates from which the functions and `local` are built on any system, the packages in the console's files, and
Luxon, which is copied into the sandbox of scripts. The same sources give the same file.
"""
import base64
import hashlib
import json
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote

# Programs that are shipped. Other members of the workspace are tests.
SHIPPED = ("/functions/", "/infra/local/")
CONSOLE = Path("functions/console")
LUXON = Path("shared/script/src/prelude/luxon/luxon.min.js")
LUXON_VERSION = "3.7.2"


def component(kind, name, version, licence, algorithm, digest, scope="required"):
    group, _, short = name.rpartition("/")
    purl = f"pkg:{kind}/" + (f"{quote(group, safe='')}/" if group else "") + f"{short}@{quote(version, safe='.')}"
    licences = [{"expression": " ".join(licence.replace("/", " OR ").split())}]
    found = {"type": "library", "bom-ref": purl, "name": short, "version": version, "scope": scope, "licenses": licences, "purl": purl}
    found["hashes"] = [{"alg": algorithm, "content": digest}]
    return found | ({"group": group} if group else {})


def crates(metadata):
    """Returns the components by their ids, and the ids that each package depends on. Those that only a build needs are excluded
    from the programs, which CycloneDX calls their scope."""
    packages = {package["id"]: package for package in metadata["packages"]}
    checksums = {(p["name"], p["version"]): p.get("checksum") for p in tomllib.loads(Path("Cargo.lock").read_text())["package"]}
    macros = {i for i, p in packages.items() if any("proc-macro" in target["kind"] for target in p["targets"])}
    edges = {}
    for node in metadata["resolve"]["nodes"]:
        kinds = {d["pkg"]: {kind["kind"] for kind in d["dep_kinds"]} for d in node["deps"]}
        linked = {i for i, of in kinds.items() if None in of and i not in macros}
        edges[node["id"]] = (linked, {i for i, of in kinds.items() if of != {"dev"}})

    def reachable(start, part):
        seen, todo = set(), list(start)
        while todo:
            if (one := todo.pop()) not in seen:
                seen.add(one)
                todo.extend(edges[one][part])
        return seen

    members = set(metadata["workspace_members"])
    root = metadata["workspace_root"]
    programs = {i for i in members if packages[i]["manifest_path"].removeprefix(root).startswith(SHIPPED)}
    linked, built = reachable(programs, 0), reachable(programs, 1)
    components = {}
    for i in built - members:
        name, version = packages[i]["name"], packages[i]["version"]
        scope = "required" if i in linked else "excluded"
        components[i] = component("cargo", name, version, packages[i]["license"], "SHA-256", checksums[name, version], scope)

    def used_by(i):
        """The components that a package uses. Our packages are no components: if the AWS SDK uses one, what that one uses counts."""
        return set().union(*(used_by(used) if used in members else {used} for used in edges[i][1]))

    direct = {used for i in built & members for used in edges[i][1] - members}
    return components, {i: used_by(i) for i in components}, direct


def console_packages():
    """The packages whose code is in the built files: the build lists them with their licences."""
    lock = json.loads((CONSOLE / "web/package-lock.json").read_text())["packages"]
    for entry in (CONSOLE / "dist/licences.txt").read_text().split("\n---\n\n"):
        name, version, licence = entry.split("\n", 1)[0].replace(",", "").split(" ", 2)
        locked = lock[f"node_modules/{name}"]
        assert (locked["version"], locked["license"]) == (version, licence), f"{name} {version} is not the locked version"
        algorithm, digest = locked["integrity"].split("-", 1)
        yield component("npm", name, version, licence, algorithm.upper().replace("SHA", "SHA-"), base64.b64decode(digest).hex())


def luxon():
    code = LUXON.read_bytes()
    assert f'"{LUXON_VERSION}"'.encode() in code, f"{LUXON} is not version {LUXON_VERSION}"
    return component("npm", "luxon", LUXON_VERSION, "MIT", "SHA-256", hashlib.sha256(code).hexdigest())


metadata = json.load(sys.stdin)
rust, uses, direct = crates(metadata)
others = [*console_packages(), luxon()]
components = sorted([*rust.values(), *others], key=lambda one: one["bom-ref"])
version = next(p["version"] for p in metadata["packages"] if p["name"] == "local" and p["id"] in metadata["workspace_members"])
refs = lambda ids: sorted(rust[i]["bom-ref"] for i in ids)  # noqa: E731
dependencies = [{"ref": "atelier", "dependsOn": refs(direct) + sorted(one["bom-ref"] for one in others)}]
dependencies += [{"ref": rust[i]["bom-ref"], "dependsOn": refs(uses[i])} for i in sorted(uses, key=lambda i: rust[i]["bom-ref"])]
bom = {
    "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "version": 1,
    "metadata": {
        "component": {
            "type": "application", "bom-ref": "atelier", "name": "atelier", "version": version,
            "licenses": [{"license": {"id": "Apache-2.0"}}],
        },
    },
    "components": components,
    "dependencies": dependencies,
}
assert len({one["bom-ref"] for one in components}) == len(components), "two components have the same name and version"
assert all(one["hashes"][0]["content"] for one in components), "a component has no checksum"
Path(sys.argv[1]).write_text(json.dumps(bom, indent=1) + "\n")
print(f"{sys.argv[1]}: {len(rust)} crates, {len(others)} packages of JavaScript")
