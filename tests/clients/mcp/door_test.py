"""The gateway's door in front of official MCP servers, used by the official Python SDK with API keys."""

import asyncio
import urllib.request

import httpx2
import pytest
from mcp import MCPError

from rest import Rest
from servers import BEARER
from stage import BASE_URL, EVERYTHING, SERVERS, STAGE, VERSIONS, connect, seen, started, until

pytestmark = pytest.mark.anyio
ADMIN = "/gateway/v1/admin/mcp-servers"
ORG = STAGE["people"]["ada"]["org"]
OPERATOR = Rest(BASE_URL, STAGE["operator"])
ADA, EVE = STAGE["keys"]["ada"], STAGE["keys"]["eve"]


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(params=VERSIONS)
def mode(request):
    return request.param


@pytest.fixture(scope="module")
def keys():
    """Two keys of one user: all keys may greet and count, and only the second may weigh."""
    ada = Rest(BASE_URL, ADA)
    plain, special = (ada.post("/gateway/v1/me/api-keys", {"name": name}) for name in ("plain", "special"))
    every = {"plans": ["default"], "tools": ["greet", "count", "hang"]}
    register(ORG, "tools", f"{SERVERS}/toolbox/mcp", access=[every, {"keys": [special["id"]], "tools": ["weigh"]}])
    register(ORG, "guard", f"{SERVERS}/guarded/mcp", access=[{"tools": ["*"]}], auth={"type": "bearer", "token": BEARER})
    register(ORG, "every", EVERYTHING, access=[{"tools": ["*"]}])
    register(ORG, "closed", f"{SERVERS}/toolbox/mcp", access=[{"tools": ["*"]}], enabled=False)
    register(ORG, "nobody", f"{SERVERS}/toolbox/mcp", access=[])
    return {"plain": plain["secret"], "special": special["secret"]}


def register(org, name, url, **settings):
    return OPERATOR.post(ADMIN, {"org": org, "name": name, "url": url, **settings})


def door(name):
    return f"{BASE_URL}/gateway/v1/mcp/{name}"


async def names(client):
    return {tool.name for tool in (await client.list_tools()).tools}


async def test_a_list_has_the_tools_of_the_key(keys, mode):
    async with connect(door("tools"), keys["plain"], mode) as client:
        assert client.protocol_version == VERSIONS[mode]
        assert await names(client) == {"greet", "count", "hang"}
    async with connect(door("tools"), keys["special"], mode) as client:
        assert await names(client) == {"greet", "count", "hang", "weigh"}
        [weigh] = [tool for tool in (await client.list_tools()).tools if tool.name == "weigh"]
        assert weigh.output_schema["properties"].keys() == {"grams", "is_heavy"}


async def test_allowed_tools_are_called_and_others_are_not(keys, mode):
    async with connect(door("tools"), keys["plain"], mode) as client:
        result = await client.call_tool("greet", {"name": mode})
        assert result.content[0].text == f"Good day, {mode}!" and seen()["calls"]["greet"][-1] == mode
        for tool in ("weigh", "refuse", "missing"):
            with pytest.raises(MCPError) as refused:
                await client.call_tool(tool, {"parcel": "x"})
            assert refused.value.error.code in (-32602, -32601), tool
    async with connect(door("tools"), keys["special"], mode) as client:
        assert (await client.call_tool("weigh", {"parcel": "x"})).structured_content == {"grams": 1, "is_heavy": False}


async def test_progress_passes(keys, mode):
    reported = []

    async def note(progress, total, message):
        reported.append((progress, total, message))

    async with connect(door("tools"), keys["plain"], mode) as client:
        result = await client.call_tool("count", {"upto": 3}, progress_callback=note)
    assert result.content[0].text == "counted to 3"
    assert reported == [(number, 3, f"number {number}") for number in (1, 2, 3)]


async def test_a_cancelled_call_is_cancelled_at_the_server(keys, mode):
    before = seen()
    async with connect(door("tools"), keys["plain"], mode) as client:
        call = asyncio.create_task(client.call_tool("hang", {}))
        await until(lambda: len(seen()["calls"].get("hang", [])) > len(before["calls"].get("hang", [])), "the call")
        call.cancel()
        await until(lambda: seen()["cancelled"] > before["cancelled"], "the cancellation")


async def test_the_gateway_authenticates_at_the_server(keys, mode):
    async with connect(door("guard"), keys["plain"], mode) as client:
        assert (await client.call_tool("enter", {})).content[0].text == "let in"
    tokens = [token for found in seen()["tokens"].values() for token in found]
    assert not any(key in token for token in tokens for key in (*keys.values(), ADA)), "a key leaves the gateway"


async def test_all_of_server_everything_passes(keys):
    async with connect(door("every"), keys["plain"]) as client:
        assert {"echo", "get-tiny-image"} <= await names(client)
        assert (await client.call_tool("get-tiny-image", {})).content[1].mime_type == "image/png"
        assert (await client.list_resources()).resources and (await client.list_prompts()).prompts


@pytest.mark.parametrize("name", ["closed", "nobody", "missing"])
async def test_a_server_that_the_caller_may_not_use_does_not_exist(keys, name):
    async with httpx2.AsyncClient() as http:
        answer = await http.post(door(name), json={}, headers={"Authorization": f"Bearer {keys['special']}"})
    assert answer.status_code == 404


async def test_other_organizations_and_callers_without_a_key_are_refused(keys):
    async with httpx2.AsyncClient() as http:
        assert (await http.post(door("tools"), json={}, headers={"Authorization": f"Bearer {EVE}"})).status_code == 404
        assert (await http.post(door("tools"), json={})).status_code == 401
    listed = {server["name"]: server for server in Rest(BASE_URL, keys["plain"]).get("/gateway/v1/mcp")["data"]}
    assert {"tools", "guard", "every"} <= set(listed) and not {"closed", "nobody"} & set(listed)
    assert sorted(listed["tools"]["tools"]) == ["count", "greet", "hang"] and listed["guard"]["tools"] is None
    assert not Rest(BASE_URL, EVE).get("/gateway/v1/mcp")["data"]


async def test_the_call_log_shows_tools(keys):
    async with connect(door("tools"), keys["special"]) as client:
        await client.call_tool("weigh", {"parcel": "logged"})

    def logged():
        calls = Rest(BASE_URL, ADA).get("/gateway/v1/billing/calls?limit=100")["data"]
        return [call for call in calls if call.get("mcp") == {"server": "tools", "tool": "weigh"}]

    call = (await until(logged, "the call in the log"))[0]
    assert (call["kind"], call["status"], call["charged"]) == ("mcp", "completed", 0)
    assert "logged" not in str(call), "the log has no arguments"


async def test_each_user_connects_their_own_account(keys, mode):
    with started("accounts.py") as base_url:
        name = f"accounts-{mode}"
        register(ORG, name, f"{base_url}/mcp", access=[{"tools": ["*"]}], auth={"type": "oauth2_user"})
        bob = Rest(BASE_URL, STAGE["keys"]["bob"])
        accounts = []
        for user in (Rest(BASE_URL, keys["plain"]), bob):
            refused = await refusal(name, user, mode)
            assert "connect" in refused.error.message
            browse(user.post(f"/gateway/v1/mcp/{name}/connect")["authorize_url"])
            [server] = [server for server in user.get("/gateway/v1/mcp")["data"] if server["name"] == name]
            assert server["connection"] == "connected"
            async with connect(door(name), user.token, mode) as client:
                accounts.append((await client.call_tool("whoami", {})).content[0].text)
        assert accounts == ["account-1", "account-2"]
        bob.delete(f"/gateway/v1/mcp/{name}/connection")
        assert "connect" in (await refusal(name, bob, mode)).error.message


async def refusal(name, user, mode):
    """The error with which the door refuses a user without an account at the server. The client has it in a group of errors."""
    with pytest.raises((MCPError, BaseExceptionGroup)) as refused:
        async with connect(door(name), user.token, mode) as client:
            await client.call_tool("whoami", {})
    error = refused.value
    while isinstance(error, BaseExceptionGroup):
        [error] = error.exceptions
    return error


def browse(url):
    """Opens a page as a browser does, with its cookies and through all redirects."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(url, timeout=20) as page:
        assert page.status == 200 and "The API keys of " in page.read().decode(), page.url
        confirm = page.url
    with browser.open(confirm, data=b"", timeout=20) as page:
        assert page.status == 200 and page.url.startswith(f"{BASE_URL}/gateway/v1/mcp/callback"), page.url
