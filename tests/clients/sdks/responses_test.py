"""Tests of the responses routes with OpenAI's Python SDK, its Agents SDK and LangChain."""

import asyncio

import agents
import openai
import pytest
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from stage import BASE_URL, STAGE, async_client, client

MODELS = ["dev-chat", "fake-chat", "fake-claude"]
WEATHER = {
    "type": "function", "name": "weather", "description": "The weather of a city", "strict": True,
    "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False,
    },
}  # fmt: skip


class Place(BaseModel):
    city: str


@pytest.mark.parametrize("model", MODELS)
def test_response(model):
    response = client().responses.create(model=model, instructions="Be brief.", input="ok python responses")
    assert (response.object, response.status, response.error) == ("response", "completed", None)
    assert response.output_text and response.output[-1].type == "message"
    assert response.usage.input_tokens > 0 and response.usage.total_tokens > response.usage.output_tokens > 0


@pytest.mark.parametrize("model", MODELS)
def test_stream(model):
    with client().responses.stream(model=model, input="ok python streamed") as stream:
        events = list(stream)
        final = stream.get_final_response()
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert text == final.output_text != ""
    assert [event.sequence_number for event in events if hasattr(event, "sequence_number")][:3] == [0, 1, 2]


def test_a_response_is_continued_retrieved_and_deleted():
    there = client().responses
    first = there.create(model="dev-chat", input="My name is Ada.")
    second = there.create(model="dev-chat", input="And I said?", previous_response_id=first.id)
    assert second.usage.input_tokens > first.usage.input_tokens
    assert there.retrieve(first.id).output_text == first.output_text
    there.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        there.retrieve(first.id)


@pytest.mark.parametrize("store", [True, False])
def test_tools_with_reasoning(store):
    """The loop of tools goes on over Anthropic: kept by the gateway, or sent back by the client."""
    there = client().responses
    asked = {
        "model": "fake-claude", "tools": [WEATHER], "reasoning": {"effort": "low", "summary": "auto"}, "store": store,
        "include": ["reasoning.encrypted_content"], "max_output_tokens": 8192,
    }  # fmt: skip
    input = [{"role": "user", "content": "What is the weather in Lima?"}]
    first = there.create(**asked, input=input)
    [call] = [item for item in first.output if item.type == "function_call"]
    assert (call.name, call.arguments) == ("weather", '{"city": "Lima"}')
    assert first.output[0].summary[0].text == "They want the weather."
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "22 °C"}
    if store:
        second = there.create(**asked, input=[output], previous_response_id=first.id)
    else:
        second = there.create(**asked, input=[*input, *first.output, output])
    assert second.output_text.strip() == "It is 22 °C in Lima."


def test_structured_output():
    for model in ("dev-chat", "fake-claude"):
        response = client().responses.parse(model=model, input="Where?", text_format=Place)
        assert isinstance(response.output_parsed, Place)


def test_what_the_gateway_does_not_have_is_refused_by_name():
    with pytest.raises(openai.BadRequestError, match="file_search"):
        client().responses.create(model="dev-chat", input="a", tools=[{"type": "file_search", "vector_store_ids": ["a"]}])
    with pytest.raises(openai.BadRequestError, match="background"):
        client().responses.create(model="dev-chat", input="a", background=True)


def agent(model):
    @agents.function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"ok, 22 °C in {city}"

    return agents.Agent(name="Forecaster", instructions="Use your tools.", model=model, tools=[weather])


@pytest.mark.parametrize("model", ["dev-chat", "fake-claude"])
def test_the_agents_sdk_with_its_default_settings(model):
    agents.set_default_openai_client(async_client(), use_for_tracing=False)
    agents.set_tracing_disabled(True)

    async def run():
        whole = await agents.Runner.run(agent(model), "Use weather for Lima")
        streamed = agents.Runner.run_streamed(agent(model), "Use weather for Lima")
        async for _ in streamed.stream_events():
            pass
        return whole, streamed

    for result in asyncio.run(run()):
        assert "22 °C" in result.final_output
        kinds = [item.type for item in result.new_items]
        assert "tool_call_item" in kinds and "tool_call_output_item" in kinds


def test_langchain():
    key = STAGE["keys"]["ada"]
    chat = ChatOpenAI(model="dev-chat", base_url=BASE_URL, api_key=key)
    responses = ChatOpenAI(model="dev-chat", base_url=BASE_URL, api_key=key, use_responses_api=True)
    claude = ChatAnthropic(model="fake-claude", base_url=BASE_URL.removesuffix("/v1"), api_key=key, max_tokens=4096)
    for model in (chat, responses):
        assert model.invoke("Hello").text.startswith("I am dev-chat")
        assert isinstance(model.with_structured_output(Place).invoke("Where?"), Place)
    assert claude.invoke("Hello").text == "Paris is the capital of France."
    assert claude.with_structured_output(Place, method="json_schema").invoke("Where?") == Place(city="Lima")
    streamed = "".join(chunk.text for chunk in claude.stream("Hello"))
    assert streamed.strip() == "Paris is the capital of France."
