//! Tests of limits: no graph makes the compiler hang or report without bound.

use serde_json::json;

use super::*;
use testing::run_with_timeout;

#[test]
fn the_number_of_reported_problems_is_limited() {
    let many = "{{ a }}".repeat(9_000);
    let nodes: Vec<(String, &str, Value)> = (0..10)
        .map(|index| (format!("n{index}"), "template", json!({"template": many})))
        .chain([("start".to_owned(), "input", json!({}))])
        .collect();
    let nodes: Vec<_> = nodes.iter().map(|(id, kind, config)| (id.as_str(), *kind, config.clone())).collect();
    let reported = found(&nodes, "start>n0");
    assert!(reported.len() < 520, "{}", reported.len());
    let connections = (0..1_000).map(|n| format!("a{n}>b")).collect::<Vec<_>>().join(" ");
    assert_eq!(found(&[], &connections).len(), 501);
    assert!(reported.iter().any(|line| line.contains("more problems, which are not listed")), "{:?}", reported.last());
}

#[test]
fn upstream_steps_are_found_in_large_cycles() {
    // The edges run from the last node to the first, so that each pass learns about only one more step.
    let mut connections: String = (1..500).map(|index| format!("n{index}>n{} ", index - 1)).collect();
    connections.push_str("start>n499 n0>n499 ");
    connections.extend((0..1_500).map(|index| format!("n{}>n{} ", index % 499 + 1, (index * 7) % 499)));
    let reported = run_with_timeout("the search of cycles", move || {
        let ids: Vec<String> = (0..500).map(|index| format!("n{index}")).collect();
        let work = json!({"value": "nodes.n7.output"});
        let mut nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), "transform", work.clone())).collect();
        nodes.push(("start", "input", json!({})));
        found(&nodes, &connections)
    });
    assert_eq!(reported.iter().filter(|line| line.starts_with("cycle")).count(), 1);
    assert!(!reported.iter().any(|line| line.starts_with("not_upstream")), "{reported:?}");
}

#[test]
fn regular_expressions_are_counted_before_they_are_compiled() {
    let reported = run_with_timeout("the count of patterns", || {
        let looks = vec!["''.matches('a{999}')"; 150].join("||");
        let ids: Vec<String> = (0..500).map(|index| format!("n{index}")).collect();
        let nodes: Vec<_> = ids.iter().map(|id| (id.as_str(), "condition", expression(&looks))).collect();
        found(&nodes, "")
    });
    assert!(reported.iter().any(|line| line.starts_with("too_many_patterns")), "{reported:?}");
}

/// A benchmark: prints the median time in milliseconds. Run it with `cargo test --profile lambda -p engine --lib --
/// large_graphs_compile --nocapture`.
#[test]
fn large_graphs_compile() {
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
}
