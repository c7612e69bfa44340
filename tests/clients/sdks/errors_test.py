"""Tests of the gateway's errors with the Python SDK, and of what failed calls cost."""

import asyncio
import json
import time
import urllib.request
from decimal import Decimal

import openai
import pytest

from stage import (
    BASE_URL,
    STAGE,
    async_client,
    client,
    counting_client,
    scenario_request,
    seen,
    user_message,
    wait_until,
)

HELLO = {"model": "dev-chat", "messages": user_message("hello")}
OK_COSTS = Decimal("0.000042")  # 10 input tokens at 1 USD and 8 output tokens at 4 USD per million
MICRO_USD = Decimal("0.000001")


def fails_as(kind, status, code, call):
    """Makes a call that fails, and checks every field of the SDK's error."""
    with pytest.raises(kind) as caught:
        call()
    error = caught.value
    assert type(error) is kind and (error.status_code, error.code) == (status, code)
    assert error.request_id.startswith("req_") and error.body["request_id"] == error.request_id
    assert error.body["message"] and error.body["message"] in error.message and error.type == error.body["type"]
    assert "param" in error.body and "details" in error.body
    return error


def chat(there, **options):
    return lambda: there.chat.completions.create(**{**HELLO, **options})


# Errors of the gateway


@pytest.mark.parametrize(
    "key, code",
    [
        ("nonsense", "identity.unauthorized"),
        ("sk-svc-9WdCo8N7MfLqr1L3F82Bbpj4WqVNL71CvcRFPQ0305G12ezfI", "identity.unauthorized"),
    ],
)
def test_401(key, code):
    there, sent = counting_client(api_key=key)
    assert fails_as(openai.AuthenticationError, 401, code, chat(there)).type == "authentication_error"
    assert len(sent) == 1


def test_400():
    there, sent = counting_client()
    error = fails_as(openai.BadRequestError, 400, "invalid_body", chat(there, temperature=3))
    assert error.param == "temperature" and error.type == "invalid_request_error"
    fails_as(openai.BadRequestError, 400, "invalid_body", chat(there, messages=[]))
    fails_as(openai.BadRequestError, 400, "invalid_body", chat(there, stream=True, messages=[]))
    embed = lambda: there.embeddings.create(model="dev-chat", input="hello")
    assert fails_as(openai.BadRequestError, 400, "invalid_body", embed).param == "model"
    assert len(sent) == 4


def test_400_names_an_unsupported_parameter():
    audio = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
    messages = [{"role": "user", "content": [audio]}]
    error = fails_as(openai.BadRequestError, 400, "parameter_not_supported", chat(client(), messages=messages))
    assert error.param == "messages"


def test_403():
    there, sent = counting_client("embeds_only")
    error = fails_as(openai.PermissionDeniedError, 403, "model_access_denied", chat(there))
    assert error.type == "permission_error" and len(sent) == 1
    assert there.embeddings.create(model="dev-embed", input="hello").data


def test_404():
    there, sent = counting_client()
    error = fails_as(openai.NotFoundError, 404, "model_not_found", chat(there, model="nobody"))
    assert error.type == "not_found_error" and len(sent) == 1


def test_404_of_a_route():
    """Vector stores are not supported."""
    fails_as(openai.NotFoundError, 404, "not_found", lambda: client().vector_stores.list())


def test_404_of_a_model():
    fails_as(openai.NotFoundError, 404, "model_not_found", lambda: client().models.retrieve("nobody"))


def test_413():
    fails_as(openai.APIStatusError, 413, "payload_too_large", chat(client(), messages=user_message("x" * 4_200_000)))


@pytest.mark.parametrize(
    "key, code, scope", [("capped", "spending_cap_reached", "key"), ("penniless", "insufficient_credits", None)]
)
@pytest.mark.parametrize("stream", [False, True])
def test_402_is_not_retried(key, code, scope, stream):
    there, sent = counting_client(key)
    error = fails_as(openai.APIStatusError, 402, code, chat(there, stream=stream))
    assert error.response.headers["x-should-retry"] == "false" and len(sent) == 1
    assert error.type == "billing_error" and (error.body["details"] or {}).get("scope") == scope


def often(there):
    """Repeats the call: a rate-limit window may end between two calls, but not between all of them."""
    for _ in range(5):
        chat(there)()


def test_429_of_a_minute_has_retry_after():
    there = client("once_a_minute", max_retries=0)
    error = fails_as(openai.RateLimitError, 429, "rate_limit_exceeded", lambda: often(there))
    assert error.type == "rate_limit_error" and error.body["details"]["dimension"] == "rpm"
    headers = error.response.headers
    assert 1 <= int(headers["retry-after"]) <= 60 and int(headers["retry-after-ms"]) >= 1
    assert headers["x-ratelimit-remaining-requests"] == "0" and "x-should-retry" not in headers


def test_429_of_a_day_is_not_retried():
    there, sent = counting_client("once_a_day")
    error = fails_as(openai.RateLimitError, 429, "rate_limit_exceeded", lambda: often(there))
    assert error.response.headers["x-should-retry"] == "false"
    assert sent[-1].headers["x-stainless-retry-count"] == "0"


# Errors of the provider


def test_429_of_the_provider_is_retried_after_its_retry_after():
    there, sent = counting_client()
    question = scenario_request("busy", "retry")
    began = time.monotonic()
    completion = there.chat.completions.create(**question)
    assert completion.choices[0].message.content == "Paris is the capital of France."
    assert len(sent) == 2 and seen(question)["calls"] == 2
    assert time.monotonic() - began >= 3, "the SDK waits for the provider's Retry-After"
    assert [request.headers["x-stainless-retry-count"] for request in sent] == ["0", "1"]


def test_429_of_the_provider_keeps_its_retry_after():
    there = client(max_retries=0)
    call = lambda: there.chat.completions.create(**scenario_request("busy", "once"))
    error = fails_as(openai.RateLimitError, 429, "rate_limit_exceeded", call)
    assert (error.response.headers["retry-after"], error.response.headers["retry-after-ms"]) == ("3", "3000")


def test_400_of_the_provider_is_passed_on():
    there, sent = counting_client()
    call = lambda: there.chat.completions.create(**scenario_request("bad", "400"))
    error = fails_as(openai.BadRequestError, 400, "invalid_value", call)
    assert error.param == "temperature" and error.body["message"] == "the provider's words" and len(sent) == 1


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("scenario, code", [("down", "overloaded"), ("garbled", "provider_answer_garbled")])
def test_502(scenario, code, stream):
    there = client(max_retries=0)
    call = lambda: there.chat.completions.create(**scenario_request(scenario, stream), stream=stream)
    assert fails_as(openai.InternalServerError, 502, code, call).type == "provider_error"


def test_502_that_a_retry_cannot_fix_is_not_retried():
    there, sent = counting_client()
    call = lambda: there.chat.completions.create(**scenario_request("locked", "502"))
    error = fails_as(openai.InternalServerError, 502, "provider_setup", call)
    assert len(sent) == 1 and "sk-" not in error.message


# Errors in the middle of a stream

MIDWAY = pytest.mark.parametrize(
    "scenario, code",
    [("fails", "model_crashed"), ("cut", "provider_stream_cut"), ("short", "provider_stream_cut")],
)


def is_stream_error(error, code):
    assert type(error) is openai.APIError and error.code == code and error.type == "provider_error"
    assert error.message == error.body["message"] and error.body["request_id"].startswith("req_")


@MIDWAY
def test_a_stream_that_fails_midway_raises(scenario, code):
    there, sent = counting_client()
    chunks = []
    stream = there.chat.completions.create(**scenario_request(scenario, "stream"), stream=True)
    with pytest.raises(openai.APIError) as caught:
        chunks.extend(stream)
    is_stream_error(caught.value, code)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "one two"
    assert all(chunk.choices[0].finish_reason is None for chunk in chunks) and len(sent) == 1


@MIDWAY
def test_a_stream_that_fails_midway_fails_the_stream_helpers(scenario, code):
    request = scenario_request(scenario, "help")
    with pytest.raises(openai.APIError) as caught, client().chat.completions.stream(**request) as stream:
        stream.get_final_completion()
    is_stream_error(caught.value, code)

    async def streamed():
        async with async_client() as there:
            async for _ in await there.chat.completions.create(**scenario_request(scenario, "async"), stream=True):
                pass

    with pytest.raises(openai.APIError) as caught:
        asyncio.run(streamed())
    is_stream_error(caught.value, code)


# Costs, measured in eve's organization, which no other test uses


def credits():
    headers = {"Authorization": f"Bearer {STAGE['keys']['eve']}"}
    there = urllib.request.Request(f"{BASE_URL}/billing/balance", headers=headers)
    with urllib.request.urlopen(there, timeout=5) as response:
        return json.load(response, parse_float=Decimal)["credits_remaining"]


def is_charged(before, least, most):
    """Waits until the amount charged since is in the range, and checks that the platform still answers."""
    wait_until(lambda: before - credits() >= least)
    assert before - credits() <= most
    chat(client())()


@pytest.mark.parametrize("scenario, code", [("down", "overloaded"), ("garbled", "provider_answer_garbled")])
def test_failed_calls_are_free(scenario, code):
    before = credits()
    call = lambda: client("eve", max_retries=0).chat.completions.create(**scenario_request(scenario, "free"))
    fails_as(openai.InternalServerError, 502, code, call)
    is_charged(before, 0, 0)


def test_a_stream_that_the_client_leaves_costs_what_was_sent():
    before = credits()
    question = scenario_request("endless", "leaves")
    with client("eve").chat.completions.create(**question, stream=True) as stream:
        for _ in zip(range(10), stream):
            pass
    wait_until(lambda: seen(question)["hung_up"] == 1)
    sent = seen(question)["sent"]
    assert sent < 60, "the provider's stream is cancelled soon"
    # At most two tokens per piece, and the input tokens.
    is_charged(before, 4 * MICRO_USD, (8 * sent + 50) * MICRO_USD)


def test_a_timeout_midway_costs_what_was_sent():
    before = credits()
    question = scenario_request("silent", "timeout")
    chunks = []
    with pytest.raises(openai.APITimeoutError):
        chunks.extend(client("eve", timeout=0.5).chat.completions.create(**question, stream=True))
    assert len(chunks) == 3 and seen(question)["calls"] == 1, "a stream that has begun is not retried"
    wait_until(lambda: seen(question)["hung_up"] == 1)
    is_charged(before, 4 * MICRO_USD, 100 * MICRO_USD)


def test_a_client_timeout_costs_the_whole_answer():
    before = credits()
    with pytest.raises(openai.APITimeoutError):
        client("eve", timeout=0.5, max_retries=0).chat.completions.create(**scenario_request("slow", "timeout"))
    is_charged(before, OK_COSTS, OK_COSTS)


def test_a_cancelled_async_stream_costs_what_was_sent():
    before = credits()
    question = scenario_request("endless", "cancelled")

    async def cancelled():
        async def read():
            async with async_client("eve") as there:
                async for _ in await there.chat.completions.create(**question, stream=True):
                    pass

        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(read(), 0.5)

    asyncio.run(cancelled())
    wait_until(lambda: seen(question)["hung_up"] == 1)
    is_charged(before, 4 * MICRO_USD, (8 * seen(question)["sent"] + 50) * MICRO_USD)
