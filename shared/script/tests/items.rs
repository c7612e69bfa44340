//! Scripts that work on items, as those of n8n do.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use script::{Limits, Request, ScriptError, SourceForm, execute};
use serde_json::{Map, Value, json};

fn run_with(view: Value, form: SourceForm, source: &str) -> Result<Value, ScriptError> {
    let (globals, limits) = (Map::new(), Limits::default());
    let now_ms = 1_773_500_966_535;
    let request = Request { source, form, globals: &globals, now_ms, seed: 1, view: Some(&view), limits };
    execute(&request).map(|outcome| outcome.value)
}

/// A node after `Start`, whose items come from those of `Start` in reverse order.
fn view() -> Value {
    let items = |numbers: [u32; 2]| json!(numbers.map(|n| json!({"json": {"n": n}, "pairedItem": 0})));
    json!({
        "items": items([1, 2]), "inputs": [items([1, 2])], "index": 0,
        "node": {"id": "code", "name": "Code"},
        "nodes": {"Start": {"id": "start", "outputs": [items([10, 20])], "port": 0, "paired": [1, 0]}},
        "previous": {"name": "Start", "port": 0}, "workflow": {"id": "w1"},
        "execution": {"id": "r1", "mode": "manual"}, "zone": "Europe/Madrid",
    })
}

fn evaluate(source: &str) -> Value {
    run_with(view(), SourceForm::Expression, source).unwrap()
}

#[test]
fn scripts_see_items_and_other_nodes() {
    let table = [
        ("$json.n", json!(1)),
        ("$input.all().map((item) => item.json.n)", json!([1, 2])),
        ("items.length", json!(2)),
        ("$('Start').item.json.n", json!(20)),
        ("$('Start').first().json.n", json!(10)),
        ("$('Start').all().length", json!(2)),
        ("$node['Start'].json.n", json!(10)),
        ("$node.Start.json.n", json!(10)),
        ("$items('Start')[1].json.n", json!(20)),
        ("$prevNode.name + $workflow.id + $execution.id", json!("Startw1r1")),
        ("$now.toISO()", json!("2026-03-14T16:09:26.535+01:00")),
        ("$value(() => $today.format('yyyy-MM-dd'))", json!("2026-03-14")),
        ("$jmespath($json, 'n')", json!(1)),
        ("$value(() => $json.missing.deeper)", json!(null)),
        ("$text`n is ${() => $json.n}, not ${() => $json.missing.deeper}.`", json!("n is 1, not .")),
        ("$value(() => 'hello world'.toTitleCase())", json!("Hello World")),
        ("n8n.batches(1).length", json!(2)),
    ];
    for (source, expected) in table {
        assert_eq!(evaluate(source), expected, "{source}");
    }
    let missing = run_with(view(), SourceForm::Expression, "$('Other').first()").unwrap_err();
    assert!(missing.to_string().contains("Other"), "{missing}");
}

#[test]
fn a_node_that_sees_one_item_knows_its_position() {
    let mut view = view();
    view["itemIndex"] = json!(1);
    let source = "[$itemIndex, $json.n, $node.Start.json.n]";
    assert_eq!(run_with(view, SourceForm::Expression, source).unwrap(), json!([1, 1, 20]));
}

#[test]
fn code_runs_once_for_each_item() {
    let source = "return n8n.each(async () => ({ json: { twice: $json.n * 2, at: $itemIndex } }))";
    let items = run_with(view(), SourceForm::Body, source).unwrap();
    let data: Vec<&Value> = items.as_array().unwrap().iter().map(|item| &item["json"]).collect();
    assert_eq!(json!(data), json!([{"twice": 2, "at": 0}, {"twice": 4, "at": 1}]));
}

#[test]
fn results_are_chosen_from_the_values_of_a_node() {
    let mut view = view();
    view["outputs"] = json!([{"index": 0, "output": {"body": "a"}}, {"index": 1, "output": {"body": "b"}}]);
    let chosen = run_with(view, SourceForm::Expression, "({ text: output.body, n: $json.n })").unwrap();
    assert_eq!(chosen, json!([{"text": "a", "n": 1}, {"text": "b", "n": 2}]));
}

#[test]
fn code_that_waits_goes_on_when_nothing_else_can_happen() {
    let source = "const order = [];
        const wait = (ms, name) => new Promise((resolve) => setTimeout(() => resolve(order.push(name)), ms));
        const work = async () => { for (let i = 0; i < 100; i++) await i; order.push('work'); };
        clearTimeout(setTimeout(() => order.push('never'), 1));
        await Promise.all([wait(2000, 'second'), wait(1000, 'first'), work()]);
        setTimeout(() => order.push('late'), 0);
        return order;";
    let order = run_with(view(), SourceForm::Body, source).unwrap();
    assert_eq!(order, json!(["work", "first", "second"]));
    let thrown = "await new Promise(() => setTimeout(() => { throw new Error('x') }, 1))";
    assert_eq!(run_with(view(), SourceForm::Body, thrown).unwrap_err().to_string(), "Error: x (line 1, column 54)");
    let endless = "const again = () => setTimeout(again, 1); again(); await new Promise(() => {})";
    assert!(matches!(run_with(view(), SourceForm::Body, endless), Err(ScriptError::Limit { .. })));
}

#[test]
fn errors_of_code_have_the_lines_of_the_code() {
    let source = "return n8n.all(async () => {\nconst a = 1;\nthrow new Error('x');\n}, \"item\");";
    let items = run_with(view(), SourceForm::Body, source).unwrap();
    assert_eq!(items, json!([{"json": {"error": "x [line 2]"}, "pairedItem": {"item": 0}}]));
}

#[test]
fn errors_of_code_have_the_words_of_v8() {
    let source = "return n8n.all(async () => {\nreturn $json.order.id;\n}, \"item\");";
    let items = run_with(view(), SourceForm::Body, source).unwrap();
    assert_eq!(items[0]["json"], json!({"error": "Cannot read properties of undefined (reading 'id') [line 1]"}));
    let source = "return n8n.all(async () => {\nreturn $json.n.map((each) => each.id);\n}, \"item\");";
    let items = run_with(view(), SourceForm::Body, source).unwrap();
    assert_eq!(items[0]["json"], json!({"error": "$json.n.map is not a function [line 1]"}));
    let thrown = run_with(view(), SourceForm::Expression, "$json.order.id").unwrap_err();
    let message = "TypeError: Cannot read properties of undefined (reading 'id') (line 1, column 1)";
    assert_eq!(thrown.to_string(), message);
}

#[test]
fn code_passes_items_on_that_name_their_place() {
    let items = run_with(view(), SourceForm::Body, "return n8n.all(async () => {\nreturn $input.all().reverse();\n});")
        .unwrap();
    let origins: Vec<&Value> = items.as_array().unwrap().iter().map(|item| &item["pairedItem"]).collect();
    assert_eq!(json!(origins), json!([{"item": 1}, {"item": 0}]));
}

/// The names of n8n exist only in scripts that work on items.
#[test]
fn other_scripts_do_not_see_them() {
    let (globals, limits) = (Map::new(), Limits::default());
    let source = "[typeof $json, typeof n8n, typeof 'a'.toTitleCase]";
    let form = SourceForm::Expression;
    let request = Request { source, form, globals: &globals, now_ms: 0, seed: 1, view: None, limits };
    assert_eq!(execute(&request).unwrap().value, json!(["undefined", "undefined", "undefined"]));
}

#[test]
fn a_form_with_files_is_a_file() {
    let source = "(() => {
        const file = { base64: 'aMOp', contentType: 'text/plain', name: 'a \"b\".txt' };
        const { base64, contentType } = n8n.multipart([{ name: 'n', value: 7 }, { name: 'file', file }]);
        const boundary = contentType.split('boundary=')[1];
        return Buffer.from(base64, 'base64').toString().replaceAll(boundary, 'B');
    })()";
    let expected = "--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n7\r\n\
                    --B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a %22b%22.txt\"\r\n\
                    Content-Type: text/plain\r\n\r\nhé\r\n--B--\r\n";
    assert_eq!(evaluate(source), json!(expected));
}

/// Each function that an import writes exists.
#[test]
fn the_library_has_the_functions_of_imports() {
    let names = [
        "aggregate",
        "all",
        "batches",
        "bodyFields",
        "callError",
        "compareDatasets",
        "convertToFile",
        "crypto",
        "dateTime",
        "each",
        "extractFromFile",
        "filter",
        "formText",
        "function",
        "functionItem",
        "html",
        "htmlExtract",
        "httpItems",
        "if",
        "itemLists",
        "jsonBody",
        "limit",
        "markdown",
        "merge",
        "moveBinaryData",
        "multipart",
        "once",
        "read",
        "removeDuplicates",
        "renameKeys",
        "responseBody",
        "set",
        "sort",
        "splitOut",
        "spreadsheetFile",
        "summarize",
        "switch",
        "tableOfText",
        "tolerate",
        "url",
        "withQuery",
        "xml",
    ];
    let missing = evaluate(&format!("{}.filter((name) => typeof n8n[name] !== 'function')", json!(&names[..])));
    assert_eq!(missing, json!([]));
}
