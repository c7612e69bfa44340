"""The harness of the Python tests: clients for the prepared keys, and the records of the fake provider."""

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
    """A client, and the list to which its requests are added."""
    sent = []
    http = DefaultHttpxClient(event_hooks={"request": [sent.append]})
    return client(name, http_client=http, **options), sent


def user_message(text):
    return [{"role": "user", "content": text}]


def scenario_request(scenario, name):
    """A chat request for a scenario of the fake provider."""
    return {"model": "fake-chat", "messages": user_message(f"{scenario} python {name}")}


def seen(question):
    """The fake provider's record of a request."""
    name = quote_plus(question["messages"][-1]["content"])
    with urllib.request.urlopen(f"{STAGE['provider_url']}/seen?{name}", timeout=5) as response:
        return json.load(response)


def wait_until(is_so, within_s=5):
    until = time.monotonic() + within_s
    while not is_so():
        assert time.monotonic() < until, "the condition was not met in time"
        time.sleep(0.05)


def readme_sample(language):
    """The sample of README.md, with the address and the key of this test."""
    readme = (Path(__file__).parents[3] / "README.md").read_text()
    sample = readme.split(f"```{language}\n")[1].split("```")[0]
    return sample.replace("http://127.0.0.1:9000/gateway/v1", BASE_URL).replace("sk-svc-…", STAGE["keys"]["ada"])
