"""Validates requests of Slack against the methods of slack_sdk."""

import inspect
from importlib.metadata import version

from slack_sdk import WebClient


class Slack:
    def __init__(self):
        self.client = WebClient

    @property
    def source(self):
        return f"slack_sdk {version('slack_sdk')}"

    def knows(self, request):
        return True

    def validate(self, request):
        url = request.parts
        assert url.netloc == "slack.com" and url.path.startswith("/api/")
        method = getattr(self.client, url.path.removeprefix("/api/").replace(".", "_"))
        given = dict(request.query) | (request.body or {})
        parameters = inspect.signature(method).parameters
        unknown = given.keys() - {name for name, it in parameters.items() if it.kind is it.KEYWORD_ONLY}
        assert not unknown, f"unknown parameters {unknown}"
        missing = {n for n, it in parameters.items() if it.kind is it.KEYWORD_ONLY and it.default is it.empty} - given.keys()
        assert not missing, f"missing parameters {missing}"
