"""Claude Code and Codex answer a prompt through the gateway, with models of three kinds behind it."""

import os
import subprocess
from pathlib import Path

import pytest

from stage import BASE_URL, STAGE

PROGRAMS = Path(os.environ.get("CODING_AGENTS", "/nowhere"))
TEXT = "Paris is the capital of France."
MODELS = ["fake-claude", "fake-chat", "dev-chat"]
CONFIG = f"""
model_provider = "gateway"
web_search = "disabled"

[model_providers.gateway]
name = "Gateway"
base_url = "{BASE_URL}"
env_key = "GATEWAY_KEY"
wire_api = "responses"
"""


def execute(home, name, *arguments, **environment):
    """Runs a program in an empty folder, with no other settings than these."""
    program = PROGRAMS / name
    if not program.exists():
        pytest.skip(f"{name} is not installed: npm ci --prefix tests/clients/coding_agents, and set CODING_AGENTS")
    folder = home / "project"
    folder.mkdir()
    inherited = {name: os.environ[name] for name in ("PATH", "NO_PROXY", "no_proxy") if name in os.environ}
    done = subprocess.run(
        [program, *arguments], env={**inherited, "HOME": str(home), **environment}, cwd=folder, timeout=120,
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def expected(model):
    return "I am dev-chat" if model == "dev-chat" else TEXT


@pytest.mark.parametrize("model", MODELS)
def test_claude_code(model, tmp_path):
    answer = execute(
        tmp_path, "claude", "-p", "ok claude", "--model", model,
        ANTHROPIC_BASE_URL=BASE_URL.removesuffix("/v1"), ANTHROPIC_AUTH_TOKEN=STAGE["keys"]["ada"],
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
    )  # fmt: skip
    assert expected(model) in answer


@pytest.mark.parametrize("model", MODELS)
def test_codex(model, tmp_path):
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "config.toml").write_text(CONFIG)
    answer = execute(
        tmp_path, "codex", "exec", "--skip-git-repo-check", "--model", model, "ok codex",
        CODEX_HOME=str(settings), GATEWAY_KEY=STAGE["keys"]["ada"],
    )  # fmt: skip
    assert expected(model) in answer
