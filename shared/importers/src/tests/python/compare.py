"""Compares translated Python code nodes with CPython: the same inputs must give the same results.

    cargo build -p importers --example dify_python
    python3.11 compare.py TRANSLATOR cases.jsonl        # checks the recorded cases
    python3.11 compare.py TRANSLATOR cases.jsonl record # records the results of CPython
    python3.11 compare.py TRANSLATOR snippets.json      # a list of sources, with generated inputs

It runs the code of the files, so use files that you trust. It needs Node 20 or newer.
"""

import ast
import json
import random
import resource
import subprocess
import sys

RUNNER = r"""
const AsyncFunction = (async () => {}).constructor;
const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean);
console.log = () => {};
(async () => {
  for (const line of lines) {
    const { javascript, inputs } = JSON.parse(line);
    const results = [];
    for (const input of inputs) {
      try {
        const run = new AsyncFunction("input", "nodes", "vars", "run", javascript);
        results.push({ value: await run({}, { start: { output: input } }, {}, {}) });
      } catch (error) { results.push({ error: error.kind ?? error.name, message: String(error.message) }); }
    }
    process.stdout.write(JSON.stringify(results) + "\n");
  }
})();
"""


class TooSlow(BaseException):
    pass


def run_python(source, given):
    import signal

    def stop(*_):
        raise TooSlow()

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    scope = {"__name__": "code", "print": lambda *_, **__: None}
    try:
        exec(compile(source, "code", "exec"), scope)
        value = scope["main"](**json.loads(json.dumps(given)))
        return {"value": json.loads(json.dumps(value, allow_nan=False))}
    except TooSlow:
        return {"error": "TooSlow"}
    except BaseException as error:
        return {"error": type(error).__name__}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def parameters(source):
    """The names of the parameters of `main`, with their types."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == "main":
            return [(one.arg, ast.unparse(one.annotation) if one.annotation else "") for one in node.args.args]
    return []


def texts(source):
    found = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [text for text in found if len(text) < 200]


def generate(source, rng):
    """Inputs for `main`: by type where it is declared, otherwise of any kind, and with words of the code."""
    words = texts(source) or ["x"]
    keys = [word for word in words if word.isidentifier()] or ["key"]

    def scalar():
        return rng.choice([0, 1, -3, 2.5, 10, True, None, "", "a", rng.choice(words), "Über 12,5 € 日本", "7", " 4 "])

    def nested(depth):
        kind = rng.random()
        if depth == 0 or kind < 0.4:
            return scalar()
        if kind < 0.7:
            return [nested(depth - 1) for _ in range(rng.randrange(4))]
        return {rng.choice(keys): nested(depth - 1) for _ in range(rng.randrange(1, 5))}

    def text():
        kind = rng.randrange(9)
        data = nested(3)
        if kind == 0:
            return json.dumps(data, ensure_ascii=False)
        if kind == 1:
            return "```json\n" + json.dumps(data if isinstance(data, dict) else {"a": data}, indent=2) + "\n```"
        if kind == 2:
            return "Thinking <think>one\ntwo</think> " + json.dumps({rng.choice(keys): scalar() for _ in range(3)}, ensure_ascii=False) + " done."
        if kind == 3:
            return "\n".join(rng.choice(words + ["- 12. line", "# Title", "a: b", "x,y;z", "![p](https://e.com/a.png) text"]) for _ in range(rng.randrange(6)))
        if kind == 4:
            return " ".join(rng.choice(words) for _ in range(rng.randrange(5)))
        if kind == 5:
            return rng.choice(["", " ", "12", "3.5", "2024-05-06", "2024-05-06 07:08:09", "true", "[1, 2]", "{'a': 1}", "😀 ok", "https://e.com/x?y=1"])
        if kind == 6:
            return json.dumps([{key: scalar() for key in keys[:5]} for _ in range(3)])
        return "".join(rng.choice(words + ["\n", " ", "a", "1", "{", "}", '"', ":"]) for _ in range(rng.randrange(8)))

    given = {}
    for name, kind in parameters(source):
        kind = kind.lower()
        if kind in ("str", "string"):
            given[name] = text()
        elif kind in ("int",):
            given[name] = rng.choice([0, 1, 2, 5, -4, 1000, 1700000000])
        elif kind in ("float",):
            given[name] = rng.choice([0.5, -1.25, 3.75])
        elif kind.startswith("list"):
            given[name] = rng.choice([[], [text() for _ in range(3)], [nested(2) for _ in range(3)]])
        elif kind.startswith("dict"):
            given[name] = {key: nested(2) for key in keys[:6]}
        else:
            given[name] = rng.choice([text(), nested(3), text(), [text(), text()]])
    return given


def same(one, other):
    if "error" in one or "error" in other:
        return "error" in one and "error" in other
    return equal(one["value"], other["value"])


def equal(one, other):
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    return one == other


def main():
    translator, path = sys.argv[1:3]
    records = len(sys.argv) > 3 and sys.argv[3] == "record"
    is_recorded = path.endswith(".jsonl")
    if is_recorded:
        cases = [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]
        sources = [(case["code"], [case["input"]]) for case in cases]
    else:
        sources = []
        for source in json.load(open(path, encoding="utf-8")):
            try:
                rng = random.Random(source)
                sources.append((source, [generate(source, rng) for _ in range(60)]))
            except SyntaxError:
                sources.append((source, []))
    asked = "".join(json.dumps({"code": code, "variables": [name for name, _ in (parameters(code) if inputs else [])]}) + "\n" for code, inputs in sources)
    answers = subprocess.run([translator], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    answers = [json.loads(line) for line in answers]
    translated = [(code, inputs, answer["javascript"]) for (code, inputs), answer in zip(sources, answers) if "javascript" in answer]
    for (code, _), answer in zip(sources, answers):
        if "why" in answer:
            print("NOT TRANSLATED", answer["why"].split("JavaScript")[-1], "|", code.strip().splitlines()[0][:70])
    asked = "".join(json.dumps({"javascript": javascript, "inputs": inputs}) + "\n" for _, inputs, javascript in translated)
    run = subprocess.run(["node", "-e", RUNNER], input=asked, capture_output=True, text=True)
    if run.returncode:
        print(run.stderr[-3000:])
    results = [json.loads(line) for line in run.stdout.splitlines()]
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    agreed, compared, values, clocks = 0, 0, 0, 0
    for (code, inputs, javascript), found in zip(translated, results):
        wrong = []
        if any(word in code for word in ("now()", "time.time()", "uuid4", "random.", "now(")):
            clocks += 1
            continue
        for given, result in zip(inputs, found):
            expected = run_python(code, given)
            if expected == {"error": "TooSlow"}:
                break
            compared += 1
            values += "value" in expected
            if not same(expected, result):
                wrong.append((given, expected, result))
        agreed += not wrong
        if wrong:
            given, expected, result = wrong[0]
            print(f"DIFFERS in {len(wrong)} of {len(inputs)}:\n{code}\n  input    {json.dumps(given, ensure_ascii=False)[:600]}\n  expected {json.dumps(expected, ensure_ascii=False)[:600]}\n  found    {json.dumps(result, ensure_ascii=False)[:600]}")
    print(f"{len(sources)} sources, {len(translated)} translated, {agreed} agree in all inputs, {clocks} read the clock or chance and are not compared; {compared} runs, {values} with a value")
    if records:
        for case in cases:
            case["output"] = run_python(case["code"], case["input"])
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(case, ensure_ascii=False) + "\n" for case in cases)


main()
