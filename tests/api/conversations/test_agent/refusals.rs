//! Requests that are refused.

use domain::identity::Role;

use super::*;

#[tokio::test]
async fn bad_bodies_name_the_field() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = test_path(&create(&ada, echo()).await);
    let expect = |expect: Value| json!({"script": [{"say": "a"}, {"say": "b", "expect": expect}]});
    let long = "x".repeat(4_001);
    let bodies = [
        (json!({}), "script: send either `script` or `goal`"),
        (json!({"script": [{"say": "a"}], "goal": "b"}), "goal: "),
        (json!({"script": []}), "script: 1 to 20 entries"),
        (json!({"script": vec![json!({"say": "a"}); 21]}), "script: 1 to 20 entries"),
        (json!({"script": [{"say": " "}]}), "script[0].say: "),
        (json!({"script": [{"say": long}]}), "script[0].say: 1 to 4000 characters"),
        (json!({"script": [{"text": "a"}]}), "script[0]"),
        (json!({"script": [{"say": "a"}], "turns": 2}), "turns: "),
        (json!({"goal": ""}), "goal: "),
        (json!({"goal": long}), "goal: "),
        (json!({"goal": "a", "turns": 0}), "turns: between 1 and 10"),
        (json!({"goal": "a", "turns": 11}), "turns: between 1 and 10"),
        (json!({"goal": "a", "turns": -1}), "turns"),
        (json!({"goal": "a", "target": "live"}), "target"),
        (json!({"goal": "a", "trigger": "reply"}), "trigger: the graph has no `message` node with this id"),
        (json!({"goal": "a", "other": 1}), "other"),
        (expect(json!({})), "script[1].expect: set `contains` or `matches`"),
        (expect(json!({"contains": ""})), "script[1].expect.contains: "),
        (expect(json!({"matches": "reply =="})), "script[1].expect.matches: line 1, column "),
        (
            expect(json!({"matches": "'yes'"})),
            "script[1].expect.matches: line 1, column 1: a condition must be true or false",
        ),
        (
            expect(json!({"matches": "answer == 'x'"})),
            "script[1].expect.matches: line 1, column 1: there is no variable `answer`; use reply, replies, turn",
        ),
        (expect(json!({"matches": "x".repeat(5_000)})), "script[1].expect.matches: "),
    ];
    for (body, beginning) in bodies {
        let refused = ada.post_json(&path, body).await;
        assert_eq!(refusal(&refused), ("400", "invalid_body"), "{beginning}: {}", refused.text);
        assert!(message(&refused).starts_with(beginning), "{}", message(&refused));
    }
    let bound =
        json!({"matches": "replies.all(text, text.startsWith('You')) && now() > timestamp('2020-01-01T00:00:00Z')"});
    assert_eq!(ada.post_json(&path, expect(bound)).await.json["data"]["passed"], true);
}

#[tokio::test]
async fn a_graph_that_cannot_be_tested_is_refused_with_what_to_do() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let body = || json!({"script": [{"say": "a"}]});
    let refused = ada.post_json(&test_path(&create(&ada, double()).await), body()).await;
    assert_eq!(refusal(&refused), ("409", "invalid_state"));
    assert!(message(&refused).contains("no node of the type `message`"), "{}", refused.text);
    // An invalid draft is refused as by a preview.
    let invalid = create(&ada, chain(&[reply("reply", "{{ input.")])).await;
    let refused = ada.post_json(&test_path(&invalid), body()).await;
    assert_eq!(refusal(&refused), ("400", "invalid_body"));
    assert_eq!(refused.json, ada.post(&format!("{invalid}/preview")).await.json);
    let workflow = create(&ada, echo()).await;
    let release = json!({"target": "release", "script": [{"say": "a"}]});
    assert_eq!(refusal(&ada.post_json(&test_path(&workflow), release).await), ("409", "unpublished_changes"));
    ada.post(&format!("{workflow}/archive")).await;
    assert_eq!(refusal(&ada.post_json(&test_path(&workflow), body()).await), ("409", "invalid_state"));
}

#[tokio::test]
async fn only_the_owner_tests_a_workflow() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = test_path(&create(&ada, echo()).await);
    let body = || json!({"script": [{"say": "a"}]});
    assert_eq!(refusal(&app.anonymous().post_json(&path, body()).await), ("401", "unauthorized"));
    assert_eq!(refusal(&app.anonymous().get(&path).await), ("401", "unauthorized"));
    let nowhere = test_path(&format!("{WORKFLOWS}/{NOWHERE}"));
    for stranger in [app.person("bob"), app.person_of("eve", "globex", Role::Admin)] {
        for (refused, missing) in [
            (stranger.post_json(&path, body()).await, stranger.post_json(&nowhere, body()).await),
            (stranger.get(&path).await, stranger.get(&nowhere).await),
        ] {
            assert_eq!((refusal(&refused), &refused.text), (("404", "workflow_not_found"), &missing.text));
        }
    }
    assert_eq!(refusal(&ada.delete(&path).await), ("405", "method_not_allowed"));
}
