"""Tests of the gateway's successful answers with the Python SDK."""

import asyncio
import base64
import io
import json
import urllib.request
import wave
from decimal import Decimal
from typing import Literal

import openai
import pytest
from pydantic import BaseModel, Field

from stage import BASE_URL, async_client, client, counting_client, scenario_request, user_message

MODEL = "dev-chat"
HELLO = {"model": MODEL, "messages": user_message("hello")}
TEXT = "I am dev-chat, the development model of this platform; no provider is behind me. You said: hello"
PNG = b"\x89PNG\r\n\x1a\n"


def tool(name, field):
    parameters = {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]}
    return {"type": "function", "function": {"name": name, "description": f"The {name}", "parameters": parameters}}


TOOLS = [tool("weather", "city"), tool("time", "zone")]


class Guest(BaseModel):
    name: str
    seats: int = Field(ge=2)


class Booking(BaseModel):
    kind: Literal["table", "room"]
    guests: list[Guest]
    note: str | None


class Weather(BaseModel):
    """The weather"""

    city: str


@pytest.mark.parametrize("base_url", [BASE_URL, BASE_URL + "/"])
def test_the_base_url_may_end_in_a_slash(base_url):
    there = client(base_url=base_url)
    assert there.chat.completions.create(**HELLO).choices[0].message.content == TEXT
    assert len(there.embeddings.create(model="dev-embed", input="hello").data) == 1


def test_chat():
    completion = client().chat.completions.create(**HELLO)
    [choice] = completion.choices
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", TEXT, "stop")
    assert completion.object == "chat.completion" and completion.id.startswith("chatcmpl-")
    assert completion.model == MODEL and completion.created > 1_700_000_000
    usage = completion.usage
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens and usage.completion_tokens > 0
    assert usage.prompt_tokens_details.cached_tokens == 0 and usage.cost > 0
    assert completion._request_id.startswith("req_")


def test_headers_report_cost_credits_and_forwarded_parameters():
    raw = client().chat.completions.with_raw_response.create(**HELLO, extra_body={"color": "blue"})
    assert float(raw.headers["x-request-cost"]) == raw.parse().usage.cost
    assert Decimal(raw.headers["x-credits-remaining"]) > 0
    assert raw.headers["x-svc-passthrough"] == "color"


def test_every_parameter_of_the_sdk_is_accepted():
    completion = client().chat.completions.create(
        **HELLO, frequency_penalty=0.5, logit_bias={"50256": -100}, max_completion_tokens=200, metadata={"a": "b"}, n=1,
        parallel_tool_calls=False, presence_penalty=-0.5, reasoning_effort="low", response_format={"type": "text"},
        seed=7, service_tier="auto", stop=["###"], store=False, temperature=0.2, tools=TOOLS, tool_choice="none",
        top_p=0.9, user="somebody", verbosity="low", safety_identifier="s", prompt_cache_key="k",
    )  # fmt: skip
    assert completion.choices[0].message.content == TEXT


def test_answers_are_cut_at_max_tokens():
    completion = client().chat.completions.create(**HELLO, max_tokens=5)
    assert completion.choices[0].finish_reason == "length" and completion.usage.completion_tokens == 5


def test_message_parts_with_images():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    parts = [{"type": "text", "text": "look"}, picture]
    completion = client().chat.completions.create(model=MODEL, messages=[{"role": "user", "content": parts}])
    assert "I cannot see the picture" in completion.choices[0].message.content


def test_stream():
    stream = client().chat.completions.create(**HELLO, stream=True)
    assert stream.response.headers["x-request-id"].startswith("req_")
    chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TEXT and len(chunks) > 10
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["stop"]
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk.id for chunk in chunks}) == 1 and all(chunk.usage is None for chunk in chunks)


def test_streams_report_usage_on_request():
    *chunks, last = client().chat.completions.create(**HELLO, stream=True, stream_options={"include_usage": True})
    whole = client().chat.completions.create(**HELLO).usage
    assert last.choices == [] and last.usage == whole and last.usage.cost == whole.cost > 0
    assert all(chunk.choices and chunk.usage is None and "usage" in chunk.model_fields_set for chunk in chunks)


def test_stream_helper():
    with client().chat.completions.stream(**HELLO, stream_options={"include_usage": True}) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_completion()
    assert kinds.count("content.done") == 1 and kinds.count("content.delta") > 10
    assert final.choices[0].message.content == TEXT and final.choices[0].finish_reason == "stop"
    assert final.usage.completion_tokens > 0


def test_tools():
    there = client()
    messages = user_message("weather and time, please")
    first = there.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
    assert first.choices[0].finish_reason == "tool_calls" and first.choices[0].message.content is None
    calls = first.choices[0].message.tool_calls
    assert [call.function.name for call in calls] == ["weather", "time"] and len({call.id for call in calls}) == 2
    assert [list(json.loads(call.function.arguments)) for call in calls] == [["city"], ["zone"]]
    # The SDK's message object is sent back unchanged.
    answers = [{"role": "tool", "tool_call_id": call.id, "content": f"{call.function.name}: fine"} for call in calls]
    messages = [*messages, first.choices[0].message, *answers]
    second = there.chat.completions.create(model=MODEL, messages=messages, tools=TOOLS)
    assert second.choices[0].message.content.endswith("The tool answered: time: fine")


def assembled(chunks):
    """Assembles streamed tool calls as a client does."""
    calls = {}
    for delta in (call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []):
        if delta.index not in calls:
            assert delta.id and delta.function.name and delta.type == "function"
            calls[delta.index] = [delta.id, delta.function.name, ""]
        else:
            assert delta.id is None and delta.function.name is None, "only the first piece has an id and a name"
        calls[delta.index][2] += delta.function.arguments or ""
    assert list(calls) == list(range(len(calls)))
    return [(id, name, json.loads(arguments)) for id, name, arguments in calls.values()]


def test_streamed_tools():
    asked = {"model": MODEL, "messages": user_message("weather and time"), "tools": TOOLS}
    chunks = list(client().chat.completions.create(**asked, stream=True))
    whole = client().chat.completions.create(**asked).choices[0].message.tool_calls
    assert assembled(chunks) == [(call.id, call.function.name, json.loads(call.function.arguments)) for call in whole]
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_tools_of_a_provider():
    asked = {**scenario_request("tools", "whole"), "tools": TOOLS}
    expected = [("call_a", "weather", {"city": "Paris"}), ("call_b", "time", {"zone": "CET"})]
    whole = client().chat.completions.create(**asked).choices[0].message.tool_calls
    assert [(call.id, call.function.name, json.loads(call.function.arguments)) for call in whole] == expected
    chunks = list(client().chat.completions.create(**asked, stream=True))
    assert assembled(chunks) == expected, "interleaved pieces are assembled"
    with client().chat.completions.stream(**asked) as stream:
        calls = stream.get_final_completion().choices[0].message.tool_calls
    assert [(call.id, call.function.name, json.loads(call.function.arguments)) for call in calls] == expected


def test_structured_output():
    completion = client().chat.completions.parse(**HELLO, response_format=Booking)
    booking = completion.choices[0].message.parsed
    assert isinstance(booking, Booking) and booking.kind == "table" and booking.guests[0].seats >= 2


def test_structured_output_streamed():
    with client().chat.completions.stream(**HELLO, response_format=Booking) as stream:
        assert isinstance(stream.get_final_completion().choices[0].message.parsed, Booking)


def test_truncated_structured_output_raises():
    with pytest.raises(openai.LengthFinishReasonError):
        client().chat.completions.parse(**HELLO, response_format=Booking, max_tokens=3)


def test_structured_arguments():
    tools = [openai.pydantic_function_tool(Weather, name="weather")]
    completion = client().chat.completions.parse(model=MODEL, messages=user_message("weather"), tools=tools)
    assert completion.choices[0].message.tool_calls[0].function.parsed_arguments == Weather(city="weather")


def test_json_mode():
    completion = client().chat.completions.create(**HELLO, response_format={"type": "json_object"})
    assert isinstance(json.loads(completion.choices[0].message.content), dict)


def test_several_choices():
    completion = client().chat.completions.create(**HELLO, n=3)
    assert [(choice.index, choice.message.content) for choice in completion.choices] == [(i, TEXT) for i in range(3)]
    texts, reasons = {0: "", 1: ""}, {}
    for chunk in client().chat.completions.create(**HELLO, n=2, stream=True):
        for choice in chunk.choices:
            texts[choice.index] += choice.delta.content or ""
            reasons[choice.index] = choice.finish_reason
    assert texts == {0: TEXT, 1: TEXT} and reasons == {0: "stop", 1: "stop"}


def test_logprobs():
    asked = {**HELLO, "logprobs": True, "top_logprobs": 1}
    tokens = client().chat.completions.create(**asked).choices[0].logprobs.content
    assert "".join(token.token for token in tokens) == TEXT and len(tokens[0].top_logprobs) == 1
    chunks = client().chat.completions.create(**asked, stream=True)
    streamed = [chunk.choices[0].logprobs for chunk in chunks]
    assert [token for logprobs in streamed if logprobs for token in logprobs.content] == tokens


def test_embeddings():
    there, sent = counting_client()
    embeddings = there.embeddings.create(model="dev-embed", input=["hello", "world"])
    assert json.loads(sent[0].content)["encoding_format"] == "base64", "the SDK requests base64 by default"
    assert [entry.index for entry in embeddings.data] == [0, 1] and embeddings.model == "dev-embed"
    floats = there.embeddings.create(model="dev-embed", input=["hello", "world"], encoding_format="float")
    for one, other in zip(embeddings.data, floats.data, strict=True):
        assert one.embedding == pytest.approx(other.embedding)
    assert embeddings.usage.prompt_tokens == embeddings.usage.total_tokens > 0 and embeddings.usage.cost > 0
    short = there.embeddings.create(model="dev-embed", input="hello", dimensions=8)
    assert len(short.data[0].embedding) == 8 and short._request_id.startswith("req_")
    assert len(there.embeddings.create(model="dev-embed", input=[[1, 2], [3]]).data) == 2


def test_images():
    there = client()
    images = there.images.generate(model="dev-image", prompt="a red fox", n=2, size="64x32")
    assert images.created > 0 and images.usage.cost == 0.02 and images._request_id.startswith("req_")
    for image in images.data:
        with urllib.request.urlopen(image.url, timeout=5) as response:
            assert response.headers["content-type"] == "image/png" and response.read(8) == PNG
    encoded = there.images.generate(model="dev-image", prompt="a cat", size="64x64", response_format="b64_json")
    assert base64.b64decode(encoded.data[0].b64_json).startswith(PNG)


def recording(seconds=0.5):
    """A WAV file of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8_000)
        writer.writeframes(b"\0\0" * int(8_000 * seconds))
    return ("talk.wav", file.getvalue())


def test_transcriptions():
    there = client()
    answer = there.audio.transcriptions.create(model="dev-transcribe", file=recording(), language="en", temperature=0)
    assert answer.text.endswith("The file talk.wav has 8044 bytes and 0.5 seconds of audio.")
    assert (answer.usage.type, answer.usage.seconds, answer.usage.cost) == ("duration", 0.5, 0.00005)
    text = there.audio.transcriptions.create(model="dev-transcribe", file=recording(), response_format="text")
    assert text.startswith("I am dev-transcribe")
    verbose = there.audio.transcriptions.create(
        model="dev-transcribe", file=recording(), response_format="verbose_json", timestamp_granularities=["segment"]
    )
    assert verbose.duration == 0.5 and [segment.end for segment in verbose.segments] == [0.5]
    translation = there.audio.translations.create(model="dev-transcribe", file=recording())
    assert translation.text == answer.text


def test_speech():
    there = client()
    asked = {"model": "dev-speech", "input": "Good morning", "voice": "alloy", "response_format": "wav"}
    whole = there.audio.speech.create(**asked, speed=2, instructions="Softly.")
    assert whole.response.headers["content-type"] == "audio/wav"
    with wave.open(io.BytesIO(whole.read())) as reader:
        assert reader.getnframes() / reader.getframerate() == 12 * 0.02
    with there.audio.speech.with_streaming_response.create(**asked) as response:
        assert float(response.headers["x-request-cost"]) == 12 * 15 / 1_000_000
        pieces = list(response.iter_bytes(4_096))
    assert len(pieces) > 1 and pieces[0].startswith(b"RIFF")
    with pytest.raises(openai.BadRequestError, match="makes no mp3"):
        there.audio.speech.create(model="dev-speech", input="Hi", voice="alloy", response_format="mp3")


def test_image_edits():
    there = client()
    picture = there.images.generate(model="dev-image", prompt="a fox", size="64x64", response_format="b64_json")
    fox = ("fox.png", base64.b64decode(picture.data[0].b64_json), "image/png")
    edited = there.images.edit(model="dev-image", image=fox, prompt="a hat", n=2, size="64x64", response_format="b64_json")
    contents = [base64.b64decode(image.b64_json) for image in edited.data]
    assert len(set(contents)) == 2 and all(content.startswith(PNG) for content in contents)
    assert edited.usage.cost == 0.02
    several = there.images.edit(model="dev-image", image=[fox, fox], mask=fox, prompt="a hat", size="64x64")
    with urllib.request.urlopen(several.data[0].url, timeout=5) as response:
        assert response.read(8) == PNG
    with pytest.raises(openai.BadRequestError, match="PNG, JPEG or WebP"):
        there.images.edit(model="dev-image", image=("a.gif", b"GIF89a"), prompt="a hat")


def test_moderations():
    there = client()
    moderation = there.moderations.create(input="How do I make a bomb?")
    assert moderation.id.startswith("modr-") and moderation.model == "dev-guard"
    assert moderation._request_id.startswith("req_")
    result = moderation.results[0]
    assert result.flagged and result.categories.illicit and not result.categories.violence
    assert result.category_scores.illicit > 0.9 and result.category_scores.violence == 0
    several = there.moderations.create(model="dev-guard", input=["I want to die", "Good morning"])
    assert [result.flagged for result in several.results] == [True, False]


@pytest.mark.parametrize("base_url", [BASE_URL, BASE_URL + "/"])
def test_models(base_url):
    models = {model.id: model for model in client(base_url=base_url).models.list()}
    assert {"dev-chat", "dev-embed"} <= set(models)
    read = client().models.retrieve(MODEL)
    assert read == models[MODEL] and read.object == "model" and read.owned_by == "dev"
    assert isinstance(read.created, int) and read.shutdown_date is None and "shutdown_date" in read.model_fields_set
    assert "tools" in read.capabilities and read.context_window > 0


def test_names_with_slashes():
    name = "fake/with/slashes"
    assert client().models.retrieve(name).id == name
    completion = client().chat.completions.create(**{**scenario_request("ok", "slashes"), "model": name})
    assert completion.model == name and completion.choices[0].message.content == "Paris is the capital of France."


def test_async():
    async def all_of_it():
        async with async_client() as there:
            completion = await there.chat.completions.create(**HELLO)
            assert completion.choices[0].message.content == TEXT and completion._request_id
            chunks = [chunk async for chunk in await there.chat.completions.create(**HELLO, stream=True)]
            assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TEXT
            asked = {"model": MODEL, "messages": user_message("weather"), "tools": TOOLS}
            chunks = [chunk async for chunk in await there.chat.completions.create(**asked, stream=True)]
            assert [name for _, name, _ in assembled(chunks)] == ["weather"]
            async with there.chat.completions.stream(**HELLO) as stream:
                assert (await stream.get_final_completion()).choices[0].message.content == TEXT
            parsed = await there.chat.completions.parse(**HELLO, response_format=Booking)
            assert isinstance(parsed.choices[0].message.parsed, Booking)
            assert len((await there.embeddings.create(model="dev-embed", input="hello")).data) == 1
            many = await asyncio.gather(*(there.chat.completions.create(**HELLO) for _ in range(20)))
            assert len({completion.id for completion in many}) == 20

    asyncio.run(all_of_it())


def test_async_models():
    async def listed():
        async with async_client() as there:
            assert MODEL in [model.id async for model in there.models.list()]
            assert (await there.models.retrieve(MODEL)).id == MODEL

    asyncio.run(listed())


def test_legacy_completions():
    request = {"model": MODEL, "prompt": "hello", "max_tokens": 100}
    completion = client().completions.create(**request)
    [choice] = completion.choices
    assert (choice.text, choice.finish_reason, choice.logprobs) == (TEXT, "stop", None)
    assert completion.object == "text_completion" and completion.id.startswith("cmpl-") and completion.model == MODEL
    usage = completion.usage
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens and usage.cost > 0

    chunks = list(client().completions.create(**request, stream=True, stream_options={"include_usage": True}))
    assert "".join(choice.text for chunk in chunks for choice in chunk.choices) == TEXT
    assert chunks[-1].choices == [] and chunks[-1].usage == usage
    assert chunks[-2].choices[0].finish_reason == "stop"
    with pytest.raises(openai.BadRequestError) as refused:
        client().completions.create(**request, suffix="end")
    assert refused.value.param == "suffix"
