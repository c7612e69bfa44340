"""Validates recorded requests against the types of the vendors' SDKs (contract tests). Usage: validate.py FOLDER

The folder has a subfolder for each kind of provider, with a file `{"path", "body"}` for each request.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import is_typeddict

# With fewer requests, the recording is incomplete.
LEAST_REQUESTS = {"anthropic": 80, "bedrock": 80, "gemini": 80, "openai": 70, "openai_responses": 80}


def strict(root, package):
    """An adapter of a TypedDict that refuses unknown keys in every dictionary of the package."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(package)]
    for item in {id(item): item for module in modules for item in vars(module).values()}.values():
        if is_typeddict(item):
            item.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    return TypeAdapter(root)


def exhaust(value):
    """Reads every iterable in a value: Pydantic validates an Iterable only when it is read."""
    if isinstance(value, dict):
        for item in value.values():
            exhaust(item)
    elif not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        for item in value:
            exhaust(item)


def anthropic():
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming

    whole, streamed = (strict(it, "anthropic") for it in (MessageCreateParamsNonStreaming, MessageCreateParamsStreaming))
    # The types leave out what new models refuse. Models up to 4.6 take it.
    sampling = {"temperature": TypeAdapter(float), "top_p": TypeAdapter(float), "top_k": TypeAdapter(int)}

    def validate(_, body):
        for name in sampling.keys() & body.keys():
            assert "claude-3" in body["model"], f"{name} for a new model"
            sampling[name].validate_python(body[name], strict=True)
        body = {name: value for name, value in body.items() if name not in sampling}
        exhaust((streamed if body.get("stream") else whole).validate_python(body))

    return validate


def openai():
    from openai.types.audio.speech_create_params import SpeechCreateParams
    from openai.types.chat.completion_create_params import (
        CompletionCreateParamsNonStreaming,
        CompletionCreateParamsStreaming,
    )
    from openai.types.embedding_create_params import EmbeddingCreateParams

    whole, streamed = (
        strict(it, "openai") for it in (CompletionCreateParamsNonStreaming, CompletionCreateParamsStreaming)
    )
    others = {"/embeddings": strict(EmbeddingCreateParams, "openai"), "/audio/speech": strict(SpeechCreateParams, "openai")}

    def validate(path, body):
        chat = streamed if body.get("stream") else whole
        exhaust(others.get(path, chat).validate_python(body))

    return validate


def openai_responses():
    from openai.types.responses.response_create_params import (
        ResponseCreateParamsNonStreaming,
        ResponseCreateParamsStreaming,
    )

    whole, streamed = (strict(it, "openai") for it in (ResponseCreateParamsNonStreaming, ResponseCreateParamsStreaming))

    def validate(_, body):
        exhaust((streamed if body.get("stream") else whole).validate_python(body))

    return validate


def gemini():
    from google.genai import types

    adapters = {
        "contents": TypeAdapter(list[types.Content]),
        "systemInstruction": TypeAdapter(types.Content),
        "tools": TypeAdapter(list[types.Tool]),
        "toolConfig": TypeAdapter(types.ToolConfig),
        "safetySettings": TypeAdapter(list[types.SafetySetting]),
        "generationConfig": TypeAdapter(types.GenerationConfig),
        "cachedContent": TypeAdapter(str),
    }

    def embedding(body):
        body = dict(body)
        TypeAdapter(str).validate_python(body.pop("model"))
        types.Content.model_validate(body.pop("content"))
        types.EmbedContentConfig.model_validate(body)

    def validate(path, body):
        if path.endswith(":batchEmbedContents"):
            assert list(body) == ["requests"], list(body)
            for request in body["requests"]:
                embedding(request)
            return
        assert body["contents"] and all(content["parts"] for content in body["contents"]), "no contents, or empty ones"
        for name, value in body.items():
            assert name in adapters, f"unknown field {name}"
            # Validated as JSON: the types have bytes where the recorded body has base64.
            adapters[name].validate_json(json.dumps(value))

    return validate


def bedrock():
    import botocore.session
    from botocore.validate import ParamValidator

    model = botocore.session.get_session().get_service_model("bedrock-runtime")

    def validate(path, body):
        operation = model.operation_model("ConverseStream" if path.endswith("/converse-stream") else "Converse")
        problems = ParamValidator().validate({"modelId": path.split("/")[2], **body}, operation.input_shape)
        assert not problems.has_errors(), problems.generate_report()

    return validate


def main(folder):
    failed, counted = [], Counter()
    for kind in (anthropic, bedrock, gemini, openai, openai_responses):
        validate = kind()
        for file in sorted((folder / kind.__name__).glob("*.json")):
            recorded = json.loads(file.read_text())
            counted[kind.__name__] += 1
            try:
                validate(recorded["path"], recorded["body"])
            except (AssertionError, ValidationError) as problem:
                failed.append(f"{kind.__name__}/{file.stem}: {problem}\n{json.dumps(recorded['body'])}")
    for problem in failed:
        print(problem, file=sys.stderr)
    for kind, least in LEAST_REQUESTS.items():
        if counted[kind] < least:
            failed.append(kind)
            print(f"{kind}: only {counted[kind]} requests were recorded", file=sys.stderr)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counted.items())), "requests are valid" if not failed else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
