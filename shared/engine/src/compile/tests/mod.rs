//! Tests of the compiler: the problems it reports, and the plans it returns.

mod configs;
mod languages;
mod limits;
mod properties;
mod structure;

use serde_json::json;

use super::*;
use crate::expression::JinjaTemplate;
use crate::graph_builder::graph;

fn compile(graph: &Graph) -> (Option<ExecutionPlan>, Vec<GraphProblem>) {
    let (plan, problems) = super::compile(graph).finish();
    for problem in &problems {
        let message = |text: &str| text.split_once(": ").map_or(text, |(_, message)| message).to_owned();
        let is_translated = message(&problem.message.en) != message(&problem.message.es);
        assert!(is_translated || is_from_minijinja(graph, problem), "{}", problem.message.en);
    }
    (plan, problems)
}

/// Whether the problem is a syntax error that minijinja reports, in English only.
fn is_from_minijinja(graph: &Graph, problem: &GraphProblem) -> bool {
    let mut values: Vec<&Value> = graph.nodes.iter().flat_map(|node| node.config.values()).collect();
    while let Some(value) = values.pop() {
        match value {
            Value::String(text) if minijinja::machinery::parse(text, "template", Default::default()).is_err() => {
                let error = JinjaTemplate::parse(text).unwrap_err();
                if problem.message.en.ends_with(&error.to_string()) {
                    return true;
                }
            }
            Value::Array(items) => values.extend(items),
            Value::Object(fields) => values.extend(fields.values()),
            _ => {}
        }
    }
    false
}

fn found(nodes: &[(&str, &str, Value)], connections: &str) -> Vec<String> {
    let (plan, problems) = compile(&graph(nodes, connections));
    assert_eq!(plan.is_some(), problems.iter().all(|problem| problem.severity == Severity::Warning));
    problems.into_iter().map(|problem| format!("{}: {}", problem.code, problem.message.en)).collect()
}

fn expression(text: &str) -> Value {
    json!({"expression": text})
}

#[test]
fn valid_graphs_have_a_plan() {
    let nodes = [
        ("hook", "webhook", json!({})),
        ("many", "condition", expression("size(input.lines) > 1")),
        ("each", "loop", json!({"items": "input.lines", "concurrency": 4})),
        ("ask", "model", json!({"model": "dev-chat", "prompt": "{{ vars.item.text }}", "onError": "branch"})),
        ("none", "template", json!({"template": "{{ nodes.ask.output | default('?') }}"})),
        ("both", "merge", json!({"mode": "first"})),
        ("end", "send_result", json!({"output": "nodes.hook.output"})),
    ];
    let connections = "hook>many many.true>each each.item>ask ask>each.next ask.error>none none>each.next each.done>both many.false>both both>end";
    assert_eq!(found(&nodes, connections), Vec::<String>::new());
    let plan = compile(&graph(&nodes, connections)).0.unwrap();
    let parent_loops: Vec<_> = plan.steps.iter().map(|step| step.parent_loop).collect();
    assert_eq!(parent_loops, [None, None, None, Some(2), Some(2), None, None]);
    assert_eq!(plan.order, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(plan.steps[3].references, [(Reference::Model("dev-chat".to_owned()), "model")]);
}

#[test]
fn all_problems_are_reported_at_once_and_sorted() {
    let nodes = [
        ("start", "input", json!({"extra": 1})),
        ("odd", "oracle", json!({})),
        ("check", "condition", expression("input.n +")),
        ("check", "condition", expression("true")),
        ("call", "http", json!({"url": "ftp://x", "headers": {"Authorization": "x"}, "timeoutMs": 5})),
        ("when", "schedule", json!({"cron": "0 0 30 2 *", "zone": "Mars/Base"})),
        ("text", "template", json!({"template": "a\n{{ nodes.later.output }}{{ nodes.nobody.output }}{{ secret }}"})),
        ("later", "send_result", json!({})),
        ("alone", "delay", json!({})),
    ];
    let connections = "start>check check.maybe>call call>text text>later ghost>text later>start start>text.side";
    let known = crate::nodes::all().iter().map(|known| known.name).collect::<Vec<_>>().join(", ");
    let expected = [
        "unknown_port: node `start`: is a trigger, which has no inputs; remove this connection",
        "invalid_config: node `start`, config.extra: is not a field of this type; remove it",
        &format!("unknown_type: node `odd`: unknown node type `oracle`; use one of {known}"),
        "unreachable: node `odd`: has no incoming connection; connect or remove it",
        "unknown_port: node `check`: has no output `maybe`; it has true, false",
        "invalid_expression: node `check`, config.expression, line 1, column 10: the expression ends too early",
        "duplicate_id: node `check`: another node has the same id; change one of them",
        "unreachable: node `check`: has no incoming connection; connect or remove it",
        "invalid_config: node `call`, config.headers.Authorization: is a secret that every reader sees; keep it in a credential, or compute it",
        "invalid_config: node `call`, config.timeoutMs: at least 100",
        "invalid_config: node `call`, config.url: must be a valid URL that begins with http:// or https://",
        "unconnected: node `when`: has no outgoing connection; connect it to a node",
        "invalid_config: node `when`, config.cron: never matches a date; change the day or the month",
        "invalid_config: node `when`, config.zone: must be an IANA time zone, such as Europe/Madrid",
        "dangling_connection: node `text`: the connection from `ghost` to `text` refers to a node that does not exist; remove it",
        "unknown_port: node `text`: has no input `side`; it has in",
        "not_upstream: node `text`, config.template, line 2, column 4: node `later` does not come before this one; connect it before, or read another node",
        "unknown_reference: node `text`, config.template, line 2, column 28: there is no node `nobody`; use the id of a node before this one",
        "unknown_variable: node `text`, config.template, line 2, column 53: unknown variable `secret`; use one of input, nodes, vars, run",
        "unreachable: node `alone`: has no incoming connection; connect or remove it",
        "invalid_config: node `alone`, config.seconds: is missing",
    ];
    assert_eq!(found(&nodes, connections), expected);
}

#[test]
fn unknown_names_are_reported_with_the_known_ones() {
    let start = ("start", "input", json!({}));
    let step = ("my-first-step", "transform", json!({"value": "1"}));
    let end = |text: &str| ("end", "send_result", json!({"output": text}));
    let unknown = "node `end`, config.output, line 1, column";
    for (text, reported) in [
        (
            "nodes.start.q",
            &*format!("unknown_variable: {unknown} 13: there is no `nodes.start.q`; a node has only `output`"),
        ),
        (
            "nodes['start']['q'].x",
            &format!("unknown_variable: {unknown} 15: there is no `nodes.start.q`; a node has only `output`"),
        ),
        (
            "run.foo",
            &format!(
                "unknown_variable: {unknown} 5: there is no `run.foo`; use one of run.id, run.startedAt, run.scheduledAt, run.origin"
            ),
        ),
        (
            "vars.foo.x",
            &format!(
                "unknown_variable: {unknown} 6: there is no `vars.foo`; in the body of a loop and in a node with \"each\", use vars.item or vars.index"
            ),
        ),
        (
            "nodes.my-first-step.output",
            &format!(
                "unknown_reference: {unknown} 7: there is no node `my`; if you mean `my-first-step`, write nodes[\"my-first-step\"]"
            ),
        ),
        (
            "first",
            &format!("unknown_variable: {unknown} 1: unknown variable `first`; use one of input, nodes, vars, run"),
        ),
    ] {
        assert_eq!(
            found(&[start.clone(), step.clone(), end(text)], "start>my-first-step my-first-step>end"),
            [reported],
            "{text}"
        );
    }
    let sound =
        "{'a': nodes.start, 'b': nodes['my-first-step'].output.x, 'c': run.id, 'd': [run, vars, nodes[input.x]]}";
    assert_eq!(found(&[start, step, end(sound)], "start>my-first-step my-first-step>end"), Vec::<String>::new());
}
