"""The harness of the Python tests: clients of the platform's MCP servers, a browser for their sign-in, and a proxy that cuts."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from mcp.types import Implementation

from rest import Rest

STAGE = json.loads(Path(os.environ["MCP_STAGE"]).read_text())
BASE_URL, SERVERS, EVERYTHING = STAGE["base_url"], STAGE["servers_url"], STAGE["everything_url"]
SERVER, STUDIO = f"{BASE_URL}/mcp/v1", f"{BASE_URL}/mcp/v1/studio"
CALLBACK = "http://127.0.0.1:1/callback"
CLIENT = {"name": "mcp for Python", "version": "2.0"}
# What each mode of the client negotiates: a session, or requests that stand alone.
VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def owner(name):
    """The REST API for one of the prepared users."""
    return Rest(BASE_URL, STAGE["people"][name]["token"])


@contextlib.asynccontextmanager
async def connect(url, token=None, mode="legacy", **http):
    """A connected client. `http` has options of its HTTP client."""
    if token:
        http["headers"] = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(timeout=30, **http) as client:
        transport = streamable_http_client(url, http_client=client)
        async with Client(transport, mode=mode, client_info=Implementation(**CLIENT)) as connected:
            yield connected


async def until(condition, what, within_s=20):
    """Polls until the condition is true, while other tasks go on, and returns its value."""
    async with asyncio.timeout(within_s):
        while not (value := await asyncio.to_thread(condition)):
            await asyncio.sleep(0.05)
    return value


# Signing in


class Page(HTMLParser):
    """The buttons of the forms of a page: (text, action, fields)."""

    def __init__(self, html):
        super().__init__()
        self.buttons, self.action, self.fields, self.pressed = [], "", {}, None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.action, self.fields = attributes.get("action", ""), {}
        elif tag == "input" and attributes.get("type") == "hidden":
            self.fields[attributes["name"]] = attributes.get("value", "")
        elif tag == "button":
            self.pressed = attributes

    def handle_data(self, text):
        if self.pressed is not None:
            pressed = {self.pressed["name"]: self.pressed.get("value", "")} if "name" in self.pressed else {}
            self.buttons.append((text.strip(), self.action, {**self.fields, **pressed}))
            self.pressed = None


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def sign_in(url, person):
    """Signs in as a browser does: presses the button of the person, then those that agree. Returns the query of the callback."""
    browser = urllib.request.build_opener(Stay, urllib.request.HTTPCookieProcessor())
    form = None
    for _ in range(6):
        try:
            with browser.open(url, form, timeout=10) as response:
                buttons = Page(response.read().decode()).buttons
        except urllib.error.HTTPError as answer:
            assert answer.code in (302, 303), f"{url}: {answer.code} {answer.read().decode()}"
            url, form = urllib.parse.urljoin(url, answer.headers["location"]), None
            if url.startswith(CALLBACK):
                return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
            continue
        _, action, fields = next((button for button in buttons if button[0] == person), buttons[0])
        url, form = urllib.parse.urljoin(url, action), urllib.parse.urlencode(fields).encode()
    raise AssertionError(f"the sign-in does not end: {url}")


class Memory:
    """What an OAuth client stores."""

    tokens = client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


def oauth(url, person):
    """The OAuth client of the SDK, for a person who signs in when it asks. Returns it with what it stores."""
    asked, memory = [], Memory()

    async def redirect(to):
        asked.append(to)

    async def answer():
        return AuthorizationCodeResult(**await asyncio.to_thread(sign_in, asked.pop(), person))

    metadata = OAuthClientMetadata(
        client_name=CLIENT["name"], redirect_uris=[CALLBACK], grant_types=["authorization_code", "refresh_token"],
        response_types=["code"], token_endpoint_auth_method="none",
    )  # fmt: skip
    return OAuthClientProvider(url, metadata, memory, redirect, answer), memory


# Connections


class Proxy:
    """A TCP proxy in front of the platform. `cut` breaks its connections and holds new ones until `release`."""

    def __init__(self):
        self.opened, self.heads = [], []
        self.released = asyncio.Event()
        self.released.set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self.released.set()
        self.server.close()
        self.cut_all()

    async def serve(self, reader, writer):
        await self.released.wait()
        platform = urllib.parse.urlsplit(BASE_URL)
        upstream, downstream = await asyncio.open_connection(platform.hostname, platform.port)
        self.opened += [writer, downstream]
        with contextlib.suppress(OSError):
            await asyncio.gather(self.copy(reader, downstream, self.heads), self.copy(upstream, writer))

    async def copy(self, reader, writer, heads=None):
        while piece := await reader.read(65536):
            if heads is not None:
                heads.append(piece.split(b"\r\n\r\n")[0].decode(errors="replace").lower())
            writer.write(piece)
            await writer.drain()
        writer.close()

    def cut(self):
        self.released.clear()
        self.cut_all()

    def cut_all(self):
        for writer in self.opened:
            writer.transport.abort()
        self.opened.clear()

    def release(self):
        self.released.set()

    def resumed(self):
        """Whether a client has asked for the rest of a stream."""
        return any("last-event-id:" in head for head in self.heads)


@contextlib.contextmanager
def started(file, *args):
    """A server in a process of its own. Yields its base URL."""
    with subprocess.Popen([sys.executable, Path(__file__).parent / file, *args], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def seen():
    """What the servers were asked for."""
    return Rest(SERVERS).get("/seen")


def open_gate(name):
    """Lets the run go on that waits at this gate."""
    Rest(SERVERS).post(f"/gates/{name}")
