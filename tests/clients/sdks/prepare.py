"""Prepares the SDK tests: registers models at the fake provider, and creates API keys with limits.

Usage: prepare.py <base URL> <provider's URL> <Anthropic's URL> <data dir> <the platform's binary>. Prints the tests' settings as JSON.
"""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

base_url, provider_url, anthropic_url, data, local = sys.argv[1:]
gateway = base_url + "/gateway/v1"
credentials = json.loads((Path(data) / "credentials.json").read_text())
ada, eve = (credentials["users"][name]["apiKey"] for name in ("ada", "eve"))
operator = credentials["operator"]["apiKey"]


def post(path, key, body):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(gateway + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{path} {json.dumps(body)}: {error.code} {error.read().decode()}")


def key(name, owner=ada, **held_to):
    return post("/me/api-keys", owner, {"name": name, **held_to})["secret"]


def model(name, provider, upstream, max_output_tokens, *capabilities):
    return post("/admin/models", operator, {
        "name": name, "display_name": name, "type": "Others",
        "capabilities": ["chat", "streaming", "tools", *capabilities],
        "context_window": 32768, "max_output_tokens": max_output_tokens, "pricing": {"input": "1", "output": "4"},
        "deployments": [{"provider": provider, "model": upstream}],
    })  # fmt: skip


def provider(name, kind, url):
    return post("/admin/providers", operator, {"name": name, "kind": kind, "base_url": url, "api_key": "sk-fake"})


def access_token(user, org):
    token = [local, "token", "--user", user, "--org", org, "--role", "admin", "--data-dir", data]
    return subprocess.run(token, check=True, capture_output=True, text=True).stdout.strip()


# Before the first call: the gateway caches the catalog.
provider("fake", "openai", provider_url)
provider("fake-anthropic", "anthropic", anthropic_url)
model("fake-chat", "fake", "upstream", 256)
model("fake/with/slashes", "fake", "upstream", 256)
model("fake-claude", "fake-anthropic", "claude-sonnet-4-5", 16384, "reasoning", "vision", "json_schema")


zoe = access_token("zoe", "penniless")
json.dump({
    "base_url": gateway,
    "provider_url": provider_url,
    "anthropic_url": anthropic_url,
    # Each language has an organization, because a sample that creates something can be executed only once in one.
    "tokens": {language: access_token("ada", f"samples-{language}") for language in ("curl", "Python", "TypeScript")},
    "keys": {
        "ada": ada,
        "eve": eve,
        "embeds_only": key("embeds only", models=["dev-embed"]),
        "capped": key("capped", spending_cap="0.000001"),
        "penniless": key("penniless", zoe),
        "once_a_minute": key("once a minute", limits={"rpm": 1}),
        "once_a_minute_anthropic": key("once a minute, Anthropic", limits={"rpm": 1}),
        "once_a_day": key("once a day", limits={"rpd": 1}),
    },
}, sys.stdout)  # fmt: skip
