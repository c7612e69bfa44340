//! The list of records: filters, pages and cost.

use std::cell::Cell;
use std::time::Duration;

use super::*;
use domain::id::RunId;
use domain::time::Time;

/// The ids of all records that a query selects.
async fn ids(person: &Person, workflow: &str, query: &str) -> Vec<String> {
    let records = list(person, &format!("{}?{query}", records_path(workflow))).await;
    records.iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn filters_can_be_combined() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let [eve, tom] = [ParticipantId::new(), ParticipantId::new()];
    // The runs are a millisecond apart, because filters by time compare milliseconds.
    let next = Cell::new(Time::now());
    let store = async |origin, thread, has_failed| {
        let at = next.replace(next.get().plus(Duration::from_millis(1)));
        let new = NewRun { id: RunId::from(at.first_uuid()), ..new_run(&app, &flow, origin, thread) };
        store_ended(&app, new, has_failed).await
    };
    let manual = store(RunOrigin::Manual, None, false).await;
    let scheduled = store(RunOrigin::Scheduled, None, true).await;
    let webhook = store(RunOrigin::Webhook, None, false).await;
    let slack = store(RunOrigin::Channel, Some(thread(MessagingProvider::Slack, eve)), false).await;
    let telegram = store(RunOrigin::Channel, Some(thread(MessagingProvider::Telegram, tom)), true).await;
    // A run of a conversation that a person has started.
    let repeated = store(RunOrigin::Manual, Some(thread(MessagingProvider::Slack, eve)), true).await;
    let other = publish(&ada, double()).await;
    let elsewhere = new_run(&app, &other, RunOrigin::Channel, Some(thread(MessagingProvider::Slack, eve)));
    store_ended(&app, elsewhere, false).await;
    let time = |id: &str| Time::from_uuid(id.parse().unwrap()).to_string();
    for (query, expected) in [
        (String::new(), vec![&repeated, &telegram, &slack, &webhook, &scheduled, &manual]),
        (format!("participant={eve}"), vec![&repeated, &slack]),
        (format!("participant={}", ParticipantId::new()), vec![]),
        (format!("participant={eve}&state=failed"), vec![&repeated]),
        (format!("participant={eve}&channel=slack&origin=channel"), vec![&slack]),
        (format!("participant={tom}&channel=slack"), vec![]),
        ("channel=slack".to_owned(), vec![&repeated, &slack]),
        ("channel=slack&origin=manual".to_owned(), vec![&repeated]),
        ("channel=slack,telegram&state=failed".to_owned(), vec![&repeated, &telegram]),
        ("channel=internal".to_owned(), vec![&scheduled, &manual]),
        ("channel=internal&state=failed".to_owned(), vec![&scheduled]),
        ("channel=internal&origin=manual".to_owned(), vec![&manual]),
        ("channel=webhook".to_owned(), vec![&webhook]),
        ("channel=webhook&origin=manual".to_owned(), vec![]),
        ("channel=http,whatsapp".to_owned(), vec![]),
        // The repeated run is in two of the lists.
        ("channel=slack,internal".to_owned(), vec![&repeated, &slack, &scheduled, &manual]),
        ("channel=slack,webhook&state=completed".to_owned(), vec![&slack, &webhook]),
        ("state=completed".to_owned(), vec![&slack, &webhook, &manual]),
        ("origin=channel".to_owned(), vec![&telegram, &slack]),
        (format!("from={}", time(&telegram)), vec![&repeated, &telegram]),
        (format!("to={}&channel=slack", time(&repeated)), vec![&slack]),
        (format!("from={}&to={}&participant={eve}", time(&slack), time(&telegram)), vec![&slack]),
    ] {
        let expected: Vec<String> = expected.into_iter().cloned().collect();
        assert_eq!(ids(&ada, &flow, &query).await, expected, "{query}");
        assert_eq!(ids(&ada, &flow, &format!("{query}&limit=1")).await, expected, "{query}, one by one");
    }
}

#[tokio::test]
async fn pages_do_not_shift_while_runs_are_added() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let eve = ParticipantId::new();
    let store = async || {
        let thread = Some(thread(MessagingProvider::Whatsapp, eve));
        store_ended(&app, new_run(&app, &flow, RunOrigin::Channel, thread), false).await
    };
    let mut expected = Vec::new();
    for _ in 0..9 {
        expected.insert(0, store().await);
    }
    let all = "channel=internal,whatsapp".to_owned();
    for query in ["channel=whatsapp".to_owned(), format!("participant={eve}"), all, String::new()] {
        let path = format!("{}?limit=4&{query}", records_path(&flow));
        let (mut shown, mut cursor, mut added) = (Vec::new(), String::new(), Vec::new());
        loop {
            let page = ada.get(&format!("{path}{cursor}")).await;
            shown.extend(page.column("id").into_iter().map(str::to_owned));
            let Some(next) = page.json["meta"]["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
            added.insert(0, store().await);
        }
        assert_eq!(shown, expected, "{query}");
        expected.splice(0..0, added);
    }
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let record = record_path(&start_run(&ada, &flow, json!({"n": 1})).await);
    let list = records_path(&flow);
    let foreign = "cursor=c29tZXRoaW5n";
    for (path, query) in [
        (&list, "participant=eve"),
        (&list, "channel=email"),
        (&list, "state=done"),
        (&list, "origin=cron"),
        (&list, "from=yesterday"),
        (&list, "to=5"),
        (&list, "limit=101"),
        (&list, foreign),
        (&list, "status=failed"),
        (&format!("{record}/exchanges"), "limit=0"),
        (&format!("{record}/exchanges"), foreign),
        (&format!("{record}/exchanges"), "step=lines"),
        (&record, "limit=1"),
        (&format!("{list}/filters"), "channel=slack"),
    ] {
        let refused = ada.get(&format!("{path}?{query}")).await;
        assert_eq!(refusal(&refused), ("400", "invalid_query"), "{query}: {}", refused.text);
        let name = query.split_once('=').unwrap().0;
        assert!(message(&refused).contains(name), "{query}: {}", refused.text);
    }
}

/// A filter reads an index, never the runs that it drops.
#[tokio::test]
async fn a_page_costs_the_same_for_few_runs_and_for_many() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, double()).await;
    let eve = ParticipantId::new();
    let store = async |count: usize| {
        for n in 0..count {
            let thread = match n % 50 {
                1 => Some(thread(MessagingProvider::Slack, eve)),
                2 => Some(thread(MessagingProvider::Telegram, ParticipantId::new())),
                _ => None,
            };
            let origin = if thread.is_some() { RunOrigin::Channel } else { RunOrigin::Manual };
            store_ended(&app, new_run(&app, &flow, origin, thread), false).await;
        }
    };
    let participant = format!("participant={eve}");
    let queries = [&participant, "channel=slack", "channel=telegram,slack", "channel=internal", "channel=webhook"];
    let costs = async || {
        let mut costs = Vec::new();
        for query in queries {
            let path = format!("{}?limit=4&{query}", records_path(&flow));
            costs.push(app.costs(app.person("ada").get(&path)).await.to_string());
        }
        costs
    };
    store(250).await;
    let few = costs().await;
    store(1_000).await;
    assert_eq!(costs().await, few);
}
