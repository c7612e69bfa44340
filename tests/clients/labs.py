"""Uses JupyterLab in a workbench of `local`: owner, editor and stranger, a kernel, its limits, a restart, and packages that
users install.

Usage: labs.py <binary of `local`>. No wait is longer than PATIENCE_S.
"""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import websocket

LOCAL = sys.argv[1]
PATIENCE_S = float(os.environ.get("PATIENCE_S", 240))
MEMORY_MIB = 400


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def expect(what, holds, found=""):
    if not holds:
        sys.exit(f"labs: {what}: {found}")
    print(f"labs: {what}")


def until(what, check):
    """Polls until the check returns something."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = check()
        if found:
            return found
        time.sleep(0.2)
    sys.exit(f"labs: still missing after {PATIENCE_S} s: {what}")


class Platform:
    """`local` as a process. It can be killed and started again."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.start()

    def start(self):
        log = open(Path(self.folder) / "log.txt", "a")
        command = [LOCAL, "--data-dir", self.folder, "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until("the platform", self.answers)

    def answers(self):
        with contextlib.suppress(OSError):
            return self.send("GET", "/health")[0] == 200

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        self.process.wait(timeout=PATIENCE_S)

    def token(self, user, org="acme"):
        command = [LOCAL, "token", "--data-dir", self.folder, "--user", user, "--org", org]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def send(self, method, path, token=None, body=None, headers=None):
        """Returns the status, the headers and the body of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        headers = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        if isinstance(body, dict):
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()

    def api(self, method, path, token, body=None):
        status, _, text = self.send(method, path, token, body)
        if status >= 400:
            sys.exit(f"labs: {method} {path}: {status}: {text}")
        return json.loads(text) if text else None


class Browser:
    """A browser that has opened a lab with an access token."""

    def __init__(self, platform, dashboard, token):
        self.platform = platform
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        path = urlsplit(dashboard).path
        status, headers, _ = platform.send("POST", path, body=urlencode({"token": token}), headers=form)
        self.status = status
        if status != 303:
            return
        target = urlsplit(headers["location"])
        self.host, self.origin = target.netloc, f"{target.scheme}://{target.netloc}"
        _, headers, _ = platform.send("GET", f"{target.path}?{target.query}", headers={"Host": self.host})
        self.cookies = {}
        self.keep(headers)

    def keep(self, headers):
        for line in headers.get_all("set-cookie") or []:
            name, _, value = line.split(";")[0].partition("=")
            self.cookies[name] = value

    def headers(self):
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"Host": self.host, "Cookie": cookie, "Origin": self.origin}

    def send(self, method, path, body=None):
        headers = {**self.headers(), "X-XSRFToken": self.cookies.get("_xsrf", "")}
        status, found, text = self.platform.send(method, path, body=body, headers=headers)
        self.keep(found)
        return status, found, text

    def read(self, path):
        status, _, text = self.send("GET", path)
        return json.loads(text) if status == 200 else None

    def connect(self, path):
        """Opens a WebSocket: the channels of a kernel, or a terminal."""
        return websocket.create_connection(
            f"ws://{self.host}{path}",
            socket=socket.create_connection(("127.0.0.1", self.platform.port), PATIENCE_S),
            cookie=self.headers()["Cookie"],
            origin=self.origin,
            timeout=PATIENCE_S,
        )

    def run_in_terminal(self, command, answer):
        """Runs a command in a new terminal, and waits until its output matches. Returns the match."""
        name = json.loads(self.send("POST", "/api/terminals")[2])["name"]
        terminal = self.connect(f"/terminals/websocket/{name}")
        terminal.send(json.dumps(["set_size", 24, 400]))
        terminal.send(json.dumps(["stdin", f"{command}\r"]))
        output, deadline = "", time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            kind, *content = json.loads(terminal.recv())
            output += content[0] if kind == "stdout" else ""
            if found := re.search(answer, output):
                self.send("DELETE", f"/api/terminals/{name}")
                return found
        sys.exit(f"labs: the terminal did not answer: {output}")


def channels_of(kernel):
    return f"/api/kernels/{kernel}/channels"


def execute(channels, code):
    """Sends a cell to a kernel, and returns its message id."""
    header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "version": "5.3", "username": "", "session": ""}
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
    channels.send(json.dumps(message))
    return header["msg_id"]


def result(channels):
    """Waits for the result of a cell."""
    while True:
        message = json.loads(channels.recv())
        if message["msg_type"] == "error":
            sys.exit(f"labs: the cell failed: {message['content']}")
        if message["msg_type"] == "execute_result":
            return message["content"]["data"]["text/plain"]


def plan():
    """The plan of the demo organization, with little memory for one workbench."""
    size = {"cpu": "1", "memory": f"{MEMORY_MIB}Mi", "gpumem": "0", "storage": "1Gi"}
    most = {"cpu": "8", "memory": "8Gi", "gpumem": "0", "storage": "10Gi"}
    image = {"name": "jupyter", "reference": "jupyter:1", "command": ["jupyter", "lab"]}
    workbenches = {
        "sizes": [{"name": "small", "resources": size}], "default_size": "small", "ceiling": size, "capacity": most,
        "max_workbenches": 10, "images": [image], "provisioning_timeout_minutes": 10, "idle_stop_minutes": None,
    }
    return {"name": "Labs", "workbenches": workbenches}


def main(folder):
    platform = Platform(folder)
    try:
        run(platform)
    except BaseException:
        print((Path(folder) / "log.txt").read_text()[-4000:], file=sys.stderr)
        for log in Path(folder).glob("workbenches/*/log"):
            print(log.read_text()[-4000:], file=sys.stderr)
        raise
    finally:
        if platform.process.poll() is None:
            platform.stop()


def run(platform):
    ada, bob, eve = platform.token("ada"), platform.token("bob"), platform.token("eve", "globex")
    operator = json.loads((Path(platform.folder) / "credentials.json").read_text())["operator"]["apiKey"]
    platform.api("PUT", "/gateway/v1/admin/plans/default", operator, plan())
    # The first call of a user records the user.
    bob_id = platform.api("GET", "/gateway/v1/me", bob)["user"]["id"]

    path = f"/workbenches/v1/{platform.api('POST', '/workbenches/v1', ada, {'name': 'lab'})['id']}"
    began = time.monotonic()
    find = lambda: platform.api("GET", path, ada)
    ready = until("the workbench is ready", lambda: (found := find())["status"] == "ready" and found)
    expect(f"ready after {time.monotonic() - began:.1f} s", ready["dashboardUrl"], ready)
    dashboard = ready["dashboardUrl"]

    owner = Browser(platform, dashboard, ada)
    status, headers, page = owner.send("GET", "/lab")
    expect("the owner opens JupyterLab", status == 200 and "JupyterLab" in page, (status, page[:300]))
    tokens = set(re.findall(r'"token": *"([^"]*)"', page))
    expect("its page shows no token", tokens <= {""} and "token=" not in page + str(headers), tokens)

    kernel = json.loads(owner.send("POST", "/api/kernels", {"name": "python3"})[2])["id"]
    channels = owner.connect(channels_of(kernel))
    execute(channels, "answer = 40 + 2; answer")
    expect("a cell runs", (found := result(channels)) == "42", found)

    expect("a stranger gets 404", Browser(platform, dashboard, eve).status == 404)
    expect("a colleague without a share gets 404", Browser(platform, dashboard, bob).status == 404)
    platform.api("POST", f"{path}/members", ada, {"userId": bob_id, "role": "editor"})
    editor = Browser(platform, dashboard, bob)
    expect("the editor sees the kernel", kernel in [found["id"] for found in editor.read("/api/kernels") or []])
    theirs = editor.connect(channels_of(kernel))
    execute(theirs, "answer + 1")
    expect("the editor can use its variables", (found := result(theirs)) == "43", found)

    execute(channels, f"block = b'1' * ({MEMORY_MIB + 100} << 20)")
    rejections = until("a rejection", lambda: find()["rejections"])
    expect("too much memory is reported", rejections[0]["reason"] == "OOM_KILLED", rejections)
    expect("the workbench stays ready", find()["status"] == "ready")

    owner.send("PUT", "/api/contents/notes.txt", {"type": "file", "format": "text", "content": "kept"})
    platform.stop(signal.SIGKILL)
    left = children(dashboard.rsplit("/", 1)[1])
    expect("a killed platform leaves its processes", left)
    platform.start()
    owner = until("the lab after the restart", lambda: (again := Browser(platform, dashboard, ada)).status == 303 and again)
    contents = until("the file", lambda: owner.read("/api/contents/notes.txt"))
    expect("files survive a restart", contents["content"] == "kept", contents)
    expect("the old processes have ended", not set(left) & set(children(dashboard.rsplit("/", 1)[1])))

    platform.api("DELETE", path, ada)
    until("the deletion", lambda: platform.send("GET", path, ada)[0] == 404)
    expect("a deletion leaves no process", not children(dashboard.rsplit("/", 1)[1]))
    expect("a deletion leaves no file", not list(Path(platform.folder).glob("workbenches/*")))
    packages(platform, ada, eve)
    platform.api("POST", "/workbenches/v1", ada, {"name": "lab"})
    until("a second lab", lambda: any(list_labs(platform, ada)))
    platform.stop()
    expect("a stop of the platform ends its labs", not processes(f"{folder}/"))


def packages(platform, ada, eve):
    """What users install is in their lab alone, and survives a stop."""
    folder = Path(platform.folder)
    wheels = {name: str(wheel(folder, name)) for name in ["probe_cell", "probe_shell", "probe_terminal", "probe_own"]}
    first, second, foreign = new_lab(platform, ada, "first"), new_lab(platform, ada, "second"), new_lab(platform, eve, "theirs")
    home = folder / "workbenches" / first / "home"
    owner = open_lab(platform, ada, first)
    cell = run_cell(owner, f"%pip install --no-index {wheels['probe_cell']}\nimport probe_cell; probe_cell.__file__")
    expect("a notebook imports what %pip has installed", str(home) in cell, cell)
    cell = run_cell(owner, f"!pip install --no-index {wheels['probe_shell']}\nimport probe_shell; probe_shell.__file__")
    expect("a notebook imports what !pip has installed", str(home) in cell, cell)
    show = "python -c 'import {0}; print(\"at\", {0}.__file__)'"
    install = f"pip install --no-index {wheels['probe_terminal']}"
    found = owner.run_in_terminal(f"{install} && {show.format('probe_terminal')}", r"at (/\S+\.py)")[1]
    expect("a terminal installs into the lab", str(home) in found, found)
    own = f"python -m venv own && . own/bin/activate && pip install --no-index {wheels['probe_own']}"
    found = owner.run_in_terminal(f"{own} && {show.format('probe_own')}", r"at (/\S+\.py)")[1]
    expect("an environment of the user keeps its packages to itself", str(home / "own") in found, found)
    imported = run_cell(owner, "import importlib.util as u; [u.find_spec('probe_' + name) is not None "
                        "for name in ['cell', 'shell', 'terminal', 'own', 'nothing']]")
    expect("all but those are in the lab", imported == "[True, True, True, False, False]", imported)
    run_cell(owner, "import os, pathlib; pathlib.Path(os.environ['ATELIER_SHARED_FOLDER'], 'data.txt').write_text('ours')")

    path = f"/workbenches/v1/{first}"
    platform.api("POST", f"{path}/stop", ada)
    until("the stop", lambda: platform.api("GET", path, ada)["runState"] == "stopped")
    platform.api("POST", f"{path}/start", ada)
    until("the start", lambda: platform.api("GET", path, ada)["runState"] == "running")
    owner = open_lab(platform, ada, first)
    imported = run_cell(owner, "import probe_cell, probe_shell, probe_terminal; probe_cell.PLACE")
    expect("packages survive a stop", imported == "'here'", imported)
    found = owner.run_in_terminal(show.format("probe_cell"), r"at (/\S+\.py)")[1]
    expect("in terminals too", str(home) in found, found)

    missing = "import importlib.util as u; [name for name in ['cell', 'shell', 'terminal'] if u.find_spec('probe_' + name)]"
    other = open_lab(platform, ada, second)
    expect("another lab does not have them", (found := run_cell(other, missing)) == "[]", found)
    read = "import pathlib; [file.read_text() for file in pathlib.Path.home().joinpath('shared').iterdir()]"
    expect("it sees the shared folder of the organization", (found := run_cell(other, read)) == "['ours']", found)
    theirs = open_lab(platform, eve, foreign)
    expect("another organization has its own", (found := run_cell(theirs, read)) == "[]", found)
    for lab, token in [(first, ada), (second, ada), (foreign, eve)]:
        platform.api("DELETE", f"/workbenches/v1/{lab}", token)
    until("the deletions", lambda: not list(folder.glob("workbenches/*")))
    kept = [file.read_text() for file in folder.glob("shared/*/data.txt")]
    expect("a deletion keeps the shared folder", kept == ["ours"], kept)


def wheel(folder, name):
    """Builds a package with one module."""
    file, info = folder / f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
    contents = {
        f"{name}.py": "PLACE = 'here'\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: labs\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*contents, f"{info}/RECORD"])
    with zipfile.ZipFile(file, "w") as archive:
        for path, text in {**contents, f"{info}/RECORD": record}.items():
            archive.writestr(path, text)
    return file


def new_lab(platform, token, name):
    lab = platform.api("POST", "/workbenches/v1", token, {"name": name})["id"]
    until(f"the lab {name}", lambda: platform.api("GET", f"/workbenches/v1/{lab}", token)["status"] == "ready")
    return lab


def open_lab(platform, token, lab):
    browser = Browser(platform, platform.api("GET", f"/workbenches/v1/{lab}", token)["dashboardUrl"], token)
    # The page sets the cookie that changes need.
    browser.send("GET", "/lab")
    return browser


def run_cell(browser, code):
    """Runs a cell in a kernel of its own, and returns its result."""
    kernel = json.loads(browser.send("POST", "/api/kernels", {"name": "python3"})[2])["id"]
    channels = browser.connect(channels_of(kernel))
    execute(channels, code)
    found = result(channels)
    browser.send("DELETE", f"/api/kernels/{kernel}")
    return found


def list_labs(platform, token):
    return [found for found in platform.api("GET", "/workbenches/v1", token)["items"] if found["status"] == "ready"]


def children(workbench):
    """The ids of the processes of a workbench, the oldest first."""
    return processes(f"/{workbench}\0")


def processes(folder):
    """The ids of the processes that have this in their variable, after which the platform finds them."""
    marker, found = re.compile(rf"\0ATELIER_WORKBENCH=[^\0]*{re.escape(folder)}"), []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            environment = (process / "environ").read_text(errors="replace") if process.name.isdigit() else ""
            if marker.search("\0" + environment):
                found.append(int(process.name))
    return sorted(found)


with tempfile.TemporaryDirectory() as folder:
    main(folder)
