"""Credentials to which a user consents, with the authorization server of the official SDK for MCP."""

import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from rest import Rest
from stage import BASE_URL, owner, started


@pytest.fixture
def consent():
    with started("consents.py") as base_url:
        provider, ada = Rest(base_url), owner("ada")
        client = provider.post(
            "/register",
            {"redirect_uris": [f"{BASE_URL}/oauth/callback"], "grant_types": ["authorization_code", "refresh_token"],
             "response_types": ["code"], "token_endpoint_auth_method": "client_secret_post"},
        )  # fmt: skip
        workflow = ada.post("/builder/v1/workflows", {"name": "Consents"})["data"]["id"]
        outbound = f"/builder/v1/workflows/{workflow}/webhook-credentials/outbound"
        credential = ada.post(
            outbound,
            {"name": "Calendar", "type": "oauth2_authorization_code", "authorizationUrl": f"{base_url}/authorize",
             "tokenUrl": f"{base_url}/token", "revocationUrl": f"{base_url}/revoke", "clientId": client["client_id"],
             "clientSecret": client["client_secret"], "clientAuthentication": "body"},
        )["data"]  # fmt: skip
        yield provider, ada, f"{outbound}/{credential['id']}"


def agree(ada, path):
    """Opens the URL in a browser without a session, which confirms."""
    url = ada.get(f"{path}/authorize")["data"]["authorizationUrl"]
    with urllib.request.urlopen(url, timeout=20) as page:
        assert page.status == 200 and "A workflow of " in page.read().decode(), page.url
        confirm = page.url
    with urllib.request.urlopen(confirm, data=b"", timeout=20) as page:
        assert page.status == 200, page.url
    return confirm


def test_fifty_calls_at_once_renew_once_and_a_deletion_revokes(consent):
    provider, ada, path = consent
    assert ada.get(path)["data"]["authorization"]["status"] == "unauthorized"
    callback = agree(ada, path)
    assert ada.get(path)["data"]["authorization"]["status"] == "authorized"
    call = {"url": f"{provider.base_url}/api"}
    with ThreadPoolExecutor(50) as threads:
        tested = list(threads.map(lambda _: ada.post(f"{path}/test", call)["data"], range(50)))
    assert all(test["status"] == 200 for test in tested), tested
    seen = provider.get("/seen")
    assert (seen["renewals"], len(seen["calls"]), len(set(seen["calls"]))) == (1, 50, 1)
    # The browser goes back: the state was used.
    with Rest("").send("POST", callback) as page:
        assert page.status == 400
    ada.delete(path)
    assert provider.get("/seen")["revocations"] == 1
    with Rest(provider.base_url, seen["calls"][0]).send("GET", "/api") as answer:
        assert answer.status == 401


def test_a_consent_that_ended_at_the_provider_must_be_given_again(consent):
    provider, ada, path = consent
    agree(ada, path)
    call = {"url": f"{provider.base_url}/api"}
    assert ada.post(f"{path}/test", call)["data"]["ok"]
    provider.post("/forget")
    refused = ada.post(f"{path}/test", call)["data"]
    assert refused["error"]["code"] == "credential_unauthorized", refused
    assert ada.get(path)["data"]["authorization"]["status"] == "unauthorized"
    agree(ada, path)
    assert ada.post(f"{path}/test", call)["data"]["ok"]


def test_a_code_counts_only_with_its_verifier(consent):
    _, ada, path = consent
    urls = [ada.get(f"{path}/authorize")["data"]["authorizationUrl"] for _ in range(2)]
    pages = []
    for url in urls:
        with urllib.request.urlopen(url, timeout=20) as page:
            pages.append(urllib.parse.urlsplit(page.url))
    code, state = urllib.parse.parse_qs(pages[0].query)["code"][0], urllib.parse.parse_qs(pages[1].query)["state"][0]
    swapped = urllib.parse.urlencode({"code": code, "state": state})
    with Rest(BASE_URL).send("POST", f"/oauth/callback?{swapped}") as page:
        assert page.status == 502
    assert ada.get(path)["data"]["authorization"]["status"] == "unauthorized"
