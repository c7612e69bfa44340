"""Sets the stage for the tests: models at the fake provider, and keys that are held to something.

Usage: prepare.py <base URL> <provider's URL> <data dir> <the platform's binary>; prints what the tests need, as JSON.
"""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

base_url, provider_url, data, local = sys.argv[1:]
gateway = base_url + "/gateway/v1"
credentials = json.loads((Path(data) / "credentials.json").read_text())
ada, eve = (credentials["users"][name]["apiKey"] for name in ("ada", "eve"))
operator = credentials["operator"]["apiKey"]


def call(path, key, body=None):
    """The answer; None where the route is not there yet."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(gateway + path, body and json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        told = error.read().decode()
        if error.code == 404 and json.loads(told)["error"]["code"] == "not_found":
            print(f"not there yet: {path}", file=sys.stderr)
            return None
        sys.exit(f"{path} {json.dumps(body)}: {error.code} {told}")


def key(name, owner=ada, **held_to):
    made = call("/me/api-keys", owner, {"name": name, **held_to})
    return made and made["secret"]


def model(name, provider="fake"):
    return call("/admin/models", operator, {
        "name": name, "display_name": name, "type": "Others", "capabilities": ["chat", "streaming", "tools"],
        "context_window": 32768, "max_output_tokens": 256, "pricing": {"input": "1", "output": "4"},
        "deployments": [{"provider": provider, "model": "upstream"}],
    })  # fmt: skip


def provider(name, url):
    return call("/admin/providers", operator, {"name": name, "kind": "openai", "base_url": url, "api_key": "sk-fake"})


# Before anybody asks for the catalog, which is then believed for a while.
has_models = provider("fake", provider_url) and model("fake-chat") and model("fake/with/slashes")

token = [local, "token", "--user", "zoe", "--org", "penniless", "--role", "admin", "--data-dir", data]
zoe = subprocess.run(token, check=True, capture_output=True, text=True).stdout.strip()
json.dump({
    "base_url": gateway,
    "provider_url": provider_url,
    "has_catalog": call("/models", ada) is not None,
    "has_billing": call("/billing/balance", ada) is not None,
    "has_models": has_models is not None,
    "keys": {
        "ada": ada,
        "eve": eve,
        "embeds_only": key("embeds only", models=["dev-embed"]),
        "capped": key("capped", spending_cap="0.000001"),
        "penniless": key("penniless", zoe),
        "once_a_minute": key("once a minute", limits={"rpm": 1}),
        "once_a_day": key("once a day", limits={"rpd": 1}),
    },
}, sys.stdout)  # fmt: skip
