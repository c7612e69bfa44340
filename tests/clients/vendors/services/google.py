"""Validates requests of Google against the discovery documents in google-api-python-client."""

import json
import re
from importlib import resources
from importlib.metadata import version

from .records import matches

# Parameters of all methods of Google: they choose the form of the answer and of an upload.
GOOGLE_COMMON = {"alt", "fields", "uploadType"}
JSON_TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


class Google:
    def __init__(self, document):
        self.document = document
        documents = resources.files("googleapiclient.discovery_cache.documents")
        self.api = json.loads(documents.joinpath(f"{document}.json").read_text())
        self.methods = list(self.collect(self.api))

    @property
    def source(self):
        return f"{self.document} of google-api-python-client {version('google-api-python-client')}"

    def knows(self, request):
        return True

    def collect(self, level):
        yield from level.get("methods", {}).values()
        for resource in level.get("resources", {}).values():
            yield from self.collect(resource)

    def find(self, request):
        url = request.parts
        assert f"{url.scheme}://{url.netloc}/" == self.api["rootUrl"], "another host"
        for method in self.methods:
            path = "/" + self.api["servicePath"] + method.get("flatPath", method["path"])
            if method["httpMethod"] != request.method:
                continue
            if matches(path, url.path):
                return method, False
            upload = method.get("mediaUpload", {}).get("protocols", {}).get("simple", {}).get("path")
            if upload and matches(upload, url.path):
                return method, True
        raise AssertionError("no such method")

    def validate(self, request):
        method, is_upload = self.find(request)
        for name, text in request.query:
            if name in GOOGLE_COMMON:
                continue
            schema = method["parameters"][name]
            assert schema["location"] == "query", name
            self.check_text(schema, text, name)
        required = {n for n, s in method.get("parameters", {}).items() if s.get("required") and s["location"] == "query"}
        given = {name for name, _ in request.query}
        assert required <= given, required - given
        body = request.body
        if is_upload:
            media = request.headers["content-type"]
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
        start, metadata, content, end = request.text.split(f"--{boundary}")
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
