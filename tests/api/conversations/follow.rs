//! Live messages: `…/threads/{thread_id}/messages?follow=true`.

use futures::future::join_all;
use reqwest::Method;

use super::stage::*;
use super::*;
use crate::runs::follow::Stream;

/// The next messages of a stream, as their ids, roles and texts.
async fn next(stream: &mut Stream, count: usize) -> Vec<(u64, String, String)> {
    let mut messages = Vec::new();
    for _ in 0..count {
        let event = stream.next().await.unwrap();
        let text = |name: &str| event.data[name].as_str().unwrap().to_owned();
        assert_eq!(event.data["number"].as_u64(), event.id);
        messages.push((event.id.unwrap(), text("role"), text("content")));
    }
    messages
}

fn expected(messages: &[(u64, &str, &str)]) -> Vec<(u64, String, String)> {
    messages.iter().map(|(number, role, text)| (*number, (*role).to_owned(), (*text).to_owned())).collect()
}

#[tokio::test]
async fn a_follower_sees_new_messages_and_resumes_after_the_last_one() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    stage.say(1, "Hello").await;
    let path = format!("{}/messages?follow=true", stage.thread().await);
    let mut stream = Stream::open_at(&stage.ada, &path, None).await;
    stage.say(2, "Again").await;
    let new = expected(&[(3, "user", "Again"), (4, "assistant", "You said: Again")]);
    assert_eq!(next(&mut stream, 2).await, new);
    let mut resumed = Stream::open_at(&stage.ada, &path, Some(1)).await;
    let missed = [expected(&[(2, "assistant", "You said: Hello")]), new].concat();
    assert_eq!(next(&mut resumed, 3).await, missed);
    // A number that is not there yet hides no message.
    let mut ahead = Stream::open_at(&stage.ada, &path, Some(u64::MAX)).await;
    stage.say(3, "Third").await;
    assert_eq!(next(&mut ahead, 1).await, expected(&[(5, "user", "Third")]));

    let eve = stage.app.person("eve");
    assert_eq!(refusal(&eve.get(&path).await).0, "404");
    assert_eq!(refusal(&stage.app.anonymous().get(&path).await), ("401", "unauthorized"));
    let bad = stage.ada.request(Method::GET, &path).header("Last-Event-ID", "newest");
    assert_eq!(refusal(&tests::client::send(bad).await), ("400", "invalid_query"));
}

#[tokio::test]
async fn followers_see_each_of_many_messages_once_and_in_order() {
    const MESSAGES: u32 = 120;
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    stage.say(1, "Hello").await;
    let path = format!("{}/messages?follow=true", stage.thread().await);
    let streams = join_all((0..5).map(|_| Stream::open_at(&stage.ada, &path, Some(0)))).await;
    let arrive = join_all((2..=MESSAGES).map(|number| stage.deliver(1, number, format!("{number}"))));
    // Each message that arrives is one, and the reply to the first one is another.
    let count = MESSAGES as usize + 1;
    let follow = join_all(streams.into_iter().map(async |mut stream| next(&mut stream, count).await));
    let (_, seen) = futures::join!(arrive, follow);
    for messages in seen {
        assert_eq!(
            messages.iter().map(|(number, ..)| *number).collect::<Vec<_>>(),
            (1..=count as u64).collect::<Vec<_>>()
        );
    }
}
