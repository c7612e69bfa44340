"""Tests of the messages routes with Anthropic's Python SDK."""

import json
import urllib.request

import anthropic
import pytest

from stage import BASE_URL, STAGE

TEXT = "Paris is the capital of France."
THOUGHT = "They want the weather."
TOOLS = [{
    "name": "weather", "description": "The weather of a city",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}]  # fmt: skip
THINKING = {"type": "enabled", "budget_tokens": 1024}
HELLO = [{"role": "user", "content": "ok python anthropic"}]
MODELS = ["dev-chat", "fake-chat", "fake-claude"]


def client(name="ada", **options):
    return anthropic.Anthropic(**{"api_key": STAGE["keys"][name], "base_url": BASE_URL.removesuffix("/v1"), **options})


def seen():
    with urllib.request.urlopen(f"{STAGE['anthropic_url']}/seen", timeout=5) as response:
        return json.load(response)


@pytest.mark.parametrize("model", MODELS)
def test_message(model):
    message = client().messages.create(model=model, max_tokens=200, system="Be brief.", messages=HELLO)
    assert (message.type, message.role, message.stop_reason) == ("message", "assistant", "end_turn")
    assert message.content[0].type == "text" and message.content[0].text
    assert message.id.startswith("msg_") and message._request_id
    assert message.usage.input_tokens > 0 and message.usage.output_tokens > 0


@pytest.mark.parametrize("model", MODELS)
def test_stream(model):
    with client().messages.stream(model=model, max_tokens=200, messages=HELLO) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    assert text.strip() == message.content[0].text.strip() != ""
    assert message.stop_reason == "end_turn"
    assert message.usage.input_tokens > 0 and message.usage.output_tokens > 0
    assert message.usage.model_extra["cost"] >= 0


@pytest.mark.parametrize("streamed", [False, True])
def test_tools_with_thinking(streamed):
    """The conversation goes on only if the thinking comes back with its signature."""
    there = client()
    messages = [{"role": "user", "content": "What is the weather in Lima?"}]
    asked = {"model": "fake-claude", "max_tokens": 2048, "tools": TOOLS, "thinking": THINKING}

    def ask():
        if not streamed:
            return there.messages.create(**asked, messages=messages)
        with there.messages.stream(**asked, messages=messages) as stream:
            return stream.get_final_message()

    first = ask()
    assert first.stop_reason == "tool_use"
    thinking, call = first.content
    assert (thinking.type, thinking.thinking, thinking.signature) == ("thinking", THOUGHT, "c2lnbmF0dXJl")
    assert (call.type, call.name, call.input) == ("tool_use", "weather", {"city": "Lima"})
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "22 °C"}
    messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    assert ask().content[-1].text.strip() == "It is 22 °C in Lima."


def test_tools_of_another_vendor():
    """A model with OpenAI's API calls two tools, whose pieces are interleaved in its stream."""
    asked = {"model": "fake-chat", "max_tokens": 200, "tools": TOOLS}
    whole = client().messages.create(**asked, messages=[{"role": "user", "content": "tools python whole"}])
    with client().messages.stream(**asked, messages=[{"role": "user", "content": "tools python streamed"}]) as stream:
        streamed = stream.get_final_message()
    for message in (whole, streamed):
        assert message.stop_reason == "tool_use"
        calls = [(block.name, block.input) for block in message.content if block.type == "tool_use"]
        assert calls == [("weather", {"city": "Paris"}), ("time", {"zone": "CET"})]


def test_the_provider_of_anthropic_gets_the_request_as_it_is():
    mark = {"type": "ephemeral"}
    messages = [{"role": "user", "content": [{"type": "text", "text": "unchanged", "cache_control": mark}]}]
    client().beta.messages.create(
        model="fake-claude", max_tokens=100, messages=messages, betas=["context-management-2025-06-27"],
        context_management={"edits": [{"type": "clear_tool_uses_20250919"}]},
        system=[{"type": "text", "text": "Be brief.", "cache_control": mark}],
    )  # fmt: skip
    [request] = [request for request in seen() if request["body"]["messages"] == messages]
    assert request["beta"] == "context-management-2025-06-27"
    assert request["body"]["system"][0]["cache_control"] == mark
    assert request["body"]["context_management"] == {"edits": [{"type": "clear_tool_uses_20250919"}]}


def test_count_tokens():
    count = client().messages.count_tokens
    assert count(model="fake-claude", messages=HELLO).input_tokens == 42
    assert count(model="dev-chat", messages=HELLO, tools=TOOLS).input_tokens > 20


def test_errors():
    there = client(max_retries=0)
    asked = {"max_tokens": 10, "messages": HELLO}
    with pytest.raises(anthropic.NotFoundError) as caught:
        there.messages.create(model="unknown", **asked)
    assert caught.value.body["error"]["type"] == "not_found_error" and caught.value.request_id
    with pytest.raises(anthropic.AuthenticationError):
        client(api_key="sk-svc-nobody", max_retries=0).messages.create(model="dev-chat", **asked)
    with pytest.raises(anthropic.BadRequestError) as caught:
        search = [{"type": "web_search_20250305", "name": "web_search"}]
        there.messages.create(model="fake-claude", tools=search, **asked)
    assert "web_search_20250305" in str(caught.value)
    forged = [{"type": "thinking", "thinking": "Forged", "signature": "eA=="}, {"type": "text", "text": "a"}]
    with pytest.raises(anthropic.BadRequestError) as caught:
        messages = [*HELLO, {"role": "assistant", "content": forged}, *HELLO]
        there.messages.create(model="fake-claude", max_tokens=10, messages=messages)
    assert "signature" in str(caught.value)
    once = client("once_a_minute_anthropic", max_retries=0)
    once.messages.create(model="dev-chat", **asked)
    with pytest.raises(anthropic.RateLimitError) as caught:
        once.messages.create(model="dev-chat", **asked)
    assert int(caught.value.response.headers["retry-after"]) > 0


def test_a_stream_that_fails_raises():
    with pytest.raises(anthropic.APIStatusError) as caught:
        asked = {"model": "fake-chat", "max_tokens": 100, "messages": [{"role": "user", "content": "fails python anthropic"}]}
        with client(max_retries=0).messages.stream(**asked) as stream:
            "".join(stream.text_stream)
    assert caught.value.body["error"]["code"] == "model_crashed"
