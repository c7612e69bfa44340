"""A fake provider with Anthropic's API. Usage: fake_anthropic.py. Prints its base URL.

It calls the first tool of a request, and answers with text when the result arrives. With `thinking`, it thinks before, and it refuses
a conversation whose thinking comes back without its signature, as Anthropic does. `GET /seen` lists the requests.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

THOUGHT, SIGNATURE = "They want the weather.", "c2lnbmF0dXJl"
TEXT = "Paris is the capital of France."
RESULT_TEXT = "It is 22 °C in Lima."
USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 4, "output_tokens": 8}

seen = []


def blocks_of(message):
    content = message["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


class Anthropic(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self.answer(200, seen)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        seen.append({"path": self.path, "beta": self.headers["anthropic-beta"], "body": asked})
        if self.path.endswith("/count_tokens"):
            return self.answer(200, {"input_tokens": 42})
        for message in asked["messages"]:
            for block in blocks_of(message):
                if block["type"] == "thinking" and (block["thinking"], block["signature"]) != (THOUGHT, SIGNATURE):
                    return self.refuse("messages: Invalid `signature` in `thinking` block")
        content = self.content(asked)
        reason = "tool_use" if content[-1]["type"] == "tool_use" else "end_turn"
        message = {
            "id": "msg_fake", "type": "message", "role": "assistant", "model": asked["model"], "stop_sequence": None,
        }  # fmt: skip
        if asked.get("stream"):
            return self.stream(message, content, reason)
        self.answer(200, {**message, "content": content, "stop_reason": reason, "usage": USAGE})

    def content(self, asked):
        last = blocks_of(asked["messages"][-1])
        thinking = []
        if asked.get("thinking", {}).get("type") in ("enabled", "adaptive"):
            thinking = [{"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURE}]
        if any(block["type"] == "tool_result" for block in last):
            return [*thinking, {"type": "text", "text": RESULT_TEXT}]
        tools = [tool for tool in asked.get("tools", []) if "weather" in tool["name"]]
        if asked.get("tool_choice", {}).get("type") in ("any", "tool"):
            tools = asked["tools"]
        if tools:
            call = {"type": "tool_use", "id": "toolu_01A", "name": tools[0]["name"], "input": {"city": "Lima"}}
            return [*thinking, call]
        if asked.get("output_config", {}).get("format"):
            return [*thinking, {"type": "text", "text": '{"city": "Lima"}'}]
        return [*thinking, {"type": "text", "text": TEXT}]

    def refuse(self, message):
        self.answer(400, {"type": "error", "error": {"type": "invalid_request_error", "message": message}})

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, message, content, reason):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        start = {**message, "content": [], "stop_reason": None, "usage": {**USAGE, "output_tokens": 1}}
        self.event("message_start", message=start)
        for index, block in enumerate(content):
            empty, deltas = {
                "thinking": lambda: (
                    {"thinking": "", "signature": ""},
                    [{"type": "thinking_delta", "thinking": piece} for piece in (block["thinking"][:4], block["thinking"][4:])]
                    + [{"type": "signature_delta", "signature": block["signature"]}],
                ),
                "text": lambda: (
                    {"text": ""}, [{"type": "text_delta", "text": f"{word} "} for word in block["text"].split()]
                ),
                "tool_use": lambda: (
                    {"id": block["id"], "name": block["name"], "input": {}},
                    [{"type": "input_json_delta", "partial_json": piece} for piece in ('{"city": ', '"Lima"}')],
                ),
            }[block["type"]]()  # fmt: skip
            self.event("content_block_start", index=index, content_block={"type": block["type"], **empty})
            for delta in deltas:
                self.event("content_block_delta", index=index, delta=delta)
            self.event("content_block_stop", index=index)
        self.event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=USAGE)
        self.event("message_stop")

    def event(self, kind, **data):
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Anthropic)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
