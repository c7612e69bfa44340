//! Nodes of type `table`, and the routes that show and change what they keep.

mod limits;
mod steps;

use domain::data_table::{Filter, Operator, Row, RowFilter};
use domain::name::TableName;
use serde_json::Map;
use store::DataTables;
use store::data_tables::{Change, NewRow, TablePlace};

use super::*;

/// Remembers a customer, and returns all of the same country.
fn customers() -> Value {
    let remember = json!({
        "table": "customers", "action": "upsert", "filters": [{"field": "email", "value": "input.email"}],
        "values": "{'country': input.country, 'last': run.id}",
    });
    let find = json!({
        "table": "customers", "action": "find", "orderBy": "email", "descending": true,
        "filters": [{"field": "country", "operator": "equals", "value": "nodes.start.output.country"}],
    });
    let nodes = [
        node("start", "input", json!({})),
        node("remember", "table", remember),
        node("find", "table", find),
        node("end", "send_result", json!({"output": "nodes.find.output.map(row, row.email)"})),
    ];
    graph(&nodes, &["start.out remember", "remember.out find", "find.out end"])
}

async fn run(app: &TestApp, person: &Person, workflow: &str, input: Value) -> Value {
    let path = start_run(person, workflow, input).await;
    carry_out(app, person, &path).await
}

fn tables_path(workflow: &str) -> String {
    format!("{WORKFLOWS}/{workflow}/tables")
}

/// The rows of a table, without their times.
async fn rows(person: &Person, path: &str) -> Vec<Value> {
    let mut rows = read(person, path).await.as_array().unwrap().clone();
    for row in rows.iter_mut().map(|row| row.as_object_mut().unwrap()) {
        assert!(row.remove("createdAt").is_some() && row.remove("updatedAt").is_some());
    }
    rows
}

#[tokio::test]
async fn rows_stay_between_runs() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, customers()).await;
    for (email, country, expected) in [
        ("ada@example.com", "es", json!(["ada@example.com"])),
        ("bob@example.com", "es", json!(["bob@example.com", "ada@example.com"])),
        ("ada@example.com", "uk", json!(["ada@example.com"])),
        ("cid@example.com", "es", json!(["cid@example.com", "bob@example.com"])),
    ] {
        let done = run(&app, &ada, &flow, json!({"email": email, "country": country})).await;
        assert_eq!(done["output"], expected, "{done}");
    }
    let tables = read(&ada, &tables_path(&flow)).await;
    assert_eq!(
        (&tables[0]["name"], &tables[0]["rows"], tables.as_array().unwrap().len()),
        (&json!("customers"), &json!(3), 1)
    );
}

#[tokio::test]
async fn lists_become_rows_and_rows_are_counted_changed_and_deleted() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let large = json!([{"field": "n", "operator": "greater", "value": "input.limit"}]);
    let on = |action: &str, more: Value| {
        let mut config = json!({"table": "numbers", "action": action});
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        config
    };
    let nodes = [
        node("start", "input", json!({})),
        node("add", "table", on("add", json!({"values": "nodes.start.output.numbers.map(n, {'n': n})"}))),
        node("change", "table", on("update", json!({"filters": large, "values": "{'large': true}"}))),
        node("count", "table", on("count", json!({"filters": [{"field": "large", "operator": "isEmpty"}]}))),
        node("delete", "table", on("delete", json!({"filters": [{"field": "large", "value": "true"}]}))),
        node(
            "end",
            "send_result",
            json!({"output": "{'small': nodes.count.output, 'gone': size(nodes.delete.output)}"}),
        ),
    ];
    let nodes = nodes.map(|mut node| {
        // The filters see the input of the run.
        let text = node["config"].to_string().replace("input.limit", "nodes.start.output.limit");
        node["config"] = text.parse().unwrap();
        node
    });
    let ports = ["start.out add", "add.out change", "change.out count", "count.out delete", "delete.out end"];
    let flow = publish(&ada, graph(&nodes, &ports)).await;
    let numbers: Vec<u32> = (0..250).collect();
    let done = run(&app, &ada, &flow, json!({"numbers": numbers, "limit": 99})).await;
    assert_eq!(done["output"], json!({"small": 100, "gone": 150}), "{done}");
    assert_eq!(read(&ada, &tables_path(&flow)).await[0]["rows"], 100);
    // New rows are in the order of the list.
    let page = rows(&ada, &format!("{}/numbers/rows?limit=3", tables_path(&flow))).await;
    assert_eq!(page.iter().map(|row| row["n"].clone()).collect::<Vec<_>>(), [json!(0), json!(1), json!(2)]);
}

#[tokio::test]
async fn people_see_and_change_rows() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.person("ada"), app.person("eve"));
    let flow = publish(&ada, double()).await;
    let path = format!("{}/orders/rows", tables_path(&flow));
    let missing = ada.get(&path).await;
    assert_eq!(missing.status, "404 Not Found", "{}", missing.text);

    let added = ada.post_json(&path, json!({"id": "A/17", "total": 17})).await;
    assert_eq!((&*added.status, added.id()), ("201 Created", "A/17"), "{}", added.text);
    let again = ada.post_json(&path, json!({"id": "A/17"})).await;
    assert_eq!((&*again.status, again.code()), ("409 Conflict", "row_exists"));
    let unnamed = ada.post_json(&path, json!({"total": 3})).await;
    assert_eq!(unnamed.status, "201 Created");

    let changed = ada.patch(&format!("{path}/A%2F17"), json!({"paid": true})).await;
    assert_eq!(
        (&changed.json["data"]["total"], &changed.json["data"]["paid"]),
        (&json!(17), &json!(true)),
        "{}",
        changed.text
    );
    let other = ada.patch(&format!("{path}/A%2F17"), json!({"id": "B"})).await;
    assert_eq!(other.code(), "invalid_body", "{}", other.text);
    let nameless = ada.post_json(&path, json!({"id": ""})).await;
    assert_eq!(nameless.code(), "invalid_body", "{}", nameless.text);
    let too_large = ada.patch(&format!("{path}/A%2F17"), json!({"note": "x".repeat(32 * 1024 - 30)})).await;
    assert_eq!(too_large.code(), "row_too_large", "{}", too_large.text);

    // The first page ends before the last row.
    let page = ada.get(&format!("{path}?limit=1")).await;
    let next = page.json["meta"]["nextCursor"].as_str().unwrap();
    let last = rows(&ada, &format!("{path}?cursor={next}")).await;
    assert_eq!(last, [json!({"id": "A/17", "total": 17, "paid": true})]);

    for answer in [
        eve.get(&tables_path(&flow)).await,
        eve.get(&path).await,
        eve.post_json(&path, json!({})).await,
        eve.delete(&format!("{path}/A%2F17")).await,
        eve.delete(&format!("{}/orders", tables_path(&flow))).await,
    ] {
        assert_eq!(answer.status, "404 Not Found", "{}", answer.text);
    }

    assert_eq!(ada.delete(&format!("{path}/A%2F17")).await.status, "204 No Content");
    assert_eq!(ada.delete(&format!("{path}/A%2F17")).await.status, "404 Not Found");
    assert_eq!(ada.delete(&format!("{}/orders", tables_path(&flow))).await.status, "204 No Content");
    assert_eq!(read(&ada, &tables_path(&flow)).await, json!([]));
    assert_eq!(ada.get(&path).await.status, "404 Not Found");
}

/// What an imported trigger becomes: a list that is read again and again, and a table that lets new entries pass.
#[tokio::test]
async fn of_a_list_only_new_entries_pass() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node("start", "input", json!({})),
        node(
            "list",
            "code",
            json!({"javascript": "return $json.ids.map((id) => ({ id }));", "itemMode": {"run": "all", "whenEmpty": "one"}}),
        ),
        node(
            "new",
            "table",
            json!({
                "table": "seen", "action": "addNew", "keep": 3, "values": {"js": "n8n.seenRows(() => $json.id, true)"},
                "itemMode": {"run": "all", "result": {"js": "n8n.newItems(output, () => $json.id, true)"}},
            }),
        ),
        node(
            "end",
            "send_result",
            json!({
                "output": {"js": "$input.all().map((item) => item.json.id)"},
                "itemMode": {"run": "all", "result": {"js": "$input.all()"}},
            }),
        ),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out list", "list.out new", "new.out end"])).await;
    for (ids, new) in [
        (json!([]), Value::Null),
        (json!([1, 2]), json!([1, 2])),
        (json!([2, 3, 3]), json!([3])),
        (json!([3, 2]), Value::Null),
        (json!([4]), json!([4])),
    ] {
        let ended = run(&app, &ada, &flow, json!({"ids": ids})).await;
        assert_eq!((&ended["state"], &ended["output"]), (&json!("completed"), &new), "{ids}: {ended}");
    }
    let left = rows(&ada, &format!("{}/seen/rows", tables_path(&flow))).await;
    assert_eq!(left.len(), 3, "{left:?}");
    assert!([json!({"id": "4"}), json!({"id": "first run"})].iter().all(|row| left.contains(row)), "{left:?}");
}

#[tokio::test]
async fn a_node_says_what_is_missing() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let all = json!({"table": "t", "action": "delete"});
    let nodes = [
        node("start", "input", json!({})),
        node("all", "table", all),
        node("empty", "table", json!({"table": "t", "action": "add", "filters": [{"field": "a"}]})),
        node("end", "send_result", json!({})),
    ];
    let created = ada
        .post_json(
            WORKFLOWS,
            json!({"name": "Flow", "graph": graph(&nodes, &["start.out all", "all.out empty", "empty.out end"])}),
        )
        .await;
    let validated = ada.post(&format!("{WORKFLOWS}/{}/validate", created.id())).await;
    for expected in [
        "`isNotEmpty`",
        "give the fields of the row",
        "are not used by actions that add",
        "give a value to compare with",
    ] {
        assert!(validated.text.contains(expected), "{expected}: {}", validated.text);
    }
}

/// The table of a new workflow, as its runs see it.
async fn place(app: &TestApp, ada: &Person) -> (DataTables, TablePlace) {
    let (flow, account) = (publish(ada, double()).await, app.account("ada"));
    let place = TablePlace { account, workflow: flow.parse().unwrap(), table: TableName("t".into()) };
    (DataTables::new(&app.platform.context()).unwrap(), place)
}

fn change(step: &str) -> Change {
    Change { step: step.into(), at: Time::now() }
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("an object: {value}") };
    fields
}

fn new_row(id: &str, values: Value) -> NewRow {
    NewRow { id: id.into(), values: object(values) }
}

fn equals(field: &str, value: Value) -> RowFilter {
    let filter = Filter { field: field.into(), operator: Operator::Equals, value };
    RowFilter { filters: vec![filter], ..RowFilter::default() }
}

/// The row of an upsert has the id of its filters. It keeps it when it does not match them any more.
#[tokio::test]
async fn an_upsert_adds_a_row_when_that_of_the_first_has_other_values() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, customers()).await;
    let path = format!("{}/customers/rows", tables_path(&flow));
    run(&app, &ada, &flow, json!({"email": "ada@example.com", "country": "es"})).await;
    let first = read(&ada, &path).await[0]["id"].as_str().unwrap().to_owned();
    let moved = ada.patch(&format!("{path}/{first}"), json!({"email": "ada@example.org"})).await;
    assert_eq!(moved.status, "200 OK", "{}", moved.text);
    for _ in 0..2 {
        let done = run(&app, &ada, &flow, json!({"email": "ada@example.com", "country": "es"})).await;
        assert_eq!(done["output"], json!(["ada@example.org", "ada@example.com"]), "{done}");
    }
}

#[tokio::test]
async fn the_rows_of_a_deleted_workflow_are_deleted() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let added: Vec<_> = (0..30).map(|n| new_row(&n.to_string(), json!({}))).collect();
    tables.add(&place, &added, &change("one")).await.unwrap();
    assert_eq!(ada.delete(&format!("{WORKFLOWS}/{}", place.workflow)).await.status, "204 No Content");
    app.platform.drain().await;
    assert_eq!(tables.list(place.account, place.workflow).await.unwrap(), []);
    assert!(tables.page(&place, 10, None).await.unwrap().items.is_empty());
    assert!(tables.add(&place, &added, &change("two")).await.is_err());
}
