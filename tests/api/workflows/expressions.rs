//! The preview of expressions.

use serde_json::{Value, json};
use tests::TestApp;

use super::*;

#[tokio::test]
async fn expressions_can_be_previewed() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let preview = async |body: Value| ada.post_json(&format!("{WORKFLOWS}/expression/preview"), body).await;
    let data = json!({"input": {"n": 5, "name": "Ada", "secret": "s3cr3t"}});

    let holds = preview(json!({"expression": "input.n + 1 > 5", "data": data})).await;
    assert_eq!(holds.json["data"], json!({"result": true, "type": "bool"}));
    let text = preview(json!({"expression": "Hello {{ input.name }}", "data": data, "language": "jinja"})).await;
    assert_eq!(text.json["data"], json!({"result": "Hello Ada", "type": "string"}));
    let nothing = preview(json!({"expression": "1 + 2"})).await;
    assert_eq!(nothing.json["data"], json!({"result": 3, "type": "int"}));

    let unreadable = preview(json!({"expression": "input.n >", "data": data})).await;
    assert_eq!((unreadable.status.as_str(), unreadable.code()), ("400 Bad Request", "invalid_body"));
    assert_eq!(unreadable.json["error"]["message"], "expression: line 1, column 10: the expression ends too early");
    assert_eq!(
        unreadable.json["error"]["details"],
        json!({"line": 1, "column": 10, "problem": "the expression ends too early"})
    );
    let unknown = preview(json!({"expression": "{{ nope() }}", "language": "jinja"})).await;
    assert_eq!(
        unknown.json["error"]["details"],
        json!({"line": 1, "column": 4, "problem": "there is no function `nope`"})
    );
    let failed = preview(json!({"expression": "input.secret + 1", "data": data})).await;
    assert_eq!(failed.json["error"]["message"], "expression: line 1, column 14: cannot use + between string and int");
    assert_eq!(
        failed.json["error"]["details"],
        json!({"line": 1, "column": 14, "problem": "cannot use + between string and int"})
    );
    assert!(!failed.text.contains("s3cr3t"));
    let bomb = "lists.range(100).all(a,lists.range(100).all(b,lists.range(100).all(c,lists.range(100).all(d,true))))";
    let limited = preview(json!({"expression": bomb})).await;
    assert_eq!((limited.status.as_str(), limited.code()), ("400 Bad Request", "expression_limit"));
    let range = "range(-1, 9223372036854775807, 9223372036854775807)";
    let ends = preview(json!({"expression": range})).await;
    assert_eq!(ends.json["data"]["result"], json!([-1, i64::MAX - 1]));
    let printed = preview(json!({"expression": format!("{{{{ {range} }}}}"), "language": "jinja"})).await;
    assert_eq!(printed.json["data"]["result"], json!(format!("[-1,{}]", i64::MAX - 1)));
    for wrong in [
        json!({}),
        json!({"expression": 1}),
        json!({"expression": "1", "data": []}),
        json!({"expression": "1", "language": "lua"}),
    ] {
        assert_eq!(preview(wrong).await.code(), "invalid_body");
    }
    let stranger =
        app.anonymous().post_json(&format!("{WORKFLOWS}/expression/preview"), json!({"expression": "1"})).await;
    assert_eq!(stranger.code(), "unauthorized");
}
