//! Previews: pinned outputs, and the step at which a preview ends.

use super::*;
use crate::compile::PinnedOutput;

/// Starts a preview. `pinned` has a node, its port and its value.
fn preview(pinned: &[(&str, &str, Value)], until: Option<&str>) -> TestRun {
    let nodes = [
        ("start", "input", json!({})),
        ("before", "transform", json!({"value": "[input, input + 1]"})),
        ("beside", "http", json!({"url": "https://example.com/"})),
        ("outer", "loop", json!({"items": "input"})),
        ("inner", "loop", json!({"items": "[vars.item, 0]"})),
        ("send", "http", json!({"url": "https://example.com/"})),
        ("note", "http", json!({"url": "https://example.com/"})),
        ("end", "send_result", json!({})),
        ("other", "send_result", json!({})),
    ];
    let connections = "start>before start>beside beside>other before>outer outer.item>inner inner.item>send inner.item>note \
        send>inner.next inner.done>outer.next outer.done>end";
    let plan = compile(&graph(&nodes, connections)).finish().0.unwrap();
    let find = |id: &str| plan.find_step(id).unwrap();
    let output = |(id, port, value): &(&str, &str, Value)| {
        (find(id), PinnedOutput { port: (*port).to_owned(), value: Arc::new(value.clone()) })
    };
    let (pinned, until) = (pinned.iter().map(output).collect(), until.map(find));
    TestRun::new(Arc::new(plan.previewed(pinned, until)), json!(1), History::default())
}

#[test]
fn a_preview_without_changes_runs_as_a_run() {
    let run = preview(&[], None);
    assert_eq!(run.due(), ["beside", "outer[0]/inner[0]/send", "outer[0]/inner[0]/note"]);
}

#[test]
fn only_what_leads_to_the_last_step_runs() {
    let run = preview(&[], Some("before"));
    assert_eq!(run.due(), [""; 0]);
    assert!(run.execution.end().is_some());
    // In a loop, the other steps of its body are not needed, and the first iteration is the last one.
    let mut run = preview(&[], Some("send"));
    assert_eq!(run.due(), ["outer[0]/inner[0]/send"]);
    run.perform("outer[0]/inner[0]/send", Ok(StepOutcome::new("out", json!(7))));
    assert_eq!(run.execution.end(), Some(&RunEnd::Completed { output: Arc::default() }));
    assert_eq!(run.due(), [""; 0]);
}

#[test]
fn a_loop_needs_its_whole_body() {
    let run = preview(&[], Some("inner"));
    assert_eq!(run.due(), ["outer[0]/inner[0]/send", "outer[0]/inner[0]/note"]);
    let mut run = preview(&[("send", "out", json!("sent")), ("note", "out", json!(null))], Some("outer"));
    run.perform_all(|effect| panic!("{effect:?}"));
    let results = json!([["sent", "sent"], ["sent", "sent"]]);
    let completed = run.events.iter().rev().find_map(|event| match event {
        StepEvent::Completed { path, outcome } => Some((path.display(run.execution.plan()), outcome.clone())),
        _ => None,
    });
    assert_eq!(completed, Some(("outer".to_owned(), StepOutcome::new("done", results))));
}

#[test]
fn a_pinned_loop_begins_no_iteration() {
    let run = preview(&[("outer", "done", json!(["pinned"])), ("beside", "out", json!(0))], None);
    assert_eq!(run.execution.end(), Some(&RunEnd::Completed { output: Arc::new(json!(0)) }));
}
