//! Scripts: expectations, the state of each turn, and the target.

use super::*;

#[tokio::test]
async fn each_expectation_is_checked_in_its_turn() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let workflow = create(&ada, echo()).await;
    let script = json!([
        {"say": "a"},
        {"say": "order 7", "expect": {"contains": "order 7"}},
        {"say": "c", "expect": {"contains": "Monday"}},
        {"say": "d", "expect": {"matches": "size(replies) == 1 && reply == 'You said: d' && turn == 4"}},
        {"say": "e", "expect": {"matches": "reply == 'no'"}},
        {"say": "f", "expect": {"matches": "replies[3] == 'x'"}},
        {"say": "g", "expect": {"matches": "size(reply)"}},
        {"say": "h", "expect": {"contains": "h", "matches": "turn == 1"}},
    ]);
    let report = run_test(&ada, &workflow, json!({"script": script})).await;
    assert_eq!((&report["passed"], &report["goal"]), (&json!(false), &Value::Null));
    let passed = json!([null, true, false, true, false, false, false, false]);
    assert_eq!(json!(column(&report, "passed")), passed, "{report}");
    let reasons = column(&report, "reason");
    assert_eq!((reasons[1], reasons[3]), (&Value::Null, &Value::Null));
    for (turn, beginning) in [
        (2, "expect.contains: the reply differs; it must contain \"Monday\""),
        (4, "expect.matches: the condition is false"),
        (5, "expect.matches: line 1, column "),
        (6, "expect.matches: line 1, column "),
        (7, "expect.matches: the condition is false"),
    ] {
        assert!(reasons[turn].as_str().unwrap().starts_with(beginning), "{turn}: {}", reasons[turn]);
    }
    assert!(column(&report, "state").iter().all(|state| **state == "completed"));
    let script = json!([{"say": "Hello", "expect": {"contains": "Hello"}}, {"say": "Bye"}]);
    let report = run_test(&ada, &workflow, json!({"script": script})).await;
    let turn = |message: &str, passed: Value| {
        let reply = format!("You said: {message}");
        json!({"message": message, "replies": [reply], "state": "completed", "error": null, "passed": passed, "reason": null})
    };
    let turns = json!([turn("Hello", json!(true)), turn("Bye", Value::Null)]);
    assert_eq!(report, json!({"passed": true, "turns": turns, "goal": null}));
}

#[tokio::test]
async fn the_replies_are_all_messages_to_the_participant() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let aside = node("aside", "send_message", json!({"text": "A customer wrote", "to": "'C024BE91L'"}));
    let workflow = create(&ada, chain(&[reply("one", "One"), aside, reply("two", "Two")])).await;
    let step = json!({"say": "Hi", "expect": {"matches": "replies == ['One', 'Two'] && reply == 'One\\nTwo'"}});
    let report = run_test(&ada, &workflow, json!({"script": [step]})).await;
    assert_eq!((&report["passed"], &report["turns"][0]["replies"]), (&json!(true), &json!(["One", "Two"])), "{report}");

    let silent = create(&ada, chain(&[node("end", "send_result", json!({}))])).await;
    let report = run_test(&ada, &silent, json!({"script": [{"say": "Hi", "expect": {"contains": "Hi"}}]})).await;
    assert_eq!(report["turns"][0]["replies"], json!([]));
    assert_eq!(report["turns"][0]["reason"], "expect.contains: there is no reply; it must contain \"Hi\"");
}

#[tokio::test]
async fn a_turn_waits_for_people_and_delays() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let waits = [
        (node("wait", "review", json!({"title": "Answer?"})), "approved"),
        (node("wait", "delay", json!({"seconds": 60})), "out"),
    ];
    for (wait, port) in waits {
        let nodes = [node("ask", "message", json!({})), reply("first", "One moment"), wait, reply("last", "Done")];
        let draft = graph(&nodes, &["ask.out first", "first.out wait", &format!("wait.{port} last")]);
        let workflow = create(&ada, draft).await;
        let script = json!([{"say": "Hi", "expect": {"contains": "One moment"}}, {"say": "And now?"}]);
        let report = run_test(&ada, &workflow, json!({"script": script})).await;
        assert_eq!(column(&report, "state"), ["waiting", "waiting"], "{report}");
        assert_eq!(column(&report, "replies"), [&json!(["One moment"]); 2]);
        assert_eq!((&report["passed"], &report["turns"][0]["error"]), (&json!(true), &Value::Null));
    }
}

#[tokio::test]
async fn a_failed_turn_has_its_error_and_the_test_goes_on() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let check = node("check", "condition", json!({"expression": "input.text == 'bad'"}));
    let nodes = [
        node("ask", "message", json!({})),
        check,
        node("stop", "fail", json!({"message": "Not here"})),
        reply("answer", "Fine"),
    ];
    let workflow = create(&ada, graph(&nodes, &["ask.out check", "check.true stop", "check.false answer"])).await;
    let script = json!([{"say": "bad"}, {"say": "good", "expect": {"contains": "Fine"}}]);
    let report = run_test(&ada, &workflow, json!({"script": script})).await;
    assert_eq!(column(&report, "state"), ["failed", "completed"], "{report}");
    let error = &report["turns"][0]["error"];
    assert_eq!((&error["nodeId"], &error["message"]), (&json!("stop"), &json!("Not here")));
    assert_eq!((&report["passed"], &report["turns"][1]["passed"]), (&json!(false), &json!(true)));
}

#[tokio::test]
async fn the_draft_or_the_active_release_is_tested_at_the_chosen_trigger() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    let nodes = [
        node("ask", "message", json!({})),
        node("ask2", "message", json!({})),
        reply("one", "New: {{ input.text }}"),
        reply("two", "Other"),
    ];
    let draft = graph(&nodes, &["ask.out one", "ask2.out two"]);
    assert_eq!(stage.ada.patch(&stage.workflow, json!({"graph": draft})).await.status, "200 OK");
    let cases = [
        (json!({}), "New: Hi"),
        (json!({"target": "draft", "trigger": "ask2"}), "Other"),
        (json!({"target": "release"}), "You said: Hi"),
    ];
    for (mut body, expected) in cases {
        body["script"] = json!([{"say": "Hi"}]);
        let report = run_test(&stage.ada, &stage.workflow, body).await;
        assert_eq!(report["turns"][0]["replies"], json!([expected]));
    }
    let paused = stage.ada.post(&format!("{}/pause", stage.workflow)).await;
    assert_eq!(paused.status, "200 OK", "a paused release can be tested: {}", paused.text);
    let report = run_test(&stage.ada, &stage.workflow, json!({"target": "release", "script": [{"say": "Hi"}]})).await;
    assert_eq!(report["passed"], true);
}
