"""Validates requests of GitHub against the operations in ghapi."""

from importlib.metadata import version

from ghapi.metadata import funcs

from .records import matches


class GitHub:
    def __init__(self):
        self.operations = funcs

    @property
    def source(self):
        return f"ghapi {version('ghapi')}"

    def knows(self, request):
        return True

    def validate(self, request):
        url = request.parts
        assert url.netloc == "api.github.com"
        # A file can be in a folder.
        found = [
            it for it in self.operations
            if it[1].upper() == request.method and matches(it[0].replace("contents/{path}", "contents/{+path}"), url.path)
        ]
        literal = min(found, key=lambda it: it[0].count("{"), default=None)
        assert literal, "no such operation"
        _, _, _, _, _, query, body, _ = literal
        unknown = dict(request.query).keys() - set(query)
        assert not unknown, f"unknown parameters {unknown}"
        types = {field[0]: field[1] for field in body}
        for name, value in (request.body or {}).items():
            # The metadata has `object` for fields of several types.
            kind = types[name] if isinstance(types[name], type) else object
            assert kind is object or isinstance(value, kind), f"{name}: {value!r}"
