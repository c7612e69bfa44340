"""The program of the documents that verifies receipts, executed as it is published."""

import json
import subprocess
import sys
import urllib.request

import pytest
from stage import BASE_URL, STAGE, client, user_message

BODY = json.dumps({"model": "dev-chat", "messages": user_message('größer "quoted" \u2028 😀')}, ensure_ascii=False).encode()


def read(path, **options):
    request = urllib.request.Request(BASE_URL + path, **options)
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.read()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of the program: itself, a receipt, the key set, and the body of the request."""
    credential = {"Authorization": f"Bearer {STAGE['keys']['ada']}"}
    headers = {**credential, "Content-Type": "application/json"}
    completion = json.loads(read("/chat/completions", data=BODY, headers=headers))
    document = json.loads(read("/openapi.json"))
    operation = document["paths"]["/gateway/v1/billing/receipts/{request_id}"]["get"]
    program = operation["description"].split("```python\n")[1].split("```")[0]
    assert len(program.splitlines()) <= 30
    folder = tmp_path_factory.mktemp("receipt")
    contents = {
        "verify.py": program.encode(),
        "receipt.json": read(f"/billing/receipts/{completion['id']}", headers=credential),
        "keys.json": read("/receipts/keys"),
        "body.json": BODY,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def verify(files, *names):
    command = [sys.executable, "verify.py", *names]
    return subprocess.run(command, cwd=files, capture_output=True, text=True, timeout=60)


def test_a_receipt_is_verified(files):
    receipt = json.loads((files / "receipt.json").read_text())["receipt"]
    for names in (["receipt.json", "keys.json"], ["receipt.json", "keys.json", "body.json"]):
        done = verify(files, *names)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"valid: dev-chat cost {receipt['cost']} USD"), done.stdout


def test_a_receipt_of_the_sdk_is_found_by_both_ids(files):
    completion = client().chat.completions.create(model="dev-chat", messages=user_message("receipt"))
    credential = {"Authorization": f"Bearer {STAGE['keys']['ada']}"}
    receipts = {read(f"/billing/receipts/{name}", headers=credential) for name in (completion.id, completion._request_id)}
    assert len(receipts) == 1


@pytest.mark.parametrize("member", ["cost", "model", "created_at", "price_version", "api_key", "usage"])
def test_a_changed_receipt_is_refused(files, member):
    answer = json.loads((files / "receipt.json").read_text())
    value = answer["receipt"][member]
    answer["receipt"][member] = {**value, "tokens_out": 0} if member == "usage" else None
    (files / "changed.json").write_text(json.dumps(answer))
    done = verify(files, "changed.json", "keys.json")
    assert done.returncode != 0 and "InvalidSignature" in done.stderr, done.stderr


def test_another_key_set_and_another_body_are_refused(files):
    (files / "none.json").write_text('{"keys": []}')
    assert "does not have the key" in verify(files, "receipt.json", "none.json").stderr
    (files / "other.json").write_bytes(BODY + b" ")
    assert "another request" in verify(files, "receipt.json", "keys.json", "other.json").stderr
