//! What is found in graphs, and that what is sound stays the same.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn compile(graph: &Graph) -> (Option<Plan>, Vec<Problem>) {
    super::compile(graph).finish()
}

/// Nodes as `(id, type, config)`, connections as `from.port>to.port`; ports `out` and `in` may be left out.
fn graph(nodes: &[(&str, &str, Value)], connections: &str) -> Graph {
    let nodes: Vec<Value> =
        nodes.iter().map(|(id, kind, config)| json!({"id": id, "type": kind, "name": "", "config": config})).collect();
    let end = |text: &str, port: &str| match text.split_once('.') {
        Some((node, port)) => json!({"node": node, "port": port}),
        None => json!({"node": text, "port": port}),
    };
    let connections: Vec<Value> = connections
        .split_whitespace()
        .map(|text| text.split_once('>').unwrap())
        .map(|(from, to)| json!({"from": end(from, "out"), "to": end(to, "in")}))
        .collect();
    serde_json::from_value(json!({"nodes": nodes, "connections": connections})).unwrap()
}

fn found(nodes: &[(&str, &str, Value)], connections: &str) -> Vec<String> {
    let (plan, problems) = compile(&graph(nodes, connections));
    assert_eq!(plan.is_some(), problems.iter().all(|problem| problem.severity == Severity::Warning));
    problems.into_iter().map(|problem| format!("{}: {}", problem.code, problem.message)).collect()
}

fn expression(text: &str) -> Value {
    json!({"expression": text})
}

#[test]
fn a_sound_graph_has_a_plan() {
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
    let within: Vec<_> = plan.steps.iter().map(|step| step.within).collect();
    assert_eq!(within, [None, None, None, Some(2), Some(2), None, None]);
    assert_eq!(plan.order, [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(plan.steps[3].references, [(Reference::Model("dev-chat".to_owned()), "model")]);
}

#[test]
fn everything_wrong_is_found_at_once_and_sorted() {
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
    let known = crate::engine::nodes::all().iter().map(|known| known.name).collect::<Vec<_>>().join(", ");
    let expected = [
        "unknown_port: node `start`: begins runs, so nothing leads into it",
        "invalid_config: node `start`, config.extra: is not a field of this type",
        &format!("unknown_type: node `odd`: there is no type `oracle`; there are {known}"),
        "unreachable: node `odd`: nothing leads to it",
        "unknown_port: node `check`: has no output `maybe`; it has true, false",
        "invalid_expression: node `check`, config.expression, line 1, column 10: the expression ends too early",
        "duplicate_id: node `check`: another node has this id",
        "unreachable: node `check`: nothing leads to it",
        "invalid_config: node `call`, config.headers.Authorization: is set by the platform; keep secrets in a credential",
        "invalid_config: node `call`, config.timeoutMs: at least 100",
        "invalid_config: node `call`, config.url: must begin with http:// or https://",
        "unconnected: node `when`: leads nowhere",
        "invalid_config: node `when`, config.cron: never comes",
        "invalid_config: node `when`, config.zone: must be an IANA time zone, such as Europe/Madrid",
        "dangling_connection: node `text`: the connection from `ghost` to `text` has an end at no node",
        "unknown_port: node `text`: has no input `side`; it has in",
        "not_upstream: node `text`, config.template, line 2, column 4: node `later` does not come before this one",
        "unknown_reference: node `text`, config.template, line 2, column 28: there is no node `nobody`",
        "unknown_variable: node `text`, config.template, line 2, column 53: there is no `secret`; there are input, nodes, vars, run",
        "unreachable: node `alone`: nothing leads to it",
        "invalid_config: node `alone`, config.seconds: is missing",
    ];
    assert_eq!(found(&nodes, connections), expected);
}

#[test]
fn what_a_refused_configuration_names_is_not_looked_up() {
    let credential = "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11";
    let nodes = [
        ("long", "model", json!({"model": "m".repeat(1_025), "prompt": "hi"})),
        ("call", "http", json!({"url": "https://example.com", "credentialId": credential, "timeoutMs": 5})),
    ];
    let graph = graph(&nodes, "");
    let mut compiled = super::compile(&graph);
    assert_eq!((compiled.references(), compiled.credentials()), Default::default());
    compiled.hold_to(&BTreeSet::new());
    let codes: Vec<_> = compiled.finish().1.into_iter().map(|problem| problem.code).collect();
    assert!(!codes.contains(&"reference_gone"), "{codes:?}");
}

#[test]
fn a_field_that_is_at_fault_is_named() {
    let credential = "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11";
    let nodes = [("call", "http", json!({"url": "https://example.com", "credentialId": credential}))];
    let graph = graph(&nodes, "");
    let mut compiled = super::compile(&graph);
    compiled.hold_fields_to("credential_gone", |step| Some((step.credential?.1, "there is none".to_owned())));
    let problem = compiled.finish().1.into_iter().find(|problem| problem.code == "credential_gone").unwrap();
    assert_eq!(problem.field.as_deref(), Some("config.credentialId"));
    assert_eq!(problem.message, "node `call`, config.credentialId: there is none");
}

#[test]
fn circles_and_loops_are_told_apart() {
    let start = ("start", "input", json!({}));
    let work = |id: &'static str| (id, "transform", json!({"value": "input"}));
    let end = ("end", "send_result", json!({}));
    let each = |id: &'static str| (id, "loop", json!({"items": "input"}));

    let nodes = [start.clone(), work("a"), work("b"), work("behind"), end.clone()];
    let circle = found(&nodes, "start>a a>b b>a b>behind behind>end");
    assert_eq!(circle, ["cycle: node `a`: is in a circle with `b`; only a loop goes around"]);

    let nodes = [start.clone(), each("outer"), each("inner"), work("a"), end.clone()];
    let nested = "start>outer outer.item>inner inner.item>a a>inner.next inner.done>outer.next outer.done>end";
    assert_eq!(found(&nodes, nested), Vec::<String>::new());

    let nodes = [start.clone(), each("l"), work("a"), work("b"), end.clone()];
    let entered = found(&nodes, "start>l start>b l.item>a a>b b>l.next l.done>end");
    assert_eq!(entered, ["loop_entered: node `start`: leads into the body of loop `l`, which only its `item` does"]);
    let elsewhere = found(&nodes, "start>l start>b l.item>a a>l.next b>l.next l.done>end");
    assert_eq!(elsewhere, ["loop_entered: node `b`: comes to `next` of a loop whose body it is not in"]);
    let bodiless = found(&[start.clone(), each("l"), end.clone()], "start>l l.done>end");
    assert_eq!(bodiless, ["empty_loop: node `l`: has no body: connect its output `item`"]);

    let later = ("later", "transform", json!({"value": "nodes.a.output"}));
    let nodes = [start, each("l"), work("a"), later, end];
    let after = found(&nodes, "start>l l.item>a a>l.next l.done>later later>end");
    assert_eq!(
        after,
        ["not_upstream: node `later`, config.value, line 1, column 7: node `a` does not come before this one"]
    );
}

#[test]
fn one_mistake_is_one_problem() {
    let start = ("start", "input", json!({}));
    let work = |id: &'static str, text: &str| (id, "transform", json!({"value": text}));
    let end = ("end", "send_result", json!({"output": "nodes.classify.output"}));
    let each = |id: &'static str| (id, "loop", json!({"items": "input"}));

    let nodes = [start.clone(), work("classify", "1"), work("next", "nodes.classify.output"), end.clone()];
    for (connections, only) in [
        ("start>classify classify>next next>classify next>end", "cycle: node `classify`: is in a circle with `next`"),
        ("start>classify classify>classify classify>next next>end", "cycle: node `classify`: leads into itself"),
        ("start>classify classify.oops>next next>end", "unknown_port: node `classify`: has no output `oops`"),
        ("start>classify classify>next.oops next>end", "unknown_port: node `next`: has no input `oops`"),
        ("start>classify classify>next next.oops>classify next>end", "unknown_port: node `next`: has no output `oops`"),
        ("start>classify classify>next next>start next>end", "unknown_port: node `start`: begins runs"),
    ] {
        let told = found(&nodes, connections);
        assert!(told.len() == 1 && told[0].starts_with(only), "{connections}: {told:?}");
    }

    let stand_in = ("classify", "fail", json!({"message": "not supported"}));
    let nodes = [start.clone(), stand_in, work("a", "1"), work("b", "2"), end.clone()];
    let told = found(&nodes, "start>classify classify>a classify>b a>end b>end");
    assert_eq!(told, ["unknown_port: node `classify`: has no outputs, so none called `out`"]);

    let nodes = [start, each("l"), work("classify", "1"), work("next", "nodes.classify.output"), end.clone()];
    let end = ("end", "send_result", json!({"output": "nodes.l.output"}));
    let nodes = [&nodes[..4], &[end]].concat();
    for (connections, only) in [
        ("start>l l.itm>classify classify>next next>l.next l.done>end", "unknown_port: node `l`: has no output `itm`"),
        ("start>l l.item>classify classify>next next>l.nxt l.done>end", "unknown_port: node `l`: has no input `nxt`"),
        ("start>l l.item>classify classify>next next>l.next l.dne>end", "unknown_port: node `l`: has no output `dne`"),
        ("start>l l.item>classify classify>next next>l l.done>end", "cycle: node `l`: is in a circle with `classify`"),
    ] {
        let told = found(&nodes, connections);
        assert!(told.len() == 1 && told[0].starts_with(only), "{connections}: {told:?}");
    }
}

#[test]
fn a_loop_that_hardly_gives_what_was_meant_is_warned_of() {
    let nodes = [
        ("start", "input", json!({})),
        ("l", "loop", json!({"items": "input"})),
        ("a", "send_result", json!({"output": "vars.item"})),
    ];
    let open = "loop_open: node `l`: its body never comes back to `next`: its results are lost";
    let result = "loop_result: node `l`: nothing follows `done`, and the send_result in its body gives the output of one element";
    assert_eq!(found(&nodes, "start>l l.item>a"), [open, result]);
    assert_eq!(found(&nodes, "start>l l.item>a a>l.next"), [result]);
    let nodes =
        [&nodes[..2], &[("a", "send_message", json!({"text": "hi"})), ("end", "send_result", json!({}))]].concat();
    assert_eq!(found(&nodes, "start>l l.item>a l.done>end"), [open]);
    assert_eq!(found(&nodes, "start>l l.item>a a>l.next l.done>end"), Vec::<String>::new());
}

#[test]
fn a_name_that_is_not_there_is_told_with_what_is() {
    let start = ("start", "input", json!({}));
    let step = ("my-first-step", "transform", json!({"value": "1"}));
    let end = |text: &str| ("end", "send_result", json!({"output": text}));
    let unknown = "node `end`, config.output, line 1, column";
    for (text, told) in [
        (
            "nodes.start.q",
            &*format!("unknown_variable: {unknown} 13: there is no `nodes.start.q`; of a node there is its `output`"),
        ),
        (
            "nodes['start']['q'].x",
            &format!("unknown_variable: {unknown} 15: there is no `nodes.start.q`; of a node there is its `output`"),
        ),
        ("run.foo", &format!("unknown_variable: {unknown} 5: there is no `run.foo`; there is run.id")),
        (
            "vars.foo.x",
            &format!(
                "unknown_variable: {unknown} 6: there is no `vars.foo`; in a loop's body there are vars.item and vars.index"
            ),
        ),
        (
            "nodes.my-first-step.output",
            &format!(
                "unknown_reference: {unknown} 7: there is no node `my`; if you mean `my-first-step`, write nodes[\"my-first-step\"]"
            ),
        ),
        ("first", &format!("unknown_variable: {unknown} 1: there is no `first`; there are input, nodes, vars, run")),
    ] {
        assert_eq!(
            found(&[start.clone(), step.clone(), end(text)], "start>my-first-step my-first-step>end"),
            [told],
            "{text}"
        );
    }
    let sound =
        "{'a': nodes.start, 'b': nodes['my-first-step'].output.x, 'c': run.id, 'd': [run, vars, nodes[input.x]]}";
    assert_eq!(found(&[start, step, end(sound)], "start>my-first-step my-first-step>end"), Vec::<String>::new());
}

#[test]
fn a_condition_that_is_written_out_is_true_or_false() {
    let told = |text: &str| {
        let nodes =
            [("start", "input", json!({})), ("if", "condition", expression(text)), ("end", "send_result", json!({}))];
        found(&nodes, "start>if if.true>end")
    };
    let problem = "invalid_expression: node `if`, config.expression, line 1, column 1: a condition is true or false, and this is always a";
    for (text, kind) in [("\"yes\"", "string"), ("1", "int"), ("null", "null"), ("[input.x]", "list"), ("{}", "map")] {
        assert_eq!(told(text), [format!("{problem} {kind}")]);
    }
    for text in ["true", "input.x", "input.x == 'yes'"] {
        assert_eq!(told(text), Vec::<String>::new());
    }
}

#[test]
fn a_call_goes_to_an_address_and_its_headers_stand_on_one_line() {
    let told = |url: &str, header: &str| {
        let call = json!({"url": url, "headers": {"x-a": header}});
        let nodes = [("start", "input", json!({})), ("call", "http", call), ("end", "send_result", json!({}))];
        found(&nodes, "start>call call>end")
            .into_iter()
            .map(|line| line.replace("invalid_config: node `call`, config.", ""))
            .collect::<Vec<_>>()
    };
    let (unknown, wrong) =
        ("url: must begin with http:// or https://", "url: is no address, such as https://example.com/orders");
    for url in ["http://", "http:// x", "https://x ", "https:///a", "http:// {{ input.a }}", "https://?{{ input.a }}"] {
        assert_eq!(told(url, "a"), [wrong], "{url}");
    }
    for url in ["", "ftp://x", "example.com/{{ input.a }}"] {
        assert_eq!(told(url, "a"), [unknown], "{url}");
    }
    for url in [
        "{{ input.a }}",
        "{% if input.a %}https://a{% else %}https://b{% endif %}",
        "https://{{ input.a }}/x",
        "https://a.b/{{ input.a }} c",
    ] {
        assert_eq!(told(url, "a\t{{ input.b\n }}{%- if input.c -%}\n c {%- endif %}"), Vec::<String>::new(), "{url}");
    }
    for header in ["a\nb", "a\r", "{{ input.a }}\nx-b: c", "\0"] {
        assert_eq!(told("https://a.b", header), ["headers.x-a: has a line break or the like"], "{header:?}");
    }
}

#[test]
fn each_case_of_a_switch_is_said_once() {
    let case = |name: &str| json!({"name": name, "expression": "true"});
    let cases = json!({"cases": [case("a"), case("b"), case("a"), case("error")]});
    let nodes = [("start", "input", json!({})), ("way", "switch", cases), ("end", "send_result", json!({}))];
    let told = [
        "invalid_config: node `way`, config.cases[2].name: say each case once: there is a `a` before it",
        "invalid_config: node `way`, config.cases[3].name: `error` is another port: call the case something else",
    ];
    assert_eq!(found(&nodes, "start>way way.a>end way.b>end way.default>end"), told);
}

#[test]
fn a_graph_that_comes_to_nothing_says_so() {
    assert_eq!(found(&[], ""), ["empty_graph: the graph has no nodes"]);
    let nothing = found(&[("a", "transform", json!({"value": "1"}))], "");
    assert_eq!(
        nothing,
        [
            "unreachable: node `a`: nothing leads to it",
            "missing_output: a run comes to nothing: add a node send_result or send_message",
            "missing_trigger: nothing starts a run: add a node input, webhook, schedule or message",
        ]
    );
    let silent = found(&[("in", "input", json!({})), ("say", "send_message", json!({"text": "hi"}))], "in>say");
    assert_eq!(silent, ["no_result: node `in`: leads to no send_result: its runs have no output"]);
}

/// A sound graph: a chain of steps with side ways, and expressions over what came before.
fn sound() -> impl Strategy<Value = Graph> {
    let step = (0..6usize, any::<prop::sample::Index>(), "[a-z]{0,8}");
    proptest::collection::vec(step, 1..40).prop_map(|steps| {
        let mut nodes = vec![("n0".to_owned(), "input", json!({}))];
        let mut connections = Vec::new();
        for (index, (kind, from, word)) in steps.into_iter().enumerate() {
            let (id, source) = (format!("n{}", index + 1), from.index(index + 1));
            let before = format!("nodes.n{source}.output");
            let (name, config) = match kind {
                0 => ("transform", json!({"fields": {"x": before, "y": format!("'{word}'")}})),
                1 => ("template", json!({"template": format!("{word} {{{{ {before} | tojson }}}}")})),
                2 => ("condition", json!({"expression": format!("size({before}) > {index}"), "onError": "branch"})),
                3 => ("switch", json!({"cases": [{"name": "one", "expression": format!("has({before}.x)")}]})),
                4 => ("merge", json!({"mode": "all"})),
                _ => ("http", json!({"url": format!("https://example.com/{word}"), "retry": {"maxAttempts": 3}})),
            };
            let port = match nodes[source].1 {
                "condition" => "true",
                "switch" => "default",
                _ => "out",
            };
            connections
                .push(json!({"from": {"node": format!("n{source}"), "port": port}, "to": {"node": id, "port": "in"}}));
            nodes.push((id, name, config));
        }
        let nodes: Vec<Value> =
            nodes.into_iter().map(|(id, kind, config)| json!({"id": id, "type": kind, "config": config})).collect();
        let mut graph: Graph = serde_json::from_value(json!({"nodes": nodes, "connections": connections})).unwrap();
        let result = json!({"id": "end", "type": "send_result", "config": {}});
        graph.nodes.push(serde_json::from_value(result).unwrap());
        let first = json!({"from": {"node": "n0", "port": "out"}, "to": {"node": "end", "port": "in"}});
        graph.connections.push(serde_json::from_value(first).unwrap());
        graph
    })
}

proptest! {
    #[test]
    fn what_compiles_compiles_to_the_same_once_it_is_published(graph in sound()) {
        let (plan, problems) = compile(&graph);
        prop_assert!(plan.is_some(), "{problems:?}");
        let published = serde_json::to_string(&graph.published()).unwrap();
        let again: Graph = serde_json::from_str(&published).unwrap();
        prop_assert_eq!(again.hash(), graph.hash());
        prop_assert_eq!(format!("{:?}", compile(&again).0), format!("{plan:?}"));
    }

    /// Whatever a draft holds, something is said of it.
    #[test]
    fn nothing_drawn_breaks_the_compiler(
        nodes in proptest::collection::vec(("[ab]", (0..23usize), any::<bool>()), 0..8),
        edges in proptest::collection::vec(("[abc]", "(out|item|done|true|error)", "[abc]", "(in|next)"), 0..16),
    ) {
        let nodes: Vec<Value> = nodes.iter().enumerate().map(|(index, (id, kind, is_valid))| {
            let kind = &crate::engine::nodes::all()[*kind];
            let config = if *is_valid { kind.example["config"].clone() } else { json!({"x": index}) };
            json!({"id": format!("{id}{}", index % 3), "type": kind.name, "config": config})
        }).collect();
        let edges: Vec<Value> = edges.iter().map(|(from, out, to, port)| {
            json!({"from": {"node": format!("{from}0"), "port": out}, "to": {"node": format!("{to}1"), "port": port}})
        }).collect();
        let graph: Graph = serde_json::from_value(json!({"nodes": nodes, "connections": edges})).unwrap();
        let (plan, problems) = compile(&graph);
        prop_assert_eq!(plan.is_some(), problems.iter().all(|problem| problem.severity == Severity::Warning));
    }
}

#[test]
fn a_loop_has_no_value_in_its_own_body() {
    let nodes = |named: &str| {
        [
            ("start", "input", json!({})),
            ("each", "loop", json!({"items": "input.lines"})),
            ("one", "template", json!({"template": format!("{{{{ nodes.{named}.output }}}}")})),
            ("end", "send_result", json!({"output": "nodes.each.output"})),
        ]
    };
    let connections = "start>each each.item>one one>each.next each.done>end";
    assert_eq!(found(&nodes("start"), connections), Vec::<String>::new());
    assert_eq!(found(&nodes("each"), connections).len(), 1);
}

#[test]
fn what_is_wrong_is_told_as_far_as_anybody_reads() {
    let many = "{{ a }}".repeat(9_000);
    let nodes: Vec<(String, &str, Value)> = (0..10)
        .map(|index| (format!("n{index}"), "template", json!({"template": many})))
        .chain([("start".to_owned(), "input", json!({}))])
        .collect();
    let nodes: Vec<_> = nodes.iter().map(|(id, kind, config)| (id.as_str(), *kind, config.clone())).collect();
    let started = std::time::Instant::now();
    let told = found(&nodes, "start>n0");
    assert!(told.len() < 520, "{}", told.len());
    let connections = (0..1_000).map(|n| format!("a{n}>b")).collect::<Vec<_>>().join(" ");
    assert_eq!(found(&[], &connections).len(), 501);
    assert!(told.iter().any(|line| line.contains("more that are not told here")), "{:?}", told.last());
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn what_comes_before_what_is_found_soon_in_any_circle() {
    let nodes: Vec<String> = (0..500).map(|index| format!("n{index}")).collect();
    let work = |id: &'static str| json!({"value": id});
    let mut nodes: Vec<_> = nodes.iter().map(|id| (id.as_str(), "transform", work("nodes.n7.output"))).collect();
    nodes.push(("start", "input", json!({})));
    // Drawn from the last to the first, so that each look around learns of one step more.
    let mut connections: String = (1..500).map(|index| format!("n{index}>n{} ", index - 1)).collect();
    connections.push_str("start>n499 n0>n499 ");
    connections.extend((0..1_500).map(|index| format!("n{}>n{} ", index % 499 + 1, (index * 7) % 499)));
    let started = std::time::Instant::now();
    let told = found(&nodes, &connections);
    assert_eq!(told.iter().filter(|line| line.starts_with("cycle")).count(), 1);
    assert!(!told.iter().any(|line| line.starts_with("not_upstream")), "{told:?}");
    assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
}

#[test]
fn patterns_are_counted_before_they_are_compiled() {
    let looks = vec!["''.matches('a{999}')"; 150].join("||");
    let nodes: Vec<(String, &str, Value)> =
        (0..300).map(|index| (format!("n{index}"), "condition", expression(&looks))).collect();
    let nodes: Vec<_> = nodes.iter().map(|(id, kind, config)| (id.as_str(), *kind, config.clone())).collect();
    let started = std::time::Instant::now();
    let told = found(&nodes, "");
    assert!(told.iter().any(|line| line.starts_with("too_many_patterns")), "{told:?}");
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn a_whole_number_may_be_written_with_a_point() {
    let end = ("end", "send_result", json!({}));
    let of = |seconds: Value, attempts: Value| {
        let call = json!({"url": "https://a.b", "retry": {"maxAttempts": attempts, "backoffMs": 0, "maxBackoffMs": 0}});
        [
            ("start", "input", json!({})),
            ("wait", "delay", json!({"seconds": seconds})),
            ("call", "http", call),
            end.clone(),
        ]
    };
    let connections = "start>wait wait>call call>end";
    let plan = compile(&graph(&of(json!(60.0), json!(3.0)), connections)).0.unwrap();
    assert_eq!(plan.steps[1].config["seconds"], json!(60));
    assert_eq!(plan.steps[2].config["retry"]["maxAttempts"], json!(3));
    let told = found(&of(json!(60.5), json!(11.0)), connections);
    let expected = ["wait`, config.seconds: must be a whole number", "call`, config.retry.maxAttempts: at most 10"];
    assert_eq!(told, expected.map(|told| format!("invalid_config: node `{told}")));
    assert_eq!(
        found(&of(json!(1e300), json!(1)), connections),
        ["invalid_config: node `wait`, config.seconds: at most 2592000"]
    );
}

#[test]
fn the_schema_of_an_input_is_one_that_inputs_can_be_held_to() {
    let told = |schema: Value| {
        let nodes = [("start", "input", json!({"schema": schema})), ("end", "send_result", json!({}))];
        let told = found(&nodes, "start>end").into_iter();
        told.map(|line| line.replace("invalid_config: node `start`, config.schema", "")).collect::<Vec<_>>()
    };
    let types = "one of null, boolean, integer, number, string, array, object";
    let keyword = "is no keyword that anything is held to here";
    assert_eq!(
        told(json!({"type": "nope", "pattern": "("})),
        [format!(".pattern: {keyword}"), format!(".type: {types}")]
    );
    assert_eq!(told(json!({"type": []})), [format!(".type: {types}")]);
    assert_eq!(
        told(
            json!({"properties": {"a": {"items": 1, "minimum": "x"}, "b": []}, "required": "a", "oneOf": {}, "maxItems": -1})
        ),
        [
            ".maxItems: must be a whole number",
            ".oneOf: must be a list",
            ".properties.a.items: must be an object",
            ".properties.a.minimum: must be a number",
            ".properties.b: must be an object",
            ".required: must be a list of names",
        ]
    );
    let sound = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": ["object", "null"], "required": ["a"],
        "properties": {"a": {"type": "string", "enum": ["x"], "format": "date", "title": "A"}, "b": {"items": {"type": "integer"}}},
        "additionalProperties": {"oneOf": [{"type": "null"}, {}]},
    });
    assert_eq!(told(sound), Vec::<String>::new());
    let many: serde_json::Map<_, _> = (0..1_000).map(|n| (format!("k{n}"), json!(1))).collect();
    assert!(told(Value::Object(many)).len() < 25);
}

/// Milliseconds, the median of some runs. `cargo test --release -p shared compile` holds it to the figure that counts.
#[test]
fn five_hundred_nodes_with_two_hundred_expressions_are_looked_at_in_no_time() {
    let mut nodes = vec![("start".to_owned(), "input", json!({}))];
    let mut connections = String::new();
    for index in 1..499 {
        let before = if index == 1 { "start".to_owned() } else { format!("n{}", index - 1) };
        let (kind, config) = match index % 5 {
            0 => (
                "transform",
                json!({"value": format!("nodes['{before}'].output.total * 1.21 + size(input.lines.filter(l, l.price > {index}))")}),
            ),
            1 => (
                "template",
                json!({"template": format!("Dear {{{{ input.name | title }}}}, {{% for l in nodes['{before}'].output %}}{{{{ l }}}}{{% endfor %}}")}),
            ),
            _ => ("delay", json!({"seconds": index})),
        };
        nodes.push((format!("n{index}"), kind, config));
        connections.push_str(&format!(" {before}>n{index}"));
    }
    nodes.push(("end".to_owned(), "send_result", json!({})));
    connections.push_str(" n498>end");
    let nodes: Vec<_> = nodes.iter().map(|(id, kind, config)| (id.as_str(), *kind, config.clone())).collect();
    let graph = graph(&nodes, &connections);
    assert_eq!(graph.nodes.len(), 500);
    let mut took: Vec<f64> = (0..21)
        .map(|_| {
            let started = std::time::Instant::now();
            let (plan, problems) = compile(&graph);
            assert_eq!(plan.unwrap().steps.iter().map(|step| step.programs.len()).sum::<usize>(), 199, "{problems:?}");
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    took.sort_by(f64::total_cmp);
    eprintln!("{:.2} ms", took[10]);
    assert!(took[10] < if cfg!(debug_assertions) { 250.0 } else { 10.0 }, "{took:?}");
}
