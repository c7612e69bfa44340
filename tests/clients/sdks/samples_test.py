"""The samples of the OpenAPI documents and of README.md in curl and Python: all are valid, and some are executed."""

import ast
import json
import os
import subprocess
import sys
import urllib.request

import pytest
from stage import BASE_URL, STAGE, readme_sample

ORIGIN = BASE_URL.removesuffix("/gateway/v1")


def read_samples():
    samples = {}
    for api in ("builder", "gateway", "workbenches"):
        with urllib.request.urlopen(f"{ORIGIN}/{api}/v1/openapi.json", timeout=5) as response:
            document = json.load(response)
        for operation in (operation for item in document["paths"].values() for operation in item.values()):
            for sample in operation["x-codeSamples"]:
                samples[f"{api}/{operation['operationId']}", sample["label"]] = sample["source"]
    return samples


SAMPLES = read_samples()
# What the output of each executed sample contains, in both languages.
EXECUTED = {
    ("gateway/get_me", ""): '"api_key"',
    ("gateway/create_api_key", ""): '"secret"',
    ("gateway/list_models", ""): "dev-chat",
    ("gateway/create_chat_completion", ""): "dev-chat",
    ("gateway/create_chat_completion", ", streamed"): "chat.completion.chunk",
    ("gateway/create_embeddings", ""): "embedding",
    ("gateway/create_images", ""): '"data"',
    ("builder/create_agent", ""): '"Support"',
    ("builder/preview_expression", ""): '"result"',
    ("workbenches/create_workbench", ""): '"protein-folding"',
    ("builder/health", ""): '"ok"',
}


def test_the_samples_for_python_are_valid():
    for (operation, label), source in SAMPLES.items():
        if label.startswith("Python"):
            ast.parse(source, operation)


@pytest.mark.parametrize("language", ["curl", "Python"])
@pytest.mark.parametrize(("operation", "form"), EXECUTED)
def test_a_sample_works_as_it_is_shown(operation, form, language):
    command = ["bash", "-euc"] if language == "curl" else [sys.executable, "-c"]
    credentials = {"API_KEY": STAGE["keys"]["ada"], "ACCESS_TOKEN": STAGE["tokens"][language]}
    call = [*command, SAMPLES[operation, language + form]]
    done = subprocess.run(call, env={**os.environ, **credentials}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert EXECUTED[operation, form] in done.stdout and '"error":' not in done.stdout, done.stdout


def test_the_readme_connects_python():
    done = subprocess.run([sys.executable, "-c", readme_sample("python")], capture_output=True, text=True, timeout=60)
    assert (done.returncode, "dev-chat" in done.stdout) == (0, True), done.stdout + done.stderr
