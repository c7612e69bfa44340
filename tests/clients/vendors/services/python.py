"""Calls the SDKs for Python with the values of our requests, and compares what they would send."""

import re
from importlib.metadata import version
from typing import get_type_hints

from pydantic import ConfigDict, TypeAdapter
from urllib3.connectionpool import HTTPConnectionPool

from .records import Refused, Request, compare


class Sent(BaseException):
    """Ends a call of an SDK when it would send a request. SDKs catch no `BaseException`, so none of them retries."""

    def __init__(self, request):
        self.request = request


def record(pool, method, url, body=None, headers=None, **_):
    text = body.decode() if isinstance(body, bytes) else body
    raise Sent(Request(method, f"{pool.scheme}://{pool.host}{url}", dict(headers or {}), text))


def sent_by(call):
    original, HTTPConnectionPool.urlopen = HTTPConnectionPool.urlopen, record
    try:
        call()
    except Sent as sent:
        return sent.request
    finally:
        HTTPConnectionPool.urlopen = original
    raise Refused("the SDK sends nothing")


class Python:
    """An SDK. Each operation has a call with the client and our request. `adapt` changes a request of the SDK that differs from
    ours and has the same meaning.

    `defaults` and `unknown` are those of `compare`. Without `is_whole`, the SDK builds query and body from objects of its own:
    then only method, host and path are compared, and the names in the query.
    """

    def __init__(self, package, client, calls, defaults=(), unknown=(), is_whole=True, adapt=lambda sent: sent):
        self.package, self.client, self.calls, self.is_whole, self.adapt = package, client(), calls, is_whole, adapt
        self.defaults, self.unknown = defaults, unknown

    @property
    def source(self):
        return f"{self.package} {version(self.package)}" + ("" if self.is_whole else " (methods, paths and names of queries)")

    def knows(self, request):
        return request.operation in self.calls

    def validate(self, request):
        theirs = self.adapt(sent_by(lambda: self.calls[request.operation](self.client, request)))
        ours = request
        if not self.is_whole:
            unknown = dict(request.query).keys() - dict(theirs.query).keys()
            if unknown:
                raise Refused(f"the SDK does not send {unknown}")
            theirs, ours = (Request(it.method, it.url.partition("?")[0], {}, "") for it in (theirs, request))
        compare(ours, theirs, self.defaults, self.unknown)


def check_type(hint, value, strict):
    """Refuses a value of another type than an annotation has. A text is also a number if the check is not strict."""
    TypeAdapter(hint, config=ConfigDict(arbitrary_types_allowed=True)).validate_python(value, strict=strict)


TYPES = {"bool": bool, "dict": dict, "float": (int, float), "int": int, "list": list, "str": str}


def call_typed(method, **arguments):
    """Calls a method after its annotations have accepted the arguments."""
    hints = get_type_hints(method)
    for name, value in arguments.items():
        check_type(hints[name], value, strict=True)
    return method(**arguments)


def documented(method, fields):
    """The fields, if the documentation of a method has all of them: as `:param int limit:`, or as `limit (int)`."""
    text = method.__doc__
    types = {name: type for type, name in re.findall(r":param ([\w.\[\]]+) (\w+):", text)}
    types |= dict(re.findall(r"^\s+(?:- )?(\w+) \((\w+)[^)]*\):", text, re.M))
    for name, value in fields.items():
        if name not in types:
            raise Refused(f"unknown parameter {name}")
        typed_value = int(value) if types[name] == "int" and str(value).isdecimal() else value
        if not isinstance(typed_value, TYPES.get(types[name], object)):
            raise Refused(f"{name}: {value!r} is not {types[name]}")
    return fields
