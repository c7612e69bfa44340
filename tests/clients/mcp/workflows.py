"""The workflows of the tests, as graphs."""

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


def wait(servers_url):
    """A run that goes on while a gate of the servers is closed, so a test decides when it ends."""
    name = {"type": "object", "properties": {"gate": {"type": "string"}}, "required": ["gate"]}
    config = {"method": "GET", "url": f"{servers_url}/gates/{{{{ input.gate }}}}", "timeoutMs": 120_000}
    call = {"id": "call", "type": "http", "config": config}
    return graph(start(name), call, end("{'passed': nodes.call.output.body.gate}"))


def ask():
    """A run that waits for a person."""
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


def marked_tools(servers_url):
    """The graphs and the descriptions of the tools of each user, by their names."""
    return {
        "add": (add(), "Adds two numbers."),
        "ask": (ask(), "Asks a person."),
        "refuse": (refuse(), "Fails."),
        "sleep": (sleep(), "Takes a day."),
        "wait": (wait(servers_url), "Waits until a gate is open."),
    }


def conformance_tools():
    """The tools with the names that the conformance tests call."""
    return {
        "test_simple_text": (say("This is a simple text response for testing."), "Returns a text."),
        "test_error_handling": (refuse(), "Fails."),
        "test_tool_with_progress": (steps(), "Reports its progress."),
        "json_schema_2020_12_tool": (graph(start(ADDRESS), end("'seen'")), "Takes an address."),
    }
