//! Translations of small pieces of Python. `tests/python/compare.py` compares results with those of `CPython`.

use super::*;

/// The part of the translation that the code itself has.
fn written(source: &str) -> Result<String, String> {
    let code = translate(source, &["a".to_owned(), "b".to_owned()], "{}")?;
    let code = code.split_once("// The code.\n").map_or(&*code, |(_, code)| code);
    Ok(code.split_once("const values").unwrap().0.trim().to_owned())
}

/// The translation of one expression.
fn expression(source: &str) -> Result<String, String> {
    let code = written(&format!("import json, re\ndef main(a, b=1):\n    return {source}\n"))?;
    let code = code.strip_prefix("function main(a, b = 1) {\n  return ").unwrap().strip_suffix(";\n}").unwrap();
    Ok(code.to_owned())
}

#[test]
fn expressions_are_translated() {
    let cases = [
        ("{'x': a, **b}", "new Map([[\"x\", a], ...$makeDict(b)])"),
        ("a.strip().split(',')[-1]", "$at($m_split($m_strip(a), \",\"), -1)"),
        ("a[1:]", "$slice(a, 1, null)"),
        ("a + 1 if a else None", "(($truth(a)) ? $add(a, 1) : null)"),
        ("a or 'x'", "$or(a, () => \"x\")"),
        ("not a and b is None", "(!$truth(a) && b === null)"),
        ("1 < b <= 3", "($lt(1, b) && $le(b, 3))"),
        ("'x' not in a", "!$contains(a, \"x\")"),
        ("f'{a:.2f} `{b!r}`'", "`${$format(a, \".2f\")} \\`${$repr(b)}\\``"),
        (
            "[x * 2 for x in a if x]",
            "[...(function* () { for (const x of $iter(a)) if ($truth(x)) yield $mul(x, 2); })()]",
        ),
        ("json.dumps(a, ensure_ascii=False)", "$json_dumps(a, undefined, false)"),
        ("re.sub(r'\\s+', ' ', a)", "$re_sub(\"\\\\s+\", \" \", a)"),
        ("sorted(a, key=lambda x: x['n'], reverse=True)", "$sorted(a, (x) => $at(x, \"n\"), true)"),
        ("max(a, b)", "$max([a, b])"),
        ("isinstance(a, (int, float))", "$isinstance(a, [\"int\",\"float\"])"),
        ("type(a) == str", "$typeName(a) === \"str\""),
        ("f'{type(a)}'", "`<class '${$typeName(a)}'>`"),
        ("'{} {x}'.format(a, x=b)", "($format(a, \"\") + \" \" + $format(b, \"\"))"),
        ("2.0 / -1", "$div($real(2.0), -1)"),
        ("'a' 'b' + str(b)", "\"ab\" + $str(b)"),
    ];
    for (source, expected) in cases {
        let expected = expected.replace("[\"int\",\"float\"]", "[\"int\", \"float\"]");
        assert_eq!(expression(source), Ok(expected), "{source}");
    }
}

#[test]
fn statements_are_translated() {
    let source = "
import json

def main(a: str, b: int = 2) -> dict:
    '''Documentation.'''
    new = []
    for i, (x, y) in enumerate(a):
        if x == 'end':
            break
        elif i > b:
            continue
        new += [y]
    try:
        data = json.loads(a)
    except (json.JSONDecodeError, TypeError) as e:
        return {'error': str(e)}
    data['k'] = new
    x, y = y, x
    return {'result': data}

if __name__ == '__main__':
    print(main('x'))
";
    let expected = r#"function main(a, b = 2) {
  let data, e, i, new$, x, y;
  new$ = [];
  for (const $t1 of $enumerate(a)) {
    [i, [x, y]] = $unpack($t1, 2);
    if (x === "end") {
      break;
    } else if ($gt(i, b)) {
      continue;
    }
    new$ = $iadd(new$, [y]);
  }
  try {
    data = $json_loads(a);
  } catch ($t2) {
    if ($catches($t2, ["JSONDecodeError","TypeError"])) {
      e = $t2;
      return new Map([["error", $str(e)]]);
    } else throw $t2;
  }
  $set(data, "k", new$);
  [x, y] = $unpack([y, x], 2);
  return new Map([["result", data]]);
}"#;
    assert_eq!(written(source), Ok(expected.replace("\",\"", "\", \"")));
}

#[test]
fn other_code_is_refused() {
    let refused = [
        ("def other(a):\n    return 1", "there is no function `main`"),
        ("import requests\ndef main(a):\n    return requests.get(a).json()", "`.json`"),
        ("class A:\n    pass\ndef main(a):\n    return 1", "`class` in line 1"),
        ("def main(a):\n    with open(a) as f:\n        return 1", "`with` in line 2"),
        ("def main(a):\n    return '%s' % a", "formatting with `%`"),
        ("def main(a):\n    return a.unknown()", "`.unknown`"),
        ("def main(a):\n    return missing", "`missing`"),
        ("def main(c):\n    return 1", "the parameter `c` of `main` has no value"),
        ("def main(a):\n    return a is b", "`b`"),
        ("def main(a):\n  return (", "an unknown expression in line 2"),
        ("def main(a):\n    x = 1\n   return x", "the indentation is wrong in line 3"),
        ("def main(a, b):\n    return a < main(b, b) < b", "a chain of comparisons"),
        ("def main(a):\n    return b'x'", "bytes in line 2"),
        ("def main(a):\n    return 12345678901234567890", "a large number"),
    ];
    for (source, why) in refused {
        assert_eq!(written(source), Err(why.to_owned()), "{source}");
    }
}

#[test]
fn hostile_code_is_refused() {
    let deep =
        |open: &str, close: &str| format!("def main(a):\n    return {}1{}", open.repeat(5_000), close.repeat(5_000));
    let sources = [
        deep("(", ")"),
        deep("[", "]"),
        deep("not ", ""),
        deep("-", ""),
        deep("1 + ", ""),
        deep("1 ** ", ""),
        deep("lambda: ", ""),
        deep("a if a else ", ""),
        deep("a[", "]"),
        deep("a or ", ""),
        format!("def main(a):\n    return a{}", ".strip()".repeat(5_000)),
        format!("def main(a):\n{}", (1..200).map(|depth| format!("{}if a:\n", " ".repeat(depth))).collect::<String>()),
    ];
    for source in sources {
        assert!(written(&source).is_err(), "{}", &source[..60]);
    }
    let long = format!("def main(a):\n{}    return a\n", "    a = [a]\n".repeat(3_000));
    assert!(written(&long).is_ok());
}

#[test]
fn only_the_needed_runtime_is_written() {
    let code = translate("def main(a):\n    return {'r': a}", &["a".to_owned()], "{\"a\": nodes.x}").unwrap();
    assert!(code.contains("function $in(") && !code.contains("function $json_loads("));
    assert!(code.len() < 12_000, "{}", code.len());
    assert!(code.ends_with("const values = {\"a\": nodes.x};\nreturn $out(main($in(values[\"a\"])));\n"));
}

#[test]
fn the_compared_cases_are_translated() {
    for line in include_str!("../../tests/python/cases.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let names: Vec<String> = case["input"].as_object().unwrap().keys().cloned().collect();
        let code = translate(case["code"].as_str().unwrap(), &names, "{}");
        assert!(code.is_ok(), "{code:?}: {}", case["code"]);
    }
}
