"""Prepares the tests: users with workflows and agents that they mark as tools, and credits for their models.

Usage: prepare.py <base URL> <data dir> <the platform's binary> <servers' URL> <server-everything's URL>. Prints the settings of
the tests as JSON.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rest import Rest
from workflows import add, conformance_tools, marked_tools

base_url, data, local, servers_url, everything_url = sys.argv[1:]
credentials = json.loads((Path(data) / "credentials.json").read_text())
operator = Rest(base_url, credentials["operator"]["apiKey"])
AGENT = {"model": "dev-chat", "instructions": "You help."}


def access_token(user, org):
    command = [local, "token", "--user", user, "--org", org, "--role", "admin", "--data-dir", data]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def marked(owner, kind, id, name, description):
    owner.put(f"/builder/v1/{kind}/{id}/tool", {"name": name, "description": description})
    return id


def tools(owner, workflows):
    """Publishes workflows and marks them as tools. Returns their ids by their names."""
    return {
        name: marked(owner, "workflows", owner.publish(name, graph), name, description)
        for name, (graph, description) in workflows.items()
    }


def person(user, org):
    """A user with tools, and with workflows that are none: one without a mark, and one that is paused."""
    token = access_token(user, org)
    owner = Rest(base_url, token)
    me = owner.get("/gateway/v1/me")
    operator.post("/gateway/v1/billing/admin/credits", {"org": me["org"]["id"], "kind": "credit", "amount": "1", "reason": "test"})
    ids = tools(owner, marked_tools(servers_url))
    ids["unmarked"] = owner.publish("unmarked", add())
    ids["paused"] = marked(owner, "workflows", owner.publish("paused", add()), "paused", "Adds two numbers.")
    owner.post(f"/builder/v1/workflows/{ids['paused']}/pause")
    ids["scout"] = marked(owner, "agents", owner.create_agent("Scout", AGENT), "scout", "Answers questions.")
    return {"token": token, "user": me["user"]["id"], "org": me["org"]["id"], "ids": ids}


def services(owner):
    """Two service accounts of an organization: one may use a tool of its administrator, the other may do nothing with tools."""
    rest = Rest(base_url, owner["token"])
    expires = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    scopes = {"runner": ["runs:write"], "reader": ["threads:read"]}
    made = {
        name: rest.post("/builder/v1/service-tokens", {"name": name, "scopes": allowed, "expiresAt": expires})["data"]
        for name, allowed in scopes.items()
    }
    member = {"userId": made["runner"]["userId"], "role": "operator"}
    rest.post(f"/builder/v1/workflows/{owner['ids']['add']}/members", member)
    return made


# A user for each client, because a list has all tools of its user. The first one signs in with a browser.
people = {"ada": person("ada", "acme"), "eve": person("eve", "globex")}
for name in ("python-legacy", "python-modern", "node-sdk", "node-client"):
    people[name] = person(name, f"org-{name}")
conformance = access_token("tester", "conformance")
tools(Rest(base_url, conformance), conformance_tools())
json.dump({
    "base_url": base_url,
    "servers_url": servers_url,
    "everything_url": everything_url,
    "people": people,
    "conformance": conformance,
    "services": services(people["ada"]),
    "operator": credentials["operator"]["apiKey"],
    "keys": {name: user["apiKey"] for name, user in credentials["users"].items()},
}, sys.stdout)  # fmt: skip
