//! Live events: `…/runs/{run_id}/events?follow=true`.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use futures::FutureExt;
use futures::future::join_all;
use platform::config;
use reqwest::{Method, RequestBuilder, Response};
use tests::scale::full_or;
use tower::ServiceExt;

use super::*;

/// A message of the stream: its id if that is a number, its name, and its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub id: Option<u64>,
    pub name: Option<String>,
    pub data: Value,
}

/// A client that reads a stream.
pub struct Stream {
    response: Response,
    text: String,
}

impl Stream {
    async fn open(person: &Person, path: &str, last_event: Option<u64>) -> Self {
        Self::open_at(person, &format!("{path}/events?follow=true"), last_event).await
    }

    /// Opens the stream at a path with a query.
    pub async fn open_at(person: &Person, path: &str, last_event: Option<u64>) -> Self {
        let mut request = person.request(Method::GET, path);
        if let Some(last) = last_event {
            request = request.header("Last-Event-ID", last);
        }
        Self::of(request).await
    }

    /// Opens the stream that answers a request.
    pub async fn of(request: RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new() }
    }

    /// The next message. None if the stream has ended.
    pub async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let message = read_message(event);
                self.text = rest.to_owned();
                match message {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            let chunk = self.response.chunk().await.unwrap()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// The events until the end of the run.
    async fn read_to_end(mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Some(message) = self.next().await {
            if message.name.as_deref() == Some("end") {
                assert_eq!(self.next().await, None, "nothing follows the end");
                return events;
            }
            assert_eq!((message.id, &message.name), (message.data["number"].as_u64(), &None));
            events.push(message.data);
        }
        panic!("the stream ended before the run: {events:?}");
    }
}

/// None for a comment, or for what only sets the time to wait.
fn read_message(event: &str) -> Option<Message> {
    let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let data = serde_json::from_str(field("data:")?).unwrap();
    Some(Message { id: field("id:").and_then(|id| id.parse().ok()), name: field("event:").map(str::to_owned), data })
}

fn numbers(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["number"].as_u64().unwrap()).collect()
}

async fn approve(app: &TestApp, person: &Person, path: &str) {
    let approved = person.post_json(&format!("{path}/resolve-wait"), json!({"decision": "approve"})).await;
    assert_eq!(approved.status, "200 OK", "{}", approved.text);
    app.platform.drain().await;
}

#[tokio::test]
async fn a_follower_sees_each_event_and_the_end() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    let mut stream = Stream::open(&ada, &path, None).await;
    assert_eq!(stream.next().await.unwrap().data["type"], "run_queued");
    app.platform.drain().await;
    let asked = [stream.next().await.unwrap(), stream.next().await.unwrap()];
    assert_eq!((asked[1].id, &asked[1].data["type"]), (Some(3), &json!("step_asked")));
    approve(&app, &ada, &path).await;
    let rest = stream.read_to_end().await;
    assert_eq!(numbers(&rest), [4, 5, 6]);
    let listed = ada.get(&format!("{path}/events?limit=100")).await;
    assert_eq!(listed.json["data"].as_array().unwrap()[3..], rest, "a page shows the same events");

    for last in 0..6 {
        let events = Stream::open(&ada, &path, Some(last)).await.read_to_end().await;
        assert_eq!(numbers(&events), (last + 1..=6).collect::<Vec<_>>());
    }
    let request = ada.request(Method::GET, &format!("{path}/events?follow=true")).header("Last-Event-ID", "6");
    let nothing_left = tests::client::send(request).await;
    assert_eq!(nothing_left.status, "204 No Content", "a browser does not come back");
}

/// Followers wait for the announcement, and read nothing until then.
#[tokio::test]
async fn stored_events_are_announced_to_those_who_watch_their_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    let id = run_id(&path);
    let news = app.platform.context().run_news.unwrap();
    let (mut run, mut another) = (news.watch(id), news.watch(RunId::new()));
    app.platform.drain().await;
    assert_eq!((run.changed().now_or_never(), run.ended().now_or_never()), (Some(()), None));
    approve(&app, &ada, &path).await;
    assert_eq!((run.changed().now_or_never(), run.ended().now_or_never()), (Some(()), Some(())));
    assert_eq!(another.changed().now_or_never(), None);
}

#[tokio::test]
async fn many_followers_see_every_event_once_and_in_order() {
    let followers = full_or(200, 40);
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    let streams = join_all((0..followers).map(|_| Stream::open(&ada, &path, None))).await;
    app.platform.drain().await;
    approve(&app, &ada, &path).await;
    for events in join_all(streams.into_iter().map(Stream::read_to_end)).await {
        assert_eq!(numbers(&events), [1, 2, 3, 4, 5, 6]);
    }

    let paths = join_all((0..followers).map(|amount| start_run(&ada, &flow, json!({"amount": amount})))).await;
    let streams = join_all(paths.iter().map(|path| Stream::open(&ada, path, None))).await;
    app.platform.drain().await;
    join_all(paths.iter().map(|path| approve(&app, &ada, path))).await;
    for (amount, events) in join_all(streams.into_iter().map(Stream::read_to_end)).await.into_iter().enumerate() {
        assert_eq!(numbers(&events), [1, 2, 3, 4, 5, 6]);
        assert_eq!(events[0]["value"], json!({"amount": amount}));
    }
}

/// The stream of a run, by a function whose streams last this number of seconds, and its AWS calls.
async fn follow_for(app: &TestApp, person: &Person, path: &str, seconds: u64) -> (String, u32) {
    let mut context = app.platform.context_of("run-events");
    context.config = context.config.with(config::STREAM_SECONDS, &seconds.to_string());
    let request = Request::get(format!("{path}/events?follow=true"));
    let request = request.header("Authorization", format!("Bearer {}", person.token.as_ref().unwrap()));
    app.recorder.take();
    let router = run_events::router(&context).unwrap();
    let response = router.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (String::from_utf8(body.to_vec()).unwrap(), app.recorder.take_costs().calls())
}

#[tokio::test]
async fn a_stream_ends_with_its_time_and_an_idle_one_reads_little() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    app.platform.drain().await;
    let (text, opening) = follow_for(&app, &ada, &path, 0).await;
    let events: Vec<_> = text.split("\n\n").filter_map(read_message).collect();
    assert_eq!(events.iter().map(|event| event.id).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)], "{text}");
    assert!(text.starts_with("retry:500\n") || text.starts_with("retry: 500\n"), "{text}");
    // At most after 100, 300, 700, 1,500, 2,300, 3,100 and 3,900 ms. On a busy machine, there are fewer reads.
    let (_, calls) = follow_for(&app, &ada, &path, 4).await;
    assert!((opening + 1..=opening + 7).contains(&calls), "{calls} calls, {opening} of them to open the stream");
}

#[tokio::test]
async fn a_stream_is_refused_before_it_begins() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.person("ada"), app.person("eve"));
    let flow = publish(&ada, double()).await;
    let path = start_run(&ada, &flow, json!({"n": 1})).await;
    let follow = |person: &Person, last: &str| {
        let request = person.request(Method::GET, &format!("{path}/events?follow=true"));
        tests::client::send(request.header("Last-Event-ID", last))
    };
    assert_eq!(refusal(&follow(&eve, "1").await).0, "404");
    assert_eq!(refusal(&follow(&ada, "latest").await), ("400", "invalid_query"));
    assert_eq!(refusal(&ada.get(&format!("{path}/events?follow=always")).await), ("400", "invalid_query"));
}
