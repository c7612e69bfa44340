"""The platform as an MCP server, used by the official Python SDK in both eras of the protocol."""

import asyncio
import uuid

import pytest
from mcp import MCPError

from stage import BASE_URL, CLIENT, SERVER, STAGE, VERSIONS, Proxy, connect, oauth, open_gate, owner, until
from workflows import NUMBERS

pytestmark = pytest.mark.anyio
TOOLS = {"add", "ask", "get_run", "refuse", "scout", "sleep", "wait"}


@pytest.fixture
def anyio_backend():
    return "asyncio"


class User:
    """A user with a set of tools of their own, for one mode of the client."""

    def __init__(self, mode):
        name = "python-legacy" if mode == "legacy" else "python-modern"
        self.mode, self.person, self.rest = mode, STAGE["people"][name], owner(name)
        self.ids = self.person["ids"]

    def connect(self, url=SERVER):
        return connect(url, self.person["token"], self.mode)

    def run(self, tool, result):
        """The run of a call."""
        return self.rest.run(self.ids[tool], result.structured_content["runId"])

    def count(self, tool):
        return len(self.rest.runs(self.ids[tool]))

    def check_caller(self, run, user=None):
        """Checks that a run shows who called."""
        assert run["origin"] == "mcp"
        assert run["startedBy"] == {"userId": user or self.person["user"], "client": CLIENT}


@pytest.fixture(params=VERSIONS)
def user(request):
    return User(request.param)


def output(result):
    """The output of a run that has completed."""
    assert not result.is_error and result.structured_content["state"] == "completed", result
    return result.structured_content["output"]


async def test_a_client_initializes(user):
    async with user.connect() as client:
        assert client.protocol_version == VERSIONS[user.mode]
        assert client.server_info.name == "atelier" and client.server_info.version
        assert client.server_capabilities.tools is not None and "get_run" in client.instructions


async def test_the_list_has_the_marked_tools_of_the_caller(user):
    async with user.connect() as client:
        listed = await client.list_tools()
    tools = {tool.name: tool for tool in listed.tools}
    assert set(tools) == TOOLS and listed.next_cursor is None
    assert tools["add"].description == "Adds two numbers." and tools["add"].input_schema == NUMBERS
    assert "sum" in str(tools["add"].output_schema["properties"]["output"])
    assert tools["scout"].description == "Answers questions." and tools["scout"].input_schema["required"] == ["message"]


async def test_a_call_is_a_run(user):
    async with user.connect() as client:
        result = await client.call_tool("add", {"a": 40, "b": 2})
    # The SDK has validated it against the output schema.
    assert output(result) == {"sum": 42} and result.content[0].text == '{"sum":42}'
    run = user.run("add", result)
    assert (run["state"], run["input"], run["output"]) == ("completed", {"a": 40, "b": 2}, {"sum": 42})
    user.check_caller(run)
    assert run["id"] in [found["id"] for found in user.rest.get(f"/builder/v1/workflows/{user.ids['add']}/runs?origin=mcp")["data"]]


async def test_progress_arrives_while_the_run_goes_on(user):
    gate, reported = str(uuid.uuid4()), []

    async def note(progress, total, message):
        reported.append((progress, message))

    async with user.connect() as client:
        call = asyncio.create_task(client.call_tool("wait", {"gate": gate}, progress_callback=note))
        await until(lambda: any("call" in message for _, message in reported), "the progress of the step")
        assert not call.done()
        open_gate(gate)
        assert output(await call) == {"passed": gate}
    numbers = [progress for progress, _ in reported]
    assert numbers == sorted(set(numbers)), "progress increases"


async def test_a_cancelled_call_cancels_its_run(user):
    before = user.count("sleep")
    async with user.connect() as client:
        call = asyncio.create_task(client.call_tool("sleep", {}))
        run = await until(lambda: (runs := user.rest.runs(user.ids["sleep"]))[before:] and runs[0], "the run")
        call.cancel()
        run = await until(lambda: (now := user.rest.run(user.ids["sleep"], run["id"]))["finishedAt"] and now, "its end")
        assert run["state"] == "cancelled"
        user.check_caller(run)
        # The connection still works.
        assert output(await client.call_tool("add", {"a": 1, "b": 1})) == {"sum": 2}


async def test_a_cut_stream_goes_on():
    """A session keeps what a client has missed. The newer protocol has no such thing."""
    user, gate, reported = User("legacy"), str(uuid.uuid4()), []

    async def note(progress, *_):
        reported.append(progress)

    before = user.count("wait")
    async with Proxy() as proxy, user.connect(SERVER.replace(BASE_URL, proxy.url)) as client:
        call = asyncio.create_task(client.call_tool("wait", {"gate": gate}, progress_callback=note))
        await until(lambda: reported, "the first progress")
        proxy.cut()
        open_gate(gate)
        run = user.rest.runs(user.ids["wait"])[0]
        run = await until(lambda: (now := user.rest.run(user.ids["wait"], run["id"]))["finishedAt"] and now, "its end")
        assert run["state"] == "completed", "a lost connection does not stop the run"
        proxy.release()
        result = await asyncio.wait_for(call, 30)
        assert output(result) == {"passed": gate} and result.structured_content["runId"] == run["id"]
        assert proxy.resumed() and reported == sorted(set(reported)), "each progress arrives once"
    assert user.count("wait") == before + 1, "the call started one run"


async def test_a_run_that_waits_for_a_person_is_asked_for_later(user):
    async with user.connect() as client:
        asked = (await client.call_tool("ask", {})).structured_content
        assert asked["state"] == "paused" and asked["output"] is None
        user.rest.approve(user.ids["ask"], asked["runId"])
        await until(lambda: user.rest.run(user.ids["ask"], asked["runId"])["finishedAt"], "the end of the run")
        assert output(await client.call_tool("get_run", {"runId": asked["runId"]})) == {"decision": "approved"}


async def test_a_failed_run_is_an_error_of_the_tool(user):
    async with user.connect() as client:
        result = await client.call_tool("refuse", {})
    assert result.is_error and "the shop is closed" in result.content[0].text


async def test_an_agent_answers(user):
    async with user.connect() as client:
        result = await client.call_tool("scout", {"message": "Where is my order?"})
        assert (await client.call_tool("scout", {"message": " "})).is_error
    assert not result.is_error and "You said: Where is my order?" in result.content[0].text
    record = user.rest.get(f"/builder/v1/agents/{user.ids['scout']}/invocations/{result.structured_content['invocationId']}")
    assert record["data"]["output"] == result.content[0].text


async def test_unknown_tools_are_refused(user):
    before = user.count("add")
    async with user.connect() as client:
        for name in ("missing", "unmarked", user.ids["add"]):
            with pytest.raises(MCPError) as refused:
                await client.call_tool(name, {"a": 1, "b": 2})
            assert refused.value.error.code == -32602, name
    assert user.count("add") == before and user.count("unmarked") == 0


async def test_wrong_calls_are_errors_that_a_model_can_read(user):
    before = user.count("add")
    async with user.connect() as client:
        for arguments, word in [({"a": "one", "b": 2}, "input.a"), ({"a": 1}, "b"), ({"a": 1, "b": 2, "c": 3}, "c")]:
            result = await client.call_tool("add", arguments)
            assert result.is_error and word in result.content[0].text, arguments
        result = await client.call_tool("paused", {"a": 1, "b": 2})
        assert result.is_error and "paused" in result.content[0].text
        for run in ("nonsense", str(uuid.uuid4())):
            assert (await client.call_tool("get_run", {"runId": run})).is_error
    assert user.count("add") == before and user.count("paused") == 0


async def test_a_run_of_another_organization_does_not_exist(user):
    eve = STAGE["people"]["eve"]
    run = owner("eve").start(eve["ids"]["add"], {"a": 1, "b": 2})
    async with user.connect() as client:
        assert (await client.call_tool("get_run", {"runId": run})).is_error


async def test_a_person_signs_in_with_a_browser(user):
    provider, memory = oauth(SERVER, "ada")
    async with connect(SERVER, mode=user.mode, auth=provider) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        result = await client.call_tool("add", {"a": 2, "b": 3})
    assert output(result) == {"sum": 5}
    assert memory.client_info.client_id and memory.tokens.refresh_token
    ada = STAGE["people"]["ada"]
    user.check_caller(owner("ada").run(ada["ids"]["add"], result.structured_content["runId"]), ada["user"])


async def test_a_service_account_uses_what_is_shared_with_it(user):
    runner = STAGE["services"]["runner"]
    async with connect(SERVER, runner["token"], user.mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"add", "get_run"}
        result = await client.call_tool("add", {"a": 3, "b": 4})
    assert output(result) == {"sum": 7}
    run = owner("ada").run(STAGE["people"]["ada"]["ids"]["add"], result.structured_content["runId"])
    user.check_caller(run, runner["userId"])
