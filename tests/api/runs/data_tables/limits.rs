//! The limits of tables, rows and steps.

use domain::page::Order;
use store::data_tables::Search;

use super::*;

#[tokio::test]
async fn a_table_has_at_most_ten_thousand_rows() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let added: Vec<_> = (0..10_000).map(|n| new_row(&format!("{n:05}"), json!({"n": n}))).collect();
    for (step, rows) in added.chunks(1_000).enumerate() {
        tables.add(&place, rows, &change(&step.to_string())).await.unwrap();
    }
    let refused = tables.add(&place, &[new_row("more", json!({}))], &change("more")).await.unwrap_err();
    assert_eq!(refused.code(), "table_full");
    let repeated = tables.add(&place, &added[9_000..], &change("9")).await.unwrap();
    assert_eq!(repeated.len(), 1_000, "the step that filled the table finds its rows");
    let refused = tables.delete(&place, &RowFilter::default(), &change("none")).await.unwrap_err();
    assert_eq!(refused.code(), "too_many_rows");
    assert_eq!(tables.count(&place, &equals("n", json!(9_999))).await.unwrap(), 1);
    assert_eq!(tables.get(&place).await.unwrap().rows, 10_000);
}

/// A step returns the rows that it writes. So it writes none if they are larger than the value of a run.
#[tokio::test]
async fn a_step_writes_no_more_than_it_can_return() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    let rows = |bytes: usize| -> Vec<_> {
        (0..60).map(|n| new_row(&format!("{n:02}"), json!({"n": n, "text": "x".repeat(bytes)}))).collect()
    };
    let refused = tables.add(&place, &rows(20_000), &change("large")).await.unwrap_err();
    assert_eq!(refused.code(), "rows_too_large");
    assert_eq!(tables.list(place.account, place.workflow).await.unwrap(), []);

    // A new row of an upsert has the values of the filters, too, so its size is known only here.
    let row = new_row("a", json!({"text": "x".repeat(33_000)}));
    assert_eq!(tables.add(&place, &[row], &change("row")).await.unwrap_err().code(), "row_too_large");

    tables.add(&place, &rows(10_000), &change("small")).await.unwrap();
    let larger = object(json!({"more": "x".repeat(10_000)}));
    let all = RowFilter::default();
    assert_eq!(tables.update(&place, &all, &larger, &change("grow")).await.unwrap_err().code(), "rows_too_large");
    let too_large = object(json!({"more": "x".repeat(30_000)}));
    let one = equals("n", json!(7));
    assert_eq!(tables.update(&place, &one, &too_large, &change("one")).await.unwrap_err().code(), "row_too_large");
    let unchanged = |row: &Row| !row.values.contains_key("more");
    assert!(tables.page(&place, 60, None).await.unwrap().items.iter().all(unchanged));

    for n in 0..60 {
        tables.update(&place, &equals("n", json!(n)), &larger, &change(&format!("grow-{n}"))).await.unwrap();
    }
    assert_eq!(tables.delete(&place, &all, &change("delete")).await.unwrap_err().code(), "rows_too_large");
    for order_by in [None, Some(("n".to_owned(), Order::Desc))] {
        let search = |limit| Search { filter: all.clone(), order_by: order_by.clone(), limit };
        assert_eq!(tables.find(&place, &search(60)).await.unwrap_err().code(), "rows_too_large");
        assert_eq!(tables.find(&place, &search(10)).await.unwrap().len(), 10);
    }
    assert_eq!(tables.get(&place).await.unwrap().rows, 60);
}

#[tokio::test]
async fn two_rows_of_a_list_have_different_ids() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (tables, place) = place(&app, &ada).await;
    // The second is in another transaction than the first.
    let rows: Vec<_> = (0..120).map(|n| new_row(&(n % 100).to_string(), json!({"n": n}))).collect();
    let refused = tables.add(&place, &rows, &change("one")).await.unwrap_err();
    assert_eq!(refused.code(), "row_invalid");
    assert_eq!(tables.list(place.account, place.workflow).await.unwrap(), []);
}

#[tokio::test]
async fn a_workflow_has_at_most_fifty_tables() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let path = |n: u32| format!("{}/t-{n}/rows", tables_path(&flow));
    for n in 0..50 {
        assert_eq!(ada.post_json(&path(n), json!({})).await.status, "201 Created");
    }
    assert_eq!(ada.post_json(&path(50), json!({})).await.code(), "too_many_tables");
    assert_eq!(ada.delete(&format!("{}/t-7", tables_path(&flow))).await.status, "204 No Content");
    assert_eq!(ada.post_json(&path(50), json!({})).await.status, "201 Created");
    assert_eq!(read(&ada, &tables_path(&flow)).await.as_array().unwrap().len(), 50);
}
