"""The recorded requests of the catalogue, and what validators compare."""

import json
import re
from urllib.parse import parse_qsl, unquote, urlsplit

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


class Refused(AssertionError):
    """A request that the service's published facts do not allow."""


class Request:
    """A request as it was recorded by our tests, or as an SDK sends it."""

    def __init__(self, method, url, headers, body, operation="", template=""):
        self.method, self.url, self.operation, self.template = method, url, operation, template
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.text = body or ""
        self.parts = urlsplit(url)
        self.host, self.path = self.parts.netloc, self.parts.path
        self.query = parse_qsl(self.parts.query, keep_blank_values=True)

    def changed(self, method=None, url=None, text=None):
        text = self.text if text is None else text
        return Request(method or self.method, url or self.url, self.headers, text, self.operation, self.template)

    @property
    def media_type(self):
        return self.headers.get("content-type", "").partition(";")[0].strip()

    @property
    def body(self):
        """The JSON body, the pairs of a form, or None for another text."""
        if not self.text:
            return {}
        if self.media_type == FORM:
            return dict(parse_qsl(self.text, keep_blank_values=True))
        return json.loads(self.text) if self.media_type == JSON else None

    @property
    def path_values(self):
        """The values of `{name}` and `{+name}` in the path of the operation."""
        parts = re.split(r"(\{\+?[^}]+\})", self.template)
        regex = "".join(capture(part) if part.startswith("{") else re.escape(part) for part in parts)
        values = re.search(regex + "$", self.path).groups()
        names = [part.strip("{+}") for part in parts if part.startswith("{")]
        return {name: unquote(value) for name, value in zip(names, values)}

    def __str__(self):
        return f"{self.method} {self.url} {self.text[:300]}"


def capture(name):
    return "(.+)" if name.startswith("{+") else "([^/]+)"


def read_records(file):
    return [
        Request(it["method"], it["url"], it["headers"], it["body"], it["operation"], it["template"])
        for it in json.loads(file.read_text())
    ]


def matches(pattern, path):
    """Whether a path belongs to a template such as `/files/{fileId}` or `v4/{+range}:append`."""
    parts = re.split(r"(\{\+?[^}]+\})", pattern)
    regex = "".join(".+" if p.startswith("{+") else "[^/]+" if p.startswith("{") else re.escape(p) for p in parts)
    return re.fullmatch(regex, path)


def fields_of(query):
    """The parameters of a query. A list is repeated by some SDKs, and joined by commas in our requests."""
    fields = {}
    for name, text in query:
        fields[name] = f"{fields[name]},{text}" if name in fields else text
    return fields


def compare(ours, sent, defaults=(), unknown=()):
    """Refuses our request if an SDK sends another one for the same values.

    `defaults` are fields that the SDK adds by itself, and `unknown` are parameters of a query that it does not have.
    """

    def differs(name, our_value, sent_value):
        if our_value != sent_value:
            raise Refused(f"{name}: ours is {our_value!r}, the SDK sends {sent_value!r}")

    def without_defaults(fields, given):
        """Also without those of objects in a body, and without objects that have nothing else."""
        kept = {}
        for name, value in fields.items():
            if name in given and isinstance(value, dict) and isinstance(given[name], dict):
                kept[name] = without_defaults(value, given[name])
            elif name in given or not (name in defaults or isinstance(value, dict) and value.keys() <= set(defaults)):
                kept[name] = value
        return kept

    differs("method", ours.method, sent.method)
    differs("host", ours.host, sent.host)
    differs("path", *([unquote(part) for part in it.path.split("/")] for it in (ours, sent)))
    our_query, sent_query = fields_of(ours.query), fields_of(sent.query)
    our_query = {name: text for name, text in our_query.items() if name not in unknown}
    differs("query", our_query, without_defaults(sent_query, our_query))
    if isinstance(sent.body, dict):
        differs("body", ours.body, without_defaults(sent.body, ours.body or {}))
    else:
        differs("body", ours.text if sent.body is None else ours.body, sent.text if sent.body is None else sent.body)
    if ours.text and ours.media_type in (JSON, FORM):
        differs("media type", ours.media_type, sent.media_type)
    # The version of an API, or a preference. An idempotency key is random.
    own = {"accept", "content-type", "content-length", "idempotency-key", "user-agent"}
    for name in ours.headers.keys() & sent.headers.keys() - own:
        differs(name, *(sorted(text.strip() for text in it.headers[name].split(",")) for it in (ours, sent)))
