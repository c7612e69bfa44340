"""The workflows of the tests, as graphs. `TOOLS` has those that their owner marks as tools."""

NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "integer", "description": "The first number"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
# The keywords of JSON Schema 2020-12 that the conformance test looks for.
ADDRESS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


def graph(*nodes):
    """A graph in which each node follows the one before. The last one may be the end of a path of its own: see `after`."""
    connections, before = [], None
    for node in nodes:
        source = node.pop("after", None) or (before and (before["id"], port(before)))
        if source:
            connections.append({"from": {"node": source[0], "port": source[1]}, "to": {"node": node["id"], "port": "in"}})
        before = node
    return {"nodes": list(nodes), "connections": connections}


def port(node):
    return "approved" if node["type"] == "review" else "out"


def start(schema=None):
    return {"id": "start", "type": "input", "config": {"schema": schema} if schema else {}}


def end(output, **others):
    return {"id": "end", "type": "send_result", "config": {"output": output}, **others}


def add():
    return graph(start(NUMBERS), end("{'sum': input.a + input.b}"))


def ask():
    """A run that waits for a person, so a test decides when it ends."""
    review = {"id": "check", "type": "review", "config": {"title": "Go on?"}}
    return graph(start(), review, end("{'decision': nodes.check.output.decision}"))


def sleep():
    """A run that takes longer than any test."""
    return graph(start(), {"id": "pause", "type": "delay", "config": {"seconds": 86400}}, end("'late'"))


def refuse():
    stop = {"id": "stop", "type": "fail", "config": {"message": "the shop is closed"}, "after": ("open", "false")}
    is_open = {"id": "open", "type": "condition", "config": {"expression": "has(input.key)"}}
    return graph(start(), is_open, stop, end("'open'", after=("open", "true")))


def say(text):
    return graph(start(), end(repr(text)))


def steps():
    """Several steps, each of which is progress."""
    nodes = [{"id": f"step{number}", "type": "transform", "config": {"value": f"{number}"}} for number in range(3)]
    return graph(start(), *nodes, end("'done'"))


TOOLS = {
    "add": (add(), "Adds two numbers."),
    "ask": (ask(), "Asks a person."),
    "sleep": (sleep(), "Takes a day."),
    "refuse": (refuse(), "Fails."),
}
CONFORMANCE = {
    "test_simple_text": (say("This is a simple text response for testing."), "Returns a text."),
    "test_error_handling": (refuse(), "Fails."),
    "test_tool_with_progress": (steps(), "Reports its progress."),
    "json_schema_2020_12_tool": (graph(start(ADDRESS), end("'seen'")), "Takes an address."),
}
