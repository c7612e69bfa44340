"""Validates the requests of the catalogue of services against what the services publish. Usage: services.py FOLDER

The folder has a file for each service, with its recorded requests. Google's are validated against the discovery documents in
google-api-python-client, GitHub's against the operations in ghapi, Slack's against the methods of slack_sdk, and Notion's
against those of notion-client.
"""

import inspect
import json
import re
import sys
from importlib import resources
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

GOOGLE = {
    "gmail": "gmail.v1",
    "google-calendar": "calendar.v3",
    "google-docs": "docs.v1",
    "google-drive": "drive.v3",
    "google-sheets": "sheets.v4",
    "google-tasks": "tasks.v1",
    "youtube": "youtube.v3",
}
# Parameters of all methods of Google: they choose the form of the answer and of an upload.
GOOGLE_COMMON = {"alt", "fields", "uploadType"}
JSON_TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


def body_of(request):
    """The JSON body, or None for a text."""
    if not request["body"]:
        return {}
    is_json = request["headers"].get("content-type") == "application/json"
    return json.loads(request["body"]) if is_json else None


def matches(pattern, path):
    """Whether a path belongs to a template such as `/files/{fileId}` or `v4/{+range}:append`."""
    parts = re.split(r"(\{\+?[^}]+\})", pattern)
    regex = "".join(".+" if p.startswith("{+") else "[^/]+" if p.startswith("{") else re.escape(p) for p in parts)
    return re.fullmatch(regex, path)


class Google:
    def __init__(self, document):
        documents = resources.files("googleapiclient.discovery_cache.documents")
        self.api = json.loads(documents.joinpath(f"{document}.json").read_text())
        self.methods = list(self.collect(self.api))

    def collect(self, level):
        yield from level.get("methods", {}).values()
        for resource in level.get("resources", {}).values():
            yield from self.collect(resource)

    def find(self, request):
        url = urlsplit(request["url"])
        assert f"{url.scheme}://{url.netloc}/" == self.api["rootUrl"], "another host"
        for method in self.methods:
            path = "/" + self.api["servicePath"] + method.get("flatPath", method["path"])
            if method["httpMethod"] != request["method"]:
                continue
            if matches(path, url.path):
                return method, False
            upload = method.get("mediaUpload", {}).get("protocols", {}).get("simple", {}).get("path")
            if upload and matches(upload, url.path):
                return method, True
        raise AssertionError("no such method")

    def validate(self, request):
        method, is_upload = self.find(request)
        for name, text in parse_qsl(urlsplit(request["url"]).query, keep_blank_values=True):
            if name in GOOGLE_COMMON:
                continue
            schema = method["parameters"][name]
            assert schema["location"] == "query", name
            self.check_text(schema, text, name)
        required = {n for n, s in method.get("parameters", {}).items() if s.get("required") and s["location"] == "query"}
        given = {name for name, _ in parse_qsl(urlsplit(request["url"]).query)}
        assert required <= given, required - given
        body = body_of(request)
        if is_upload:
            media = request["headers"]["content-type"]
            assert body is None and method["supportsMediaUpload"], "not an upload"
            if media.startswith("multipart/related"):
                assert method["mediaUpload"]["protocols"]["simple"]["multipart"], "no multipart"
                self.check_multipart(method, request, media)
            else:
                accepted = method["mediaUpload"]["accept"]
                assert any(media.startswith(kind.rstrip("*")) or kind == "*/*" for kind in accepted), media
        elif body:
            self.check(method["request"], body, "body")

    def check_multipart(self, method, request, media):
        boundary = re.fullmatch(r'multipart/related; boundary="(.+)"', media)[1]
        start, metadata, content, end = request["body"].split(f"--{boundary}")
        assert (start, end) == ("", "--"), "broken parts"
        assert content.startswith("\r\nContent-Type: ") and content.endswith("\r\n")
        head, metadata = metadata.split("\r\n\r\n")
        assert "application/json" in head
        self.check(method["request"], json.loads(metadata), "metadata")

    def check_text(self, schema, text, name):
        if not schema.get("repeated") or "enum" in schema:
            assert text in schema.get("enum", [text]), f"{name}: {text}"
        pattern = {"integer": r"-?\d+", "boolean": "true|false"}.get(schema["type"], ".*")
        assert re.fullmatch(pattern, text, re.DOTALL), f"{name}: {text}"

    def check(self, schema, value, at):
        if "$ref" in schema:
            schema = self.api["schemas"][schema["$ref"]]
        kind = schema.get("type", "any")
        if kind == "any":
            return
        assert isinstance(value, JSON_TYPES[kind]), f"{at}: {value!r} is not {kind}"
        assert not (kind == "integer" and isinstance(value, bool)), at
        if kind == "string" and "enum" in schema:
            assert value in schema["enum"], f"{at}: {value}"
        for index, item in enumerate(value if kind == "array" else []):
            self.check(schema["items"], item, f"{at}[{index}]")
        for name, item in value.items() if kind == "object" else []:
            known = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            assert known, f"{at}.{name} is unknown"
            self.check(known, item, f"{at}.{name}")


class GitHub:
    def __init__(self):
        from ghapi.metadata import funcs

        self.operations = funcs

    def validate(self, request):
        url = urlsplit(request["url"])
        assert url.netloc == "api.github.com"
        # A file can be in a folder.
        found = [
            it for it in self.operations
            if it[1].upper() == request["method"] and matches(it[0].replace("contents/{path}", "contents/{+path}"), url.path)
        ]
        literal = min(found, key=lambda it: it[0].count("{"), default=None)
        assert literal, "no such operation"
        _, _, _, _, _, query, body, _ = literal
        unknown = dict(parse_qsl(url.query)).keys() - set(query)
        assert not unknown, f"unknown parameters {unknown}"
        types = {field[0]: field[1] for field in body}
        for name, value in (body_of(request) or {}).items():
            # The metadata has `object` for fields of several types.
            kind = types[name] if isinstance(types[name], type) else object
            assert kind is object or isinstance(value, kind), f"{name}: {value!r}"


class Slack:
    def __init__(self):
        from slack_sdk import WebClient

        self.client = WebClient

    def validate(self, request):
        url = urlsplit(request["url"])
        assert url.netloc == "slack.com" and url.path.startswith("/api/")
        method = getattr(self.client, url.path.removeprefix("/api/").replace(".", "_"))
        given = dict(parse_qsl(url.query)) | (body_of(request) or {})
        parameters = inspect.signature(method).parameters
        unknown = given.keys() - {name for name, it in parameters.items() if it.kind is it.KEYWORD_ONLY}
        assert not unknown, f"unknown parameters {unknown}"
        missing = {n for n, it in parameters.items() if it.kind is it.KEYWORD_ONLY and it.default is it.empty} - given.keys()
        assert not missing, f"missing parameters {missing}"


class Notion:
    """Calls the client with the fields of our request, and compares what it sends: it leaves out what it does not know."""

    METHODS = {
        ("POST", "/databases/{databaseId}/query"): ("databases.query", "database_id"),
        ("GET", "/databases/{databaseId}"): ("databases.retrieve", "database_id"),
        ("POST", "/pages"): ("pages.create", None),
        ("PATCH", "/pages/{pageId}"): ("pages.update", "page_id"),
        ("GET", "/pages/{pageId}"): ("pages.retrieve", "page_id"),
        ("PATCH", "/blocks/{blockId}/children"): ("blocks.children.append", "block_id"),
        ("GET", "/blocks/{blockId}/children"): ("blocks.children.list", "block_id"),
        ("POST", "/search"): ("search", None),
        ("POST", "/comments"): ("comments.create", None),
        ("GET", "/users"): ("users.list", None),
    }

    def __init__(self):
        from notion_client import Client

        self.client = Client(auth="secret")
        self.version = self.client.options.notion_version

    def validate(self, request):
        assert request["headers"]["notion-version"] == self.version
        url = urlsplit(request["url"])
        name, id_name = self.METHODS[request["method"], request["template"]]
        fields = dict(parse_qsl(url.query)) | (body_of(request) or {})
        sent = {}
        self.client.request = lambda path, method, query=None, body=None, **_: sent.update(
            path=path, method=method, fields=(query or {}) | (body or {})
        )
        call = self.client
        for part in name.split("."):
            call = getattr(call, part)
        if id_name:
            fields_and_id = fields | {id_name: unquote(re.split("/v1/[a-z]+/", url.path)[1].split("/")[0])}
        call(**(fields_and_id if id_name else fields))
        assert (sent["method"], "/v1/" + sent["path"]) == (request["method"], url.path), sent
        assert sent["fields"] == fields, f"unknown fields {fields.keys() - sent['fields'].keys()}"


def main(folder):
    validators = {service: Google(document) for service, document in GOOGLE.items()}
    validators |= {"github": GitHub(), "slack": Slack(), "notion": Notion()}
    failures, count = [], 0
    for service, validator in validators.items():
        for request in json.loads((folder / f"{service}.json").read_text()):
            count += 1
            try:
                validator.validate(request)
            except (AssertionError, KeyError, TypeError, ValueError) as error:
                failures.append(f"{service}/{request['operation']}: {error!r}\n  {request['method']} {request['url']} {request['body'][:300]}")
    print("\n".join(failures))
    print(f"{count} requests of {len(validators)} services, {len(failures)} refused")
    return 1 if failures or count < 200 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
