"""The platform's REST API, as far as the tests use it."""

import json
import time
import urllib.error
import urllib.request


class Refused(Exception):
    def __init__(self, what, status, answer):
        super().__init__(f"{what}: {status} {answer}")
        self.status, self.answer = status, answer


class Rest:
    """The API with the credential of one caller. A path is below the base URL."""

    def __init__(self, base_url, token=None):
        self.base_url, self.token = base_url, token

    def send(self, method, path, body=None, headers={}):
        """Returns the response, whatever its status is."""
        authorization = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        content = {"Content-Type": "application/json"} if body is not None else {}
        request = urllib.request.Request(
            self.base_url + path, None if body is None else json.dumps(body).encode(),
            {**authorization, **content, **headers}, method=method,
        )  # fmt: skip
        try:
            return urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as error:
            return error

    def call(self, method, path, body=None):
        with self.send(method, path, body) as response:
            answer = response.read().decode()
            if response.status >= 400:
                raise Refused(f"{method} {path} {json.dumps(body)}", response.status, answer)
            return json.loads(answer) if answer else None

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body=None):
        return self.call("POST", path, body)

    def put(self, path, body):
        return self.call("PUT", path, body)

    def patch(self, path, body):
        return self.call("PATCH", path, body)

    def delete(self, path):
        return self.call("DELETE", path)

    # Workflows and their runs

    def publish(self, name, graph):
        id = self.post("/builder/v1/workflows", {"name": name, "graph": graph})["data"]["id"]
        self.post(f"/builder/v1/workflows/{id}/publish")
        return id

    def runs(self, workflow):
        """The runs of a workflow, the newest first."""
        return self.get(f"/builder/v1/workflows/{workflow}/runs")["data"]

    def run(self, workflow, id):
        return self.get(f"/builder/v1/workflows/{workflow}/runs/{id}")["data"]

    def await_end(self, workflow, id):
        """Waits until a run has ended."""
        return wait_for(lambda: (run := self.run(workflow, id))["finishedAt"] and run, f"the end of run {id}")

    def start(self, workflow, input):
        return self.post(f"/builder/v1/workflows/{workflow}/runs", {"input": input})["data"]["id"]

    def approve(self, workflow, run):
        self.post(f"/builder/v1/workflows/{workflow}/runs/{run}/resolve-wait", {"decision": "approve"})

    # Agents

    def create_agent(self, name, config):
        id = self.post("/builder/v1/agents")["data"]["id"]
        self.patch(f"/builder/v1/agents/{id}", {"name": name, "config": config})
        return id

    def agent(self, id):
        return self.get(f"/builder/v1/agents/{id}")["data"]

    def invoke(self, id, text):
        """The answer of an agent, and the steps of its record."""
        answer = self.post(f"/builder/v1/agents/{id}/invoke", {"input": text})["data"]
        return answer["output"], self.get(f"/builder/v1/agents/{id}/invocations/{answer['id']}")["data"]["steps"]


def wait_for(condition, what, within_s=20):
    """Polls until the condition is true, and returns its value."""
    until = time.monotonic() + within_s
    while not (value := condition()):
        assert time.monotonic() < until, f"not in time: {what}"
        time.sleep(0.05)
    return value
