"""Tests of files and batches with the Python SDK."""

import json

import openai
import pytest

from stage import client, user_message, wait_until

CHATS = "/v1/chat/completions"


def line(custom_id, model="dev-chat"):
    body = {"model": model, "messages": user_message(f"hello {custom_id}")}
    return json.dumps({"custom_id": custom_id, "method": "POST", "url": CHATS, "body": body})


def upload(ada, lines):
    return ada.files.create(file=("requests.jsonl", "\n".join(lines).encode()), purpose="batch")


def test_files_are_uploaded_listed_read_and_deleted():
    ada = client()
    content = line("one")
    file = ada.files.create(
        file=("requests.jsonl", content.encode()), purpose="batch", expires_after={"anchor": "created_at", "seconds": 3600}
    )
    assert (file.object, file.bytes, file.filename, file.purpose) == ("file", len(content), "requests.jsonl", "batch")
    assert file.expires_at == file.created_at + 3600 and file.status == "processed"
    assert ada.files.retrieve(file.id) == file
    assert ada.files.content(file.id).text == content
    others = [upload(ada, [line("one")]).id for _ in range(3)]
    listed = [found.id for found in ada.files.list(purpose="batch", limit=2, order="asc")]
    assert [id for id in listed if id in [file.id, *others]] == [file.id, *others]
    assert ada.files.delete(file.id).deleted
    with pytest.raises(openai.NotFoundError):
        ada.files.retrieve(file.id)
    with pytest.raises(openai.BadRequestError, match="fine-tune"):
        ada.files.create(file=("a.jsonl", b"{}"), purpose="fine-tune")


def test_a_batch_is_created_awaited_and_read():
    ada = client()
    file = upload(ada, [line("one"), line("two"), line("wrong", "no-such-model")])
    batch = ada.batches.create(
        input_file_id=file.id, endpoint=CHATS, completion_window="24h", metadata={"job": "nightly"}
    )
    assert (batch.object, batch.status, batch.metadata) == ("batch", "validating", {"job": "nightly"})
    wait_until(lambda: ada.batches.retrieve(batch.id).status == "completed", within_s=30)
    batch = ada.batches.retrieve(batch.id)
    counts = batch.request_counts
    assert (counts.total, counts.completed, counts.failed) == (3, 2, 1)
    answers = [json.loads(answer) for answer in ada.files.content(batch.output_file_id).text.splitlines()]
    assert {answer["custom_id"] for answer in answers} == {"one", "two"}
    for answer in answers:
        assert answer["error"] is None and answer["response"]["status_code"] == 200
        assert f"hello {answer['custom_id']}" in answer["response"]["body"]["choices"][0]["message"]["content"]
    [error] = [json.loads(error) for error in ada.files.content(batch.error_file_id).text.splitlines()]
    assert (error["custom_id"], error["response"]["status_code"]) == ("wrong", 404)
    assert batch.id in [found.id for found in ada.batches.list(limit=1)]


def test_a_batch_is_cancelled_and_a_wrong_one_fails():
    ada = client()
    batch = ada.batches.create(
        input_file_id=upload(ada, ["not json"]).id, endpoint=CHATS, completion_window="24h"
    )
    wait_until(lambda: ada.batches.retrieve(batch.id).status == "failed", within_s=30)
    [problem] = ada.batches.retrieve(batch.id).errors.data
    assert (problem.line, problem.code) == (1, "invalid_json_line")
    with pytest.raises(openai.ConflictError):
        client(max_retries=0).batches.cancel(batch.id)
