//! Steps that are repeated after a crash, and steps that change the same rows at once.

use futures::future::join_all;
use store::data_tables::Upsert;
use tokio::runtime::Builder;

use super::*;

/// A worker stops after the write and before the record of it, so the step is repeated.
#[tokio::test]
async fn a_repeated_step_writes_once() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let added: Vec<_> = (0..200).map(|n| new_row(&format!("row-{n:03}"), json!({"n": n, "version": 1}))).collect();
    let first = tables.add(&place, &added, &change("one")).await.unwrap();
    assert_eq!(tables.add(&place, &added, &change("one")).await.unwrap(), first);
    assert_eq!(tables.get(&place).await.unwrap().rows, 200);
    assert!(tables.add(&place, &added[..1], &change("two")).await.is_err());

    // A change that others follow is not made again, and its step learns that it was made.
    let set = |version: u32| object(json!({"version": version}));
    let at = |version: u32| equals("version", version.into());
    assert_eq!(tables.update(&place, &at(1), &set(2), &change("three")).await.unwrap().len(), 200);
    assert_eq!(tables.update(&place, &at(2), &set(3), &change("four")).await.unwrap().len(), 200);
    assert_eq!(tables.update(&place, &at(1), &set(2), &change("three")).await.unwrap().len(), 200);
    assert_eq!(tables.count(&place, &at(3)).await.unwrap(), 200);

    assert_eq!(tables.delete(&place, &at(3), &change("five")).await.unwrap().len(), 200);
    assert_eq!(tables.delete(&place, &at(3), &change("five")).await.unwrap().len(), 0);
    assert_eq!(tables.get(&place).await.unwrap().rows, 0);
}

/// A step learns which rows it has added, also if it is repeated.
#[tokio::test]
async fn new_rows_are_added_once() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let rows =
        |range: std::ops::Range<u32>| range.map(|n| new_row(&format!("{n:03}"), json!({"n": n}))).collect::<Vec<_>>();
    let first = tables.add_new(&place, &rows(0..200), None, &change("one")).await.unwrap();
    assert_eq!(first.len(), 200);
    assert_eq!(tables.add_new(&place, &rows(0..200), None, &change("one")).await.unwrap(), first);
    let twice = [rows(199..201), rows(200..202)].concat();
    let ids = |rows: Vec<Row>| rows.into_iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(tables.add_new(&place, &twice, None, &change("two")).await.unwrap()), ["200", "201"]);
    assert_eq!(tables.get(&place).await.unwrap().rows, 202);

    // The oldest rows go, except those that the step has seen again.
    let again = [rows(0..1), rows(300..303)].concat();
    for _ in 0..2 {
        let added = tables.add_new(&place, &again, Some(5), &change("three")).await.unwrap();
        assert_eq!(ids(added), ["300", "301", "302"]);
        assert_eq!(tables.get(&place).await.unwrap().rows, 5);
    }
    let left = ids(tables.page(&place, 10, None).await.unwrap().items);
    assert!(["000", "300", "301", "302"].iter().all(|id| left.iter().any(|left| left == id)), "{left:?}");
}

/// Each row is new to one of the steps that add it.
#[tokio::test]
async fn concurrent_steps_share_new_rows() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let steps = (0..4).map(|step| {
        let (tables, place) = (tables.clone(), place.clone());
        async move {
            let rows: Vec<_> = (step * 50..step * 50 + 100).map(|n| new_row(&format!("{n:03}"), json!({}))).collect();
            tables.add_new(&place, &rows, None, &change(&step.to_string())).await.unwrap()
        }
    });
    let mut added: Vec<_> = join_all(steps).await.into_iter().flatten().map(|row| row.id).collect();
    added.sort();
    assert_eq!(added, (0..250).map(|n| format!("{n:03}")).collect::<Vec<_>>());
    assert_eq!(tables.get(&place).await.unwrap().rows, 250);
}

/// A process crashes after it has added a row, and before the result of the step is recorded.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_is_repeated_after_a_crash_adds_one_row() {
    let (app, gate) = TestApp::start_gated().await;
    let ada = app.person("ada");
    let nodes = [
        node("start", "input", json!({})),
        node("add", "table", json!({"table": "t", "action": "add", "values": "{'n': 1}"})),
        node("end", "send_result", json!({"output": "nodes.add.output.id"})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out add", "add.out end"])).await;
    let tables = DataTables::new(&app.platform.context()).unwrap();
    let place =
        TablePlace { account: app.account("ada"), workflow: flow.parse().unwrap(), table: TableName("t".into()) };
    let path = start_run(&ada, &flow, Value::Null).await;
    let now = Time::now();
    let process = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let first = worker(&Context { clock: Clock::new(move || now), ..app.platform.new_environment_context() });
    let hint = RunHint { run_id: run_id(&path) };
    let mut held = gate.hold("TransactWriteItems");
    process.spawn(async move { first.handle(hint, now.plus(minutes(15))).await });
    // All transactions pass until the row is written. The next one would record the result.
    loop {
        let transaction = held.arrived().await;
        if tables.get(&place).await.is_ok_and(|table| table.rows == 1) {
            process.shutdown_background();
            // A sender that is dropped would release the transaction.
            std::mem::forget(transaction);
            break;
        }
        held = gate.hold("TransactWriteItems");
        transaction.send(()).unwrap();
    }
    assert_eq!(read(&ada, &path).await["state"], "running");
    work_at(&app, &path, now.plus(minutes(16))).await;
    let run = read(&ada, &path).await;
    assert_eq!(run["state"], "completed", "{run}");
    let rows = read(&ada, &format!("{}/t/rows", tables_path(&flow))).await;
    assert_eq!((&rows[0]["id"], rows.as_array().unwrap().len()), (&run["output"], 1));
}

#[tokio::test]
async fn of_equal_upserts_one_adds_the_row_and_all_change_it() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let filter = equals("email", json!("ada@example.com"));
    let upserts = (0..20).map(|n| {
        let (tables, place, filter) = (tables.clone(), place.clone(), filter.clone());
        async move {
            let by = format!("by-{n}");
            let row = new_row("of-the-email", json!({&by: true, "email": "ada@example.com"}));
            let upsert = Upsert { changes: object(json!({by: true})), row, other_id: Some(format!("other-{n}")) };
            tables.upsert(&place, &filter, &upsert, &change(&format!("step-{n}"))).await.unwrap()
        }
    });
    let written = join_all(upserts).await;
    assert!(written.iter().all(|rows| rows.len() == 1));
    assert_eq!(tables.get(&place).await.unwrap().rows, 1);
    let row = &tables.page(&place, 10, None).await.unwrap().items[0];
    assert_eq!(row.values.len(), 21, "{row:?}");
}

/// Each row is returned by one of the steps that delete it, so a step can take rows that nobody else gets.
#[tokio::test]
async fn concurrent_deletions_share_the_rows() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let added: Vec<_> = (0..200).map(|n| new_row(&format!("{n:03}"), json!({"n": n}))).collect();
    tables.add(&place, &added, &change("one")).await.unwrap();
    let deletions = (0..4).map(|n| {
        let (tables, place) = (tables.clone(), place.clone());
        async move { tables.delete(&place, &RowFilter::default(), &change(&n.to_string())).await.unwrap() }
    });
    let mut deleted: Vec<_> = join_all(deletions).await.into_iter().flatten().map(|row| row.id).collect();
    deleted.sort();
    assert_eq!(deleted, added.into_iter().map(|row| row.id).collect::<Vec<_>>());
    assert_eq!(tables.get(&place).await.unwrap().rows, 0);
}

/// The row that has the id of the filters does not match them any more.
#[tokio::test]
async fn of_equal_upserts_one_adds_the_row_beside_another() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let upsert_all = async |round: u32| {
        let upserts = (0..10).map(|n| {
            let (tables, place) = (tables.clone(), place.clone());
            async move {
                let step = format!("{round}-{n}");
                let row = new_row("of-the-state", json!({"state": "open"}));
                let upsert = Upsert { changes: Map::new(), row, other_id: Some(step.clone()) };
                tables.upsert(&place, &equals("state", json!("open")), &upsert, &change(&step)).await.unwrap()
            }
        });
        join_all(upserts).await
    };
    for round in 0..4 {
        let written = upsert_all(round).await;
        assert!(written.iter().all(|rows| rows.len() == 1 && rows[0].id == written[0][0].id), "{written:?}");
        assert_eq!(tables.get(&place).await.unwrap().rows, round as usize + 1);
        let closed = object(json!({"state": "closed"}));
        let open = equals("state", json!("open"));
        assert_eq!(tables.update(&place, &open, &closed, &change(&format!("close-{round}"))).await.unwrap().len(), 1);
    }
    let chosen = Upsert { changes: Map::new(), row: new_row("of-the-state", json!({})), other_id: None };
    let refused = tables.upsert(&place, &equals("state", json!("new")), &chosen, &change("chosen")).await.unwrap_err();
    assert_eq!(refused.code(), "row_exists");
}
