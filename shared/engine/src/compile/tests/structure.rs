//! Tests of the structure of graphs: cycles, loops, connections and reachability.

use serde_json::json;

use super::*;

#[test]
fn cycles_are_refused_and_loops_are_allowed() {
    let start = ("start", "input", json!({}));
    let work = |id: &'static str| (id, "transform", json!({"value": "input"}));
    let end = ("end", "send_result", json!({}));
    let each = |id: &'static str| (id, "loop", json!({"items": "input"}));

    let nodes = [start.clone(), work("a"), work("b"), work("behind"), end.clone()];
    let cycle = found(&nodes, "start>a a>b b>a b>behind behind>end");
    assert_eq!(cycle, ["cycle: node `a`: is in a cycle with `b`; use a loop node to repeat steps"]);

    let nodes = [start.clone(), each("outer"), each("inner"), work("a"), end.clone()];
    let nested = "start>outer outer.item>inner inner.item>a a>inner.next inner.done>outer.next outer.done>end";
    assert_eq!(found(&nodes, nested), Vec::<String>::new());

    let nodes = [start.clone(), each("l"), work("a"), work("b"), end.clone()];
    let entered = found(&nodes, "start>l start>b l.item>a a>b b>l.next l.done>end");
    assert_eq!(
        entered,
        [
            "loop_entered: node `start`: is connected into the body of loop `l`; connect it before the loop, since only `item` leads into a body"
        ]
    );
    let elsewhere = found(&nodes, "start>l start>b l.item>a a>l.next b>l.next l.done>end");
    assert_eq!(
        elsewhere,
        ["loop_entered: node `b`: is connected to `next` of a loop, but is not in its body; remove this connection"]
    );
    let bodiless = found(&[start.clone(), each("l"), end.clone()], "start>l l.done>end");
    assert_eq!(bodiless, ["empty_loop: node `l`: has no body; connect its output `item`"]);

    let later = ("later", "transform", json!({"value": "nodes.a.output"}));
    let nodes = [start, each("l"), work("a"), later, end];
    let after = found(&nodes, "start>l l.item>a a>l.next l.done>later later>end");
    assert_eq!(
        after,
        [
            "not_upstream: node `later`, config.value, line 1, column 7: node `a` does not come before this one; connect it before, or read another node"
        ]
    );
}

#[test]
fn one_mistake_is_reported_once() {
    let start = ("start", "input", json!({}));
    let work = |id: &'static str, text: &str| (id, "transform", json!({"value": text}));
    let end = ("end", "send_result", json!({"output": "nodes.classify.output"}));
    let each = |id: &'static str| (id, "loop", json!({"items": "input"}));

    let nodes = [start.clone(), work("classify", "1"), work("next", "nodes.classify.output"), end.clone()];
    for (connections, only) in [
        ("start>classify classify>next next>classify next>end", "cycle: node `classify`: is in a cycle with `next`"),
        ("start>classify classify>classify classify>next next>end", "cycle: node `classify`: is connected to itself"),
        ("start>classify classify.oops>next next>end", "unknown_port: node `classify`: has no output `oops`"),
        ("start>classify classify>next.oops next>end", "unknown_port: node `next`: has no input `oops`"),
        ("start>classify classify>next next.oops>classify next>end", "unknown_port: node `next`: has no output `oops`"),
        ("start>classify classify>next next>start next>end", "unknown_port: node `start`: is a trigger"),
    ] {
        let reported = found(&nodes, connections);
        assert!(reported.len() == 1 && reported[0].starts_with(only), "{connections}: {reported:?}");
    }

    let failing = ("classify", "fail", json!({"message": "not supported"}));
    let nodes = [start.clone(), failing, work("a", "1"), work("b", "2"), end.clone()];
    let reported = found(&nodes, "start>classify classify>a classify>b a>end b>end");
    assert_eq!(reported, ["unknown_port: node `classify`: has no outputs; remove the connection from `out`"]);

    let nodes = [start, each("l"), work("classify", "1"), work("next", "nodes.classify.output"), end.clone()];
    let end = ("end", "send_result", json!({"output": "nodes.l.output"}));
    let nodes = [&nodes[..4], &[end]].concat();
    for (connections, only) in [
        ("start>l l.itm>classify classify>next next>l.next l.done>end", "unknown_port: node `l`: has no output `itm`"),
        ("start>l l.item>classify classify>next next>l.nxt l.done>end", "unknown_port: node `l`: has no input `nxt`"),
        ("start>l l.item>classify classify>next next>l.next l.dne>end", "unknown_port: node `l`: has no output `dne`"),
        ("start>l l.item>classify classify>next next>l l.done>end", "cycle: node `l`: is in a cycle with `classify`"),
    ] {
        let reported = found(&nodes, connections);
        assert!(reported.len() == 1 && reported[0].starts_with(only), "{connections}: {reported:?}");
    }
}

#[test]
fn loops_that_lose_results_are_warned_about() {
    let nodes = [
        ("start", "input", json!({})),
        ("l", "loop", json!({"items": "input"})),
        ("a", "send_result", json!({"output": "vars.item"})),
    ];
    let open = "loop_open: node `l`: its body is not connected back to `next`, so its results are lost";
    let result = "loop_result: node `l`: nothing is connected to `done`, so the send_result in its body returns the output of one element only";
    assert_eq!(found(&nodes, "start>l l.item>a"), [open, result]);
    assert_eq!(found(&nodes, "start>l l.item>a a>l.next"), [result]);
    let nodes =
        [&nodes[..2], &[("a", "send_message", json!({"text": "hi"})), ("end", "send_result", json!({}))]].concat();
    assert_eq!(found(&nodes, "start>l l.item>a l.done>end"), [open]);
    assert_eq!(found(&nodes, "start>l l.item>a a>l.next l.done>end"), Vec::<String>::new());
}

#[test]
fn graphs_without_trigger_or_output_are_refused() {
    assert_eq!(
        found(&[], ""),
        ["empty_graph: the graph has no nodes; add a trigger, such as input, and the nodes after it"]
    );
    let nothing = found(&[("a", "transform", json!({"value": "1"}))], "");
    assert_eq!(
        nothing,
        [
            "unreachable: node `a`: has no incoming connection; connect or remove it",
            "missing_output: a run has no output; add a node of type send_result or send_message",
            "missing_trigger: nothing starts a run; add a node of type input, webhook, form, schedule or message",
        ]
    );
    let silent = found(&[("in", "input", json!({})), ("say", "send_message", json!({"text": "hi"}))], "in>say");
    assert_eq!(silent, ["no_result: node `in`: has no send_result after it, so its runs have no output"]);
}

#[test]
fn graphs_with_too_many_schedules_are_refused() {
    let daily = json!({"cron": "0 8 * * *", "zone": "Europe/Madrid"});
    let ids: Vec<String> = (0..11).map(|index| format!("s{index}")).collect();
    let mut nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), "schedule", daily.clone())).collect();
    nodes.push(("end", "send_result", json!({})));
    let connections: Vec<String> = ids.iter().map(|id| format!("{id}>end")).collect();
    let problem = "too_many_schedules: too many nodes of type schedule: 11, the maximum is 10; remove some";
    assert_eq!(found(&nodes, &connections.join(" ")), [problem]);
    assert_eq!(found(&nodes[1..], &connections[1..].join(" ")), Vec::<String>::new());
}

#[test]
fn loops_have_no_output_inside_their_body() {
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
fn a_script_for_items_reads_the_loop_around_it() {
    let items = json!({"js": "n8n.batches(1)"});
    let nodes = [
        ("start", "input", json!({})),
        ("each", "loop", json!({"items": items, "itemMode": {}})),
        ("one", "code", json!({"javascript": "return $('each').all();", "itemMode": {"run": "all"}})),
        ("end", "send_result", json!({"output": {"js": "$json"}, "itemMode": {}})),
    ];
    let mut graph = graph(&nodes, "start>each each.item>one one>each.next each.done>end");
    // Scripts read nodes by their names.
    graph.nodes.iter_mut().for_each(|node| node.name = node.id.clone());
    let problems = crate::compile::compile(&graph).finish().1;
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn a_loop_has_items_or_rounds() {
    let problems = |config: Value, back: &str| {
        let nodes = [
            ("start", "input", json!({})),
            ("l", "loop", config),
            ("a", "condition", json!({"expression": "true"})),
            ("end", "send_result", json!({})),
        ];
        found(&nodes, &format!("start>l l.item>a a.true>l.{back} l.done>end"))
    };
    assert_eq!(problems(json!({"maxRounds": 5}), "next"), Vec::<String>::new());
    let open = "loop_open: node `l`: its body is not connected back to `next`, so it has only one round";
    assert_eq!(problems(json!({"maxRounds": 5}), "result"), [open]);
    let both = problems(json!({"maxRounds": 5, "items": "input", "concurrency": 2}), "next");
    let not_allowed = "is not allowed with maxRounds; remove one of them";
    for field in ["items", "concurrency"] {
        assert!(
            both.iter().any(|problem| problem.contains(&format!("config.{field}")) && problem.ends_with(not_allowed)),
            "{both:?}"
        );
    }
    let neither = problems(json!({}), "next");
    assert!(neither[0].contains("is missing; write the list, or maxRounds to repeat the body"), "{neither:?}");
    let unknown = problems(json!({"items": "input"}), "result");
    assert!(unknown.iter().any(|problem| problem.contains("has no input `result`")), "{unknown:?}");
}

/// A retry from a step in a body repeats the steps that follow it in the next round.
#[test]
fn the_body_of_a_loop_in_rounds_follows_each_of_its_steps() {
    let nodes = |config: Value| {
        [
            ("start", "input", json!({})),
            ("l", "loop", config),
            ("a", "transform", json!({"value": "1"})),
            ("b", "condition", json!({"expression": "true"})),
            ("end", "send_result", json!({})),
        ]
    };
    let followers = |config: Value| {
        let graph = graph(&nodes(config), "start>l l.item>a a>b b.true>l.next l.done>end");
        crate::compile::compile(&graph).finish().0.unwrap().downstream(3).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(followers(json!({"items": "input"})), [1, 3, 4]);
    assert_eq!(followers(json!({"maxRounds": 5})), [1, 2, 3, 4]);
}
