"""A fake provider with OpenAI's API, controlled by the messages it receives. Usage: fake_provider.py

Prints its base URL. The first word of the last text selects a scenario below. The whole text is the name under
which `GET /seen?<message>` reports the number of calls, of pieces sent and of connections that the client closed.
"""

import json
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote_plus, urlsplit

TEXT = "Paris is the capital of France."
USAGE = {"prompt_tokens": 10, "completion_tokens": 8, "total_tokens": 18}
CALLS = [("call_a", "weather", '{"city": "Paris"}'), ("call_b", "time", '{"zone": "CET"}')]
LONGEST_S = 30

seen = defaultdict(lambda: {"calls": 0, "sent": 0, "hung_up": 0})


def scenario(text):
    return "do_" + (text.split() or [""])[0].replace("-", "_")


def texts_from_the_end(messages):
    """Coding agents send reminders beside the prompt, so a scenario may be in an earlier text."""
    for message in reversed(messages):
        content = message["content"]
        parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
        yield from (part["text"] for part in reversed(parts) if part["type"] == "text")


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self.answer(200, seen[unquote_plus(urlsplit(self.path).query)])

    def do_POST(self):
        self.asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        name = next(text for text in texts_from_the_end(self.asked["messages"]) if hasattr(self, scenario(text)))
        self.record = seen[name]
        self.record["calls"] += 1
        try:
            getattr(self, scenario(name))()
        except OSError:
            self.record["hung_up"] += 1
            self.close_connection = True

    # Scenarios

    def do_ok(self):
        if not self.asked.get("stream"):
            return self.complete({"content": TEXT})
        self.stream([{"content": f"{word} "} for word in TEXT.split()])

    def do_tools(self):
        """Two tool calls, whose pieces are interleaved in a stream."""
        calls = [{"id": id, "type": "function", "function": {"name": name, "arguments": ""}} for id, name, _ in CALLS]
        if not self.asked.get("stream"):
            for call, (_, _, arguments) in zip(calls, CALLS):
                call["function"]["arguments"] = arguments
            return self.complete({"content": None, "tool_calls": calls}, "tool_calls")
        deltas = [[{"index": i, **call}] for i, call in enumerate(calls)]
        for from_ in range(0, 20, 5):
            for i, (_, _, arguments) in enumerate(CALLS):
                deltas.append([{"index": i, "function": {"arguments": arguments[from_ : from_ + 5]}}])
        self.stream([{"tool_calls": delta} for delta in deltas], "tool_calls")

    def do_busy(self):
        """A 429 whose Retry-After is longer than the gateway waits. The next call succeeds."""
        if self.record["calls"] > 1:
            return self.do_ok()
        self.refuse(429, "rate_limit_exceeded", {"Retry-After": "3"})

    def do_bad(self):
        self.refuse(400, "invalid_value")

    def do_locked(self):
        self.refuse(401, "invalid_api_key")

    def do_down(self):
        self.refuse(503, "overloaded")

    def do_garbled(self):
        self.answer(200, "<html>")

    def do_slow(self):
        """The whole answer, 1.5 s late."""
        time.sleep(1.5)
        self.complete({"content": TEXT})

    def do_fails(self):
        """An error event in place of the third piece."""
        self.begin({"content": "one"}, {"content": " two"})
        self.event({"error": {"message": "the model fell over", "type": "server_error", "code": "model_crashed"}})
        self.end()

    def do_cut(self):
        """The connection breaks in the middle of the stream."""
        self.begin({"content": "one"}, {"content": " two"})
        self.close_connection = True

    def do_short(self):
        """The stream ends cleanly, but without a `finish_reason`."""
        self.begin({"content": "one"}, {"content": " two"})
        self.end()

    def do_silent(self):
        """Two pieces, and then nothing while the client is connected."""
        self.begin({"content": "one"}, {"content": " two"})
        self.connection.settimeout(LONGEST_S)
        if not self.connection.recv(1):
            raise ConnectionResetError

    def do_endless(self):
        """A piece every 20 ms while the client is connected."""
        self.begin()
        for _ in range(LONGEST_S * 50):
            self.delta({"content": "a "})
            time.sleep(0.02)

    # Responses

    def refuse(self, status, code, headers={}):
        error = {"message": "the provider's words", "type": "t", "param": "temperature", "code": code}
        self.answer(status, {"error": error}, headers)

    def complete(self, message, reason="stop"):
        message = {"role": "assistant", "refusal": None, **message}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
        self.answer(200, {**self.envelope("chat.completion"), "choices": [choice], "usage": USAGE})

    def answer(self, status, body, headers={}):
        body = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, deltas, reason="stop"):
        self.begin(*deltas)
        self.delta({}, reason)
        if self.asked.get("stream_options", {}).get("include_usage"):
            self.event({**self.envelope("chat.completion.chunk"), "choices": [], "usage": USAGE})
        self.chunk(b"data: [DONE]\n\n")
        self.end()

    def begin(self, *deltas):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.delta({"role": "assistant", "content": None})
        for delta in deltas:
            self.delta(delta)

    def delta(self, delta, reason=None):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        self.event({**self.envelope("chat.completion.chunk"), "choices": [choice]})
        self.record["sent"] += 1

    def event(self, event):
        self.chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def chunk(self, piece):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def end(self):
        self.wfile.write(b"0\r\n\r\n")

    def envelope(self, kind):
        return {"id": "fake-1", "object": kind, "created": 1, "model": self.asked["model"]}

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
