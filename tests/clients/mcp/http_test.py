"""What every client of the MCP servers relies on: refusals, their headers, the metadata of the authorization, and sessions."""

import json

import pytest

from rest import Rest
from stage import BASE_URL, STAGE

SERVERS = ("/mcp/v1", "/mcp/v1/studio")
ADA, EVE = (STAGE["people"][name]["token"] for name in ("ada", "eve"))


def message(method, id=1, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


INITIALIZE = message(
    "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "bare", "version": "1"}
)


def post(path, body, token=ADA, **headers):
    accepted = {"Accept": "application/json, text/event-stream"}
    return Rest(BASE_URL, token).send("POST", path, body, {**accepted, **headers})


def open_session(path, token=ADA):
    response = post(path, INITIALIZE, token)
    assert response.status == 200, response.read()
    return {"Mcp-Session-Id": response.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}


def result(response):
    """The result of a request, whose response is JSON or a stream with one answer."""
    assert response.status == 200, response.read()
    text = response.read().decode()
    if response.headers["content-type"].startswith("text/event-stream"):
        text = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:{") or line.startswith("data: {")][-1]
    return json.loads(text)["result"]


@pytest.mark.parametrize("path", SERVERS)
def test_a_caller_without_a_token_learns_where_to_sign_in(path):
    for token in (None, "wrong", "sk-svc-wrong"):
        response = post(path, INITIALIZE, token)
        metadata = f"{BASE_URL}/.well-known/oauth-protected-resource{path}"
        assert response.status == 401 and f'resource_metadata="{metadata}"' in response.headers["www-authenticate"]
    document = Rest(BASE_URL).get(f"/.well-known/oauth-protected-resource{path}")
    assert document["resource"] == BASE_URL + path and document["bearer_methods_supported"] == ["header"]
    [issuer] = document["authorization_servers"]
    assert issuer.startswith("http")


@pytest.mark.parametrize("path", SERVERS)
def test_a_foreign_page_is_refused(path):
    for origin in ("http://evil.example.com", "null", BASE_URL + ".evil.example.com"):
        assert post(path, INITIALIZE, Origin=origin).status == 403, origin
    assert post(path, INITIALIZE, Origin=BASE_URL).status == 200


@pytest.mark.parametrize("path", SERVERS)
def test_a_session_belongs_to_its_caller(path):
    session = open_session(path)
    tools = message("tools/list", 2)
    assert result(post(path, tools, **session))["tools"] is not None
    assert post(path, tools, EVE, **session).status == 404
    assert post(path, tools, **{**session, "Mcp-Session-Id": "00000000-0000-4000-8000-000000000000"}).status == 404
    assert post(path, tools, **{**session, "MCP-Protocol-Version": "1999-01-01"}).status == 400
    ada, eve = Rest(BASE_URL, ADA), Rest(BASE_URL, EVE)
    assert eve.send("DELETE", path, headers=session).status == 404
    assert ada.send("DELETE", path, headers=session).status in (200, 202, 204)
    assert post(path, tools, **session).status == 404


def test_another_tenant_sees_and_calls_nothing():
    session = open_session("/mcp/v1", EVE)
    ids = {tool["name"] for tool in result(post("/mcp/v1", message("tools/list", 2), EVE, **session))["tools"]}
    assert ids == {"add", "ask", "get_run", "refuse", "scout", "sleep", "wait"}, "her own"
    eve, ada = Rest(BASE_URL, EVE), Rest(BASE_URL, ADA)
    before = len(ada.runs(STAGE["people"]["ada"]["ids"]["add"]))
    post("/mcp/v1", message("tools/call", 3, name="add", arguments={"a": 1, "b": 2}), EVE, **session).read()
    assert len(ada.runs(STAGE["people"]["ada"]["ids"]["add"])) == before
    assert eve.runs(STAGE["people"]["eve"]["ids"]["add"])


def test_only_the_owner_marks_a_tool():
    id = STAGE["people"]["ada"]["ids"]["unmarked"]
    ada, eve = Rest(BASE_URL, ADA), Rest(BASE_URL, EVE)
    path, mark = f"/builder/v1/workflows/{id}/tool", {"name": "late", "description": "A late one."}
    assert eve.send("PUT", path, mark).status == 404
    assert ada.get(f"/builder/v1/workflows/{id}")["data"].get("tool") is None
    ada.put(path, mark)
    assert ada.get(f"/builder/v1/workflows/{id}")["data"]["tool"] == mark
    session = open_session("/mcp/v1")
    names = lambda: {tool["name"] for tool in result(post("/mcp/v1", message("tools/list", 2), **session))["tools"]}  # noqa: E731
    assert "late" in names()
    ada.delete(path)
    assert "late" not in names()


def test_a_service_token_needs_its_scopes():
    services = STAGE["services"]
    # A token that is valid and may do nothing here is forbidden, not unauthenticated.
    assert post("/mcp/v1", INITIALIZE, services["reader"]["token"]).status == 403
    assert result(post("/mcp/v1", INITIALIZE, services["runner"]["token"]))["serverInfo"]["name"]
