"""Calls every function under `cargo lambda watch`, and checks that streams arrive event by event.

Usage: watch.py <URL of watch> <data folder of `local services`> <access token>. No wait is longer than PATIENCE_S.
"""

import http.client
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

url, data, TOKEN = sys.argv[1:]
PATIENCE_S = float(os.environ.get("PATIENCE_S", 60))
ROOT = Path(__file__).resolve().parents[2]

kept = json.loads((Path(data) / "credentials.json").read_text())
ADA, OPERATOR = kept["users"]["ada"]["apiKey"], kept["operator"]["apiKey"]
called = set()


def send(method, path, key=None, body=None):
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_S)
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    body = json.dumps(body) if isinstance(body, dict) else body
    connection.request(method, path, body, headers)
    return connection.getresponse()


def call(function, method, path, key=None, body=None, status=200):
    """Sends a request, checks the status, and returns the function's JSON response."""
    response = send(method, path, key, body)
    answer = response.read().decode()
    if response.status != status:
        sys.exit(f"{function}: {method} {path}: {response.status}, expected {status}: {answer}")
    called.add(function)
    return json.loads(answer)


def expect(function, holds, answer):
    if not holds:
        sys.exit(f"{function}: unexpected answer: {answer}")
    print(f"{function:18}ok")


class Gated(BaseHTTPRequestHandler):
    """A model provider that sends the end of its stream only after the test has read the first event."""

    protocol_version = "HTTP/1.1"
    first_was_read = threading.Event()

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.event({"role": "assistant", "content": "first"})
        if self.first_was_read.wait(PATIENCE_S):
            self.event({"content": " last"}, "stop")
            self.chunk(b"data: [DONE]\n\n")
            self.chunk(b"")
        self.close_connection = True

    def event(self, delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        event = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "gated", "choices": [choice]}
        self.chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def chunk(self, piece):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.flush()

    def log_message(self, *_):
        pass


def question(model, **more):
    return {"model": model, "messages": [{"role": "user", "content": "Hello"}], **more}


def stream(model):
    """The events of a streamed answer, as they arrive."""
    response = send("POST", "/gateway/v1/chat/completions", ADA, question(model, stream=True))
    if response.status != 200 or not response.getheader("content-type", "").startswith("text/event-stream"):
        sys.exit(f"inference: {response.status} {response.getheaders()}: {response.read().decode()}")
    return (line.decode().removeprefix("data: ").strip() for line in response if line.startswith(b"data: "))


def text(events):
    chunks = [json.loads(event) for event in events if event != "[DONE]"]
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


provider = ThreadingHTTPServer(("127.0.0.1", 0), Gated)
provider.daemon_threads = True
threading.Thread(target=provider.serve_forever, daemon=True).start()

answer = call("reference", "GET", "/health")
expect("reference", answer["status"] == "ok", answer)

# Before the first call of a model: the gateway caches the catalog.
call("admin", "POST", "/gateway/v1/admin/providers", OPERATOR, {
    "name": "gated", "kind": "openai", "base_url": f"http://127.0.0.1:{provider.server_port}", "api_key": "sk-fake",
}, status=201)  # fmt: skip
answer = call("admin", "POST", "/gateway/v1/admin/models", OPERATOR, {
    "name": "gated", "display_name": "Gated", "type": "Others", "capabilities": ["chat", "streaming"],
    "context_window": 32768, "max_output_tokens": 256, "pricing": {"input": "1", "output": "4"},
    "deployments": [{"provider": "gated", "model": "upstream"}],
}, status=201)  # fmt: skip
expect("admin", answer["name"] == "gated", answer)

answer = call("catalog", "GET", "/gateway/v1/models", ADA)
expect("catalog", {"dev-chat", "gated"} <= {model["id"] for model in answer["data"]}, answer)

answer = call("mcp-gateway", "GET", "/gateway/v1/mcp", ADA)
expect("mcp-gateway", answer["data"] == [], answer)

answer = call("account", "GET", "/gateway/v1/me", ADA)
expect("account", answer["user"]["name"] == "ada", answer)

answer = call("billing", "GET", "/gateway/v1/billing/balance", ADA)
expect("billing", answer["credits_remaining"] == 25, answer)

agent = call("agents", "POST", "/builder/v1/agents", TOKEN, status=201)["data"]
answer = call("agents", "GET", "/builder/v1/agents", TOKEN)
expect("agents", [one["id"] for one in answer["data"]] == [agent["id"]], answer)

answer = call("invocations", "POST", f"/builder/v1/agents/{agent['id']}/invoke", TOKEN, {"input": "Hello"})
expect("invocations", answer["data"]["output"].endswith("You said: Hello"), answer)
record = call("invocations", "GET", f"/builder/v1/agents/{agent['id']}/invocations/{answer['data']['id']}", TOKEN)
expect("invocations", record["data"]["output"] == answer["data"]["output"], record)

workflow = call("workflows", "POST", "/builder/v1/workflows", TOKEN, status=201)["data"]
answer = call("workflows", "GET", f"/builder/v1/workflows/{workflow['id']}", TOKEN)
expect("workflows", answer["data"]["id"] == workflow["id"], answer)

answer = call("channels", "GET", f"/builder/v1/workflows/{workflow['id']}/webhooks", TOKEN)
expect("channels", answer["data"] == [], answer)

answer = call("previews", "POST", f"/builder/v1/workflows/{workflow['id']}/preview", TOKEN, status=400)
expect("previews", answer["error"]["code"] == "invalid_body", answer)

answer = call("mcp-studio", "POST", "/mcp/v1/studio", status=401)
expect("mcp-studio", answer["error"]["code"] == "unauthorized", answer)

answer = call("runs", "POST", f"/builder/v1/workflows/{workflow['id']}/runs", TOKEN, status=409)
expect("runs", answer["error"]["code"] == "unpublished_changes", answer)

nowhere = "019cb8e2-3f4a-7c21-9b6d-000000000000"
answer = call("run-events", "GET", f"/builder/v1/workflows/{workflow['id']}/runs/{nowhere}/events", TOKEN, status=404)
expect("run-events", answer["error"]["code"] == "run_not_found", answer)

answer = call("mcp-tools", "GET", "/.well-known/oauth-protected-resource/mcp/v1")
expect("mcp-tools", answer["resource"].endswith("/mcp/v1"), answer)

answer = call("conversations", "GET", f"/builder/v1/workflows/{workflow['id']}/records", TOKEN)
expect("conversations", answer == {"data": [], "meta": {"nextCursor": None}}, answer)

answer = call("hooks", "POST", "/hooks/v1/019cb8e2-3f4a-7c21-9b6d-000000000000", TOKEN, status=404)
expect("hooks", answer["error"]["code"] == "webhook_not_found", answer)

workbench = call("workbenches", "POST", "/workbenches/v1", TOKEN, {"name": "lab"}, status=201)
answer = call("workbenches", "GET", f"/workbenches/v1/{workbench['id']}", TOKEN)
expect("workbenches", answer["name"] == "lab", answer)

answer = call("service-tokens", "GET", "/builder/v1/service-tokens", TOKEN, status=403)
expect("service-tokens", answer["error"]["code"] == "administrator_only", answer)

answer = call("team", "GET", "/builder/v1/members?search=ada", TOKEN)
expect("team", answer["data"][0]["name"] == "ada", answer)

answer = call("console", "POST", "/console/logout", status=403)
expect("console", answer["error"]["code"] == "origin_not_allowed", answer)

answer = call("batches", "GET", "/gateway/v1/batches", ADA)
expect("batches", answer["data"] == [], answer)

answer = call("inference", "POST", "/gateway/v1/chat/completions", ADA, question("dev-chat"))
expect("inference", "Hello" in answer["choices"][0]["message"]["content"], answer)

events = list(stream("dev-chat"))
expect("…, streamed", len(events) > 2 and events[-1] == "[DONE]" and "Hello" in text(events), events)

# The provider sends the end only after the first event was read, so a buffered response would never arrive.
gated = stream("gated")
events = [next(gated)]
while not text(events):
    events.append(next(gated))
expect("…, its first event", text(events) == "first" and not Gated.first_was_read.is_set(), events)
Gated.first_was_read.set()
events.extend(gated)
expect("…, and its end", text(events) == "first last" and events[-1] == "[DONE]", events)


def invoke(function, event):
    payload = (ROOT / "events" / function / f"{event}.json").read_text()
    return call(function, "POST", f"/2015-03-31/functions/{function}/invocations", body=payload)


WORKERS = {
    "attention-worker": "hints",
    "batch-worker": "hints",
    "guard-worker": "tasks",
    "image-worker": "hints",
    "run-worker": "hints",
    "workbench-worker": "hints",
}
for worker, batch in WORKERS.items():
    answer = invoke(worker, batch)
    garbage = json.loads((ROOT / "events" / worker / f"{batch}.json").read_text())["Records"][1]["messageId"]
    expect(worker, answer == {"batchItemFailures": [{"itemIdentifier": garbage}]}, answer)

answer = invoke("ticker", "every-minute")
expect("ticker", isinstance(answer, int), answer)

functions = {folder.name for folder in (ROOT / "functions").iterdir()}
if called != functions:
    sys.exit(f"not every function was called: {functions ^ called}")
