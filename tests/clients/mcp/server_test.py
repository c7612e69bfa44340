"""The platform as an MCP server, used by the official Python SDK in both eras of the protocol."""

import asyncio

import pytest
from mcp import MCPError

from stage import BASE_URL, CLIENT, SERVER, STAGE, VERSIONS, Proxy, connect, oauth, owner, until
from workflows import NUMBERS

pytestmark = pytest.mark.anyio
TOOLS = {"add", "ask", "refuse", "scout", "sleep"}


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

    def check_run(self, run, user=None):
        """Checks that a run shows who called."""
        assert run["origin"] == "mcp"
        assert run["startedBy"] == {"userId": user or self.person["user"], "client": CLIENT}


@pytest.fixture(params=VERSIONS)
def user(request):
    return User(request.param)


async def test_a_client_initializes(user):
    async with user.connect() as client:
        assert client.protocol_version == VERSIONS[user.mode]
        assert client.server_info.name and client.server_info.version
        assert client.server_capabilities.tools is not None


async def test_the_list_has_the_marked_tools_of_the_caller(user):
    async with user.connect() as client:
        listed = await client.list_tools()
    tools = {tool.name: tool for tool in listed.tools}
    assert set(tools) == TOOLS and listed.next_cursor is None
    assert tools["add"].description == "Adds two numbers." and tools["add"].input_schema == NUMBERS
    assert tools["ask"].input_schema["type"] == "object"
    assert tools["add"].output_schema["type"] == "object"


async def test_a_call_is_a_run(user):
    async with user.connect() as client:
        result = await client.call_tool("add", {"a": 40, "b": 2})
    # The SDK has validated it against the tool's output schema.
    assert not result.is_error and result.structured_content == {"sum": 42}
    assert '"sum":42' in result.content[0].text.replace(" ", "")
    run = user.rest.run(user.ids["add"], user.rest.runs(user.ids["add"])[0]["id"])
    assert (run["state"], run["input"], run["output"]) == ("completed", {"a": 40, "b": 2}, {"sum": 42})
    user.check_run(run)


async def test_progress_arrives_while_the_run_goes_on(user):
    reported, before = [], user.rest.runs(user.ids["ask"])

    async def note(progress, total, message):
        reported.append(progress)

    async with user.connect() as client:
        call = asyncio.create_task(client.call_tool("ask", {}, progress_callback=note))
        run = await until(lambda: user.rest.newest_run(user.ids["ask"], before and before[0]["id"], "paused"), "the run")
        await until(lambda: reported, "the progress")
        user.rest.approve(user.ids["ask"], run["id"])
        result = await call
    assert result.structured_content == {"decision": "approved"}
    assert reported == sorted(set(reported)), "progress increases"


async def test_a_cancelled_call_cancels_its_run(user):
    async with user.connect() as client:
        call = asyncio.create_task(client.call_tool("sleep", {}))
        run = await until(lambda: user.rest.newest_run(user.ids["sleep"]), "the run")
        call.cancel()
        run = await until(lambda: (now := user.rest.run(user.ids["sleep"], run["id"]))["finishedAt"] and now, "its end")
        assert run["state"] == "cancelled"
        user.check_run(run)
        # The connection still works.
        assert (await client.call_tool("add", {"a": 1, "b": 1})).structured_content == {"sum": 2}


async def test_a_cut_stream_goes_on():
    """A session keeps what a client has missed. The newer protocol has no such thing."""
    user = User("legacy")
    before = user.rest.runs(user.ids["ask"])
    async with Proxy() as proxy, user.connect(SERVER.replace(BASE_URL, proxy.url)) as client:
        call = asyncio.create_task(client.call_tool("ask", {}))
        run = await until(lambda: user.rest.newest_run(user.ids["ask"], before and before[0]["id"], "paused"), "the run")
        proxy.cut()
        user.rest.approve(user.ids["ask"], run["id"])
        await until(lambda: user.rest.run(user.ids["ask"], run["id"])["state"] == "completed", "the end of the run")
        proxy.release()
        result = await asyncio.wait_for(call, 30)
        assert result.structured_content == {"decision": "approved"} and proxy.resumed()
    assert user.rest.runs(user.ids["ask"])[0]["id"] == run["id"], "the call started one run"


async def test_a_failed_run_is_an_error_of_the_tool(user):
    async with user.connect() as client:
        result = await client.call_tool("refuse", {})
    assert result.is_error and "the shop is closed" in result.content[0].text


async def test_an_agent_answers(user):
    async with user.connect() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        [argument] = tools["scout"].input_schema["required"]
        result = await client.call_tool("scout", {argument: "Where is my order?"})
    assert not result.is_error and "You said: Where is my order?" in result.content[0].text


async def refusal(call):
    """The message with which a call was refused: as an error of the protocol, or as one of the tool."""
    try:
        result = await call
    except MCPError as error:
        return f"{error.error.code} {error.error.message}"
    assert result.is_error, result
    return result.content[0].text


async def test_wrong_calls_are_refused_and_start_nothing(user):
    before = len(user.rest.runs(user.ids["add"]))
    async with user.connect() as client:
        for name in ("missing", "unmarked", "paused", user.ids["add"]):
            assert "-32602" in await refusal(client.call_tool(name, {"a": 1, "b": 2})), name
        for arguments in ({"a": "one", "b": 2}, {"a": 1}, {"a": 1, "b": 2, "c": 3}):
            assert await refusal(client.call_tool("add", arguments)), arguments
        assert "input.a" in await refusal(client.call_tool("add", {"a": "one", "b": 2}))
    assert len(user.rest.runs(user.ids["add"])) == before
    assert not user.rest.runs(user.ids["unmarked"]) and not user.rest.runs(user.ids["paused"])


async def test_a_person_signs_in_with_a_browser(user):
    provider, memory = oauth(SERVER, "ada")
    async with connect(SERVER, mode=user.mode, auth=provider) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        assert (await client.call_tool("add", {"a": 2, "b": 3})).structured_content == {"sum": 5}
    assert memory.client_info.client_id and memory.tokens.access_token
    ada = STAGE["people"]["ada"]
    run = owner("ada").newest_run(ada["ids"]["add"])
    user.check_run(owner("ada").run(ada["ids"]["add"], run["id"]), ada["user"])
