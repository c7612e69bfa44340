"""Validates requests of Slack against the methods of slack_sdk."""

import inspect
from importlib.metadata import version
from typing import get_type_hints

from slack_sdk import WebClient

from .python import check_type


class Slack:
    def __init__(self):
        self.client = type("Client", (WebClient,), {})

    @property
    def source(self):
        return f"slack_sdk {version('slack_sdk')}"

    def knows(self, request):
        return True

    def validate(self, request):
        url = request.parts
        assert url.netloc == "slack.com" and url.path.startswith("/api/")
        name = url.path.removeprefix("/api/")
        method = getattr(self.client, name.replace(".", "_"))
        # A query has texts.
        given, is_strict = (request.body, True) if request.body else (dict(request.query), False)
        hints = get_type_hints(method)
        parameters = inspect.signature(method).parameters
        unknown = given.keys() - {name for name, it in parameters.items() if it.kind is it.KEYWORD_ONLY}
        assert not unknown, f"unknown parameters {unknown}"
        missing = {n for n, it in parameters.items() if it.kind is it.KEYWORD_ONLY and it.default is it.empty} - given.keys()
        assert not missing, f"missing parameters {missing}"
        for field, value in given.items():
            check_type(hints[field], value, is_strict)
        sent = {}
        self.client.api_call = lambda api_method, *, http_verb="POST", **_: sent.update(name=api_method, method=http_verb)
        method(self.client, **given)
        assert sent == {"name": name, "method": request.method}, f"the SDK sends {sent}"
