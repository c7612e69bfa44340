"""Validates requests of Notion against notion-client."""

import re
from importlib.metadata import version
from urllib.parse import unquote

from notion_client import Client


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
        self.client = Client(auth="secret")
        self.version = self.client.options.notion_version

    @property
    def source(self):
        return f"notion-client {version('notion-client')}"

    def knows(self, request):
        return True

    def validate(self, request):
        assert request.headers["notion-version"] == self.version
        url = request.parts
        name, id_name = self.METHODS[request.method, request.template]
        fields = dict(request.query) | (request.body or {})
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
        assert (sent["method"], "/v1/" + sent["path"]) == (request.method, url.path), sent
        assert sent["fields"] == fields, f"unknown fields {fields.keys() - sent['fields'].keys()}"
