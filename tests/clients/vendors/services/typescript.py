"""Calls the SDKs for TypeScript with the values of our requests.

A program is generated in which each request is one call, with the values of the request as literals. The compiler refuses a
field that the SDK's types lack, a value of another type and a missing field. Then the program runs with a transport that
records, and its requests are compared with ours: method, host, path, query and body. `KEEP_PROGRAMS` is a new folder that keeps
the programs.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from multiprocessing.pool import ThreadPool
from pathlib import Path

from .records import FORM, Refused, Request, compare

FOLDER = Path(__file__).parent


IMPORTS = 'import { call, check, finish, item, untyped, type Known } from "./transport.mjs";'


class TypeScript:
    """An SDK: statements that make its client, and a call for each operation.

    In a call, `$name` is the value of a path's parameter, and `$name:number` the same as a number. `$body` and `$query` are
    objects, `$body.name` is a field, `...$body` are all fields, and `...$body-name` are all others.

    `convert` has fields that the SDK takes in another form: `[]` is a list that our request joins by commas, and other names are
    functions of the program. With `camel`, the SDK has its own names of fields. Without `sends`, there are only types: a call is
    `check<Type>($body)`, and another SDK validates the path. `adapt` changes a request of the SDK that differs from ours and has
    the same meaning. `defaults` and `unknown` are those of `compare`.
    """

    def __init__(
        self, packages, setup, calls, convert={}, defaults=(), unknown=(), camel=False, sends=True, adapt=lambda sent: sent
    ):
        self.packages, self.setup, self.calls = packages.split(), setup, calls
        self.convert, self.defaults, self.unknown = convert, defaults, unknown
        self.camel, self.sends, self.adapt = camel, sends, adapt

    @property
    def source(self):
        return ", ".join(f"{name} {installed_version(name)}" for name in self.packages)

    def knows(self, request):
        return request.operation in self.calls

    def call(self, request):
        if request.operation not in self.calls and not self.sends:
            return "undefined"
        body = nested(request.body) if request.media_type == FORM else request.body
        objects, values = {"body": body, "query": nested(dict(request.query))}, request.path_values

        def replace(match):
            spread, name, field, others, kind = match.groups()
            if name not in objects:
                return str(int(values[name])) if kind else json.dumps(values[name])
            value = objects[name]
            if field and field not in value:
                return "" if spread else "undefined"
            if others:
                value = {key: item for key, item in value.items() if key not in others.split("-")}
            text = self.literal(value[field] if field else value, field, request.operation)
            return text[1:-1] if spread else text

        return re.sub(r"(\.\.\.)?\$(\w+)(?:\.(\w+))?((?:-\w+)*)(:number)?", replace, self.calls[request.operation])

    def literal(self, value, name, operation):
        convert = self.convert.get(name) or self.convert.get(f"{operation}/{name}")
        if convert == "[]" and isinstance(value, (str, int)):
            value = [typed(text) for text in str(value).split(",")]
        if isinstance(value, dict):
            fields = {camel_case(key) if self.camel else key: self.literal(it, key, operation) for key, it in value.items()}
            text = "{" + ", ".join(f"{json.dumps(key)}: {it}" for key, it in fields.items()) + "}"
        elif isinstance(value, list):
            text = "[" + ", ".join(self.literal(item, None, operation) for item in value) + "]"
        else:
            text = json.dumps(value)
        return text if convert in (None, "[]") else f"{convert}({text})"


def nested(fields):
    """The fields of a query or a form with their types: `a[b]=1` is `{"a": {"b": 1}}`, as Stripe and Airtable write it."""
    root = {}
    for name, text in fields.items():
        *parents, last = re.findall(r"[^\[\]]+", name)
        level = root
        for parent in parents:
            level = level.setdefault(parent, {})
        level[last] = typed(text)
    return with_arrays(root)


def typed(text):
    # Longer numbers are ids, which SDKs take as texts.
    return json.loads(text) if re.fullmatch(r"true|false|0|-?[1-9]\d{0,14}", text) else text


def with_arrays(value):
    if not isinstance(value, dict):
        return value
    items = {name: with_arrays(item) for name, item in value.items()}
    return list(items.values()) if items and all(name.isdigit() for name in items) else items


def camel_case(name):
    words = re.sub(r"[_.]+(\w)", lambda it: it[1].upper(), name)
    return words[:1].lower() + words[1:]


def installed_version(package):
    return json.loads((FOLDER / "node_modules" / package / "package.json").read_text())["version"]


def program(sdk, requests, refusals):
    """The program, and the index of the request in each line of it. Requests without a call are refused here."""
    lines, indexes = [IMPORTS, *sdk.setup.strip().splitlines()], {}
    for index, request in enumerate(requests):
        try:
            lines.append(f"await call({index}, async () => {sdk.call(request)});")
            indexes[len(lines)] = index
        except (Refused, KeyError, ValueError) as error:
            refusals[index] = error
    return "\n".join([*lines, "finish();"]), indexes


def validate(sdks, records):
    """The refusals of each service, as a map from the index of a request."""
    refusals = {service: {} for service in sdks}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in ("tsconfig.json", "transport.mjs", "transport.d.mts"):
            (folder / name).write_text((FOLDER / name).read_text())
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "node_modules").symlink_to((FOLDER / "node_modules").resolve())
        indexes = {}
        for service, sdk in sdks.items():
            text, indexes[service] = program(sdk, records[service], refusals[service])
            (folder / f"{service}.ts").write_text(text)
        if os.environ.get("KEEP_PROGRAMS"):
            shutil.copytree(folder, os.environ["KEEP_PROGRAMS"], symlinks=True)
        compile_programs(folder, indexes, refusals)
        with ThreadPool(2) as pool:
            pool.starmap(
                lambda service, sdk: compare_sent(folder, service, sdk, records[service], refusals[service]), sdks.items()
            )
    return refusals


def compile_programs(folder, indexes, refusals):
    compiler = subprocess.run(
        ["node", FOLDER / "node_modules/typescript/bin/tsc", "--pretty", "false"], cwd=folder, capture_output=True, text=True
    )
    found = re.findall(r"^(\S+)\.ts\((\d+),\d+\): error (.*)$", compiler.stdout, re.M)
    if compiler.returncode and not found:
        raise SystemExit(f"the compiler failed: {compiler.stdout}{compiler.stderr}")
    for service, line, message in found:
        if int(line) not in indexes.get(service, {}):
            raise SystemExit(f"the program of {service} is wrong: line {line}: {message}")
        refusals[service].setdefault(indexes[service][int(line)], Refused(message))


def compare_sent(folder, service, sdk, requests, refusals):
    run = subprocess.run(["node", f"{service}.ts"], cwd=folder, capture_output=True, text=True, timeout=60)
    sent = {}
    for line in run.stdout.splitlines():
        if line.startswith("sent "):
            record = json.loads(line.removeprefix("sent "))
            sent.setdefault(record["index"], record)
    if run.returncode:
        raise SystemExit(f"the program of {service} failed: {run.stderr[-2000:]}")
    for index, request in enumerate(requests):
        if index in refusals:
            continue
        try:
            record = sent[index]
            if not sdk.sends:
                continue
            if "error" in record:
                raise Refused(f"the SDK fails: {record['error']}")
            theirs = Request(record["method"], record["url"], record["headers"], record["body"])
            compare(request, sdk.adapt(theirs), sdk.defaults, sdk.unknown)
        except (Refused, KeyError, TypeError, ValueError) as error:
            refusals[index] = error
