"""Shows that the checks of a deployment find what is missing: each mutation removes one thing from a copy of the template, and
the named check must fail, for the named reason.

    tests/deploy/mutations.py            with the checks of the template alone, about a minute
    tests/deploy/mutations.py --deploy   also deploys some of the copies, about 5 minutes; needs target/lambda/*/bootstrap.zip

Two kinds of mutation need the Rust tests. `cargo test -p local` compares all routes with those of `cargo lambda watch`. `cargo test
-p tests --test api` denies each AWS call that the policies of a function do not allow, and uses each index.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from template_test import ROOT, problems

TEMPLATE = ROOT / "infra/template.yaml"


def without(pattern):
    """Removes the one match of the pattern."""

    def mutate(text):
        mutated, count = re.subn(pattern, "", text, flags=re.M)
        assert count == 1, f"{pattern} matches {count} times"
        return mutated

    return mutate


def without_resource(name):
    return without(rf"^  {name}:\n    Type: AWS(?:.*\n)(?:    .*\n|\n)*")


def within(name, mutate):
    """Applies the mutation to one resource."""

    def mutate_resource(text):
        block = re.search(rf"^  {name}:\n    Type: AWS(?:.*\n)(?:    .*\n|\n)*", text, re.M)
        return text[: block.start()] + mutate(block[0]) + text[block.end() :]

    return mutate_resource


def run(command, **variables):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | variables)
    return done.stdout + done.stderr if done.returncode else ""


def test(path):
    return "\n".join(problems(path))


def lint(path):
    return run(["cfn-lint", str(path)])


def deploy(path):
    return run(["tests/deploy/run.sh", "--no-build"], TEMPLATE=str(path), PATIENCE_S="20")


STATEMENT = r" +- Effect: Allow\n +Action: sqs:SendMessage\n +Resource: !GetAtt AttentionQueue.Arn\n"
EVENTS = r"^      Events:\n(?:        .*\n)*"

# What is removed, the mutation, the check, and a part of what the check prints.
MUTATIONS = [
    ("the permission of API Gateway", without_resource("AgentsPermission"), test, "which API Gateway may not invoke"),
    ("a statement of a policy", within("AgentsFunction", without(STATEMENT)), test, "no statement for sqs"),
    ("the worker of a queue", within("AttentionWorkerFunction", without(EVENTS)), test, "queues without a worker"),
    ("a log group", without_resource("TickerLogs"), test, "TickerFunction has no log group"),
    ("the recovery of a table", within("JournalTable", without("^ +PointInTime.*\n")), test, "no point-in-time recovery"),
    ("the expiry of a table", within("CountersTable", without("^ +TimeToLive.*\n")), test, "do not expire"),
    ("the encryption of a queue", within("RunsQueue", without("^ +SqsManaged.*\n")), test, "RunsQueue is not encrypted"),
    ("a dead-letter queue", within("RunsQueue", without("^ +RedrivePolicy.*\n")), test, "RunsQueue has no dead-letter queue"),
    ("an alarm of dead letters", without_resource("ImagesDeadLettersAlarm"), test, "counts the messages of ImagesDeadLetters"),
    ("an alarm of age", without_resource("GuardAgeAlarm"), test, "no alarm watches the age of GuardQueue"),
    ("a queue of the TLS policy", without(r"(?<=Queues: \[)!Ref AttentionQueue, "), test, "AttentionQueue accepts requests"),
    ("the TLS policy of the bucket", without_resource("FilesBucketPolicy"), test, "FilesBucket accepts requests"),
    ("a function of the dashboard", without(r'(?<=\["AWS/Lambda", "Errors", "FunctionName", "\$\{)Agents(?=Function)'), test, "does not exist"),
    ("an attribute of a table", within("CountersTable", without("^ +- {AttributeName: due_shard.*\n")), lint, "due_shard"),
    ("a table", without_resource("JournalTable"), lint, "JournalTable"),
    ("a queue", without_resource("AttentionQueue"), lint, "AttentionQueue"),
    ("a route", without(r"^ +/builder/v1/workflows/\{id\}/webhooks: .*\n"), deploy, "FAIL a webhook shows its URL"),
    ("the event source of a worker", within("AttentionWorkerFunction", without(EVENTS)), deploy, "FAIL the team needs attention"),
    ("the table of entities", without_resource("EntitiesTable"), deploy, "FAIL an agent is created"),
]


def main():
    source = TEMPLATE.read_text()
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "template.yaml")
        for what, mutate, check, reason in MUTATIONS:
            if check is deploy and "--deploy" not in sys.argv:
                continue
            # The functions are found from the folder of the copy.
            copy.write_text(mutate(source).replace("CodeUri: ..", f"CodeUri: {ROOT}"))
            seen = check(copy)
            line = next((line for line in seen.splitlines() if reason in line), None)
            unnoticed += line is None
            print(f"{'ok  ' if line is not None else 'FAIL'} without {what}: {check.__name__}: {(line or seen[-500:])[:160]}", flush=True)
    return unnoticed > 0


if __name__ == "__main__":
    sys.exit(main())
