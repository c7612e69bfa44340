"""What the Python tests share: clients for the keys on the stage, and a look at the provider."""

import json
import os
import time
import urllib.request
from pathlib import Path
from urllib.parse import quote_plus

from openai import AsyncOpenAI, DefaultHttpxClient, OpenAI

STAGE = json.loads(Path(os.environ["SDK_STAGE"]).read_text())
BASE_URL = STAGE["base_url"]


def client(name="ada", **options):
    return OpenAI(**{"api_key": STAGE["keys"][name], "base_url": BASE_URL, **options})


def async_client(name="ada", **options):
    return AsyncOpenAI(api_key=STAGE["keys"][name], base_url=BASE_URL, **options)


def counting_client(name="ada", **options):
    """A client, and the requests that it will have sent."""
    sent = []
    http = DefaultHttpxClient(event_hooks={"request": [sent.append]})
    return client(name, http_client=http, **options), sent


def says(text):
    return [{"role": "user", "content": text}]


def asks(scenario, name):
    """A question to the fake provider."""
    return {"model": "fake-chat", "messages": says(f"{scenario} python {name}")}


def seen(question):
    """What the fake provider remembers of a question."""
    name = quote_plus(question["messages"][-1]["content"])
    with urllib.request.urlopen(f"{STAGE['provider_url']}/seen?{name}", timeout=5) as response:
        return json.load(response)


def wait_until(is_so, within_s=5):
    until = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < until, "it does not come about"
        time.sleep(0.05)
