//! Deliveries of providers: signatures, repetitions, order, and who may receive.

use tests::messaging::deliveries::{slack_challenge, whatsapp_subscription};

use super::stage::*;
use super::*;

#[tokio::test]
async fn a_delivery_with_a_wrong_signature_is_refused() {
    for provider in PROVIDERS {
        let stage = Stage::start(provider, echo()).await;
        let (mut headers, body) = stage.delivery(1, 1, "Hello");
        let names =
            ["x-slack-signature", "x-telegram-bot-api-secret-token", "x-hub-signature-256", "webhook-signature"];
        for name in names {
            if let Some(signature) = headers.get_mut(name) {
                let wrong = signature.to_str().unwrap().replace(['a', '1', 'A'], "b") + "b";
                *signature = wrong.parse().unwrap();
            }
        }
        let refused = stage.send((headers, body.clone())).await;
        assert_eq!(refusal(&refused), ("401", "unauthorized"), "{provider:?}");
        let unsigned = stage.send((Default::default(), body)).await;
        assert_eq!(refusal(&unsigned), ("401", "unauthorized"), "{provider:?}");
        assert_eq!(stage.app.platform.drain().await, 0);
        assert_eq!(stage.read("/threads").await, json!([]));
    }
}

#[tokio::test]
async fn a_repeated_delivery_starts_no_second_run() {
    for provider in PROVIDERS {
        let stage = Stage::start(provider, echo()).await;
        let delivery = stage.delivery(1, 1, "Hello");
        let all = (0..8).map(|_| stage.send(delivery.clone()));
        for answer in futures::future::join_all(all).await {
            assert_eq!(answer.status, "200 OK", "{}", answer.text);
        }
        stage.app.platform.drain().await;
        assert_eq!(stage.send(delivery).await.status, "200 OK");
        stage.app.platform.drain().await;
        assert_eq!(stage.sent(), ["You said: Hello"], "{provider:?}");
        assert_eq!(stage.messages(&stage.thread().await).await.len(), 2);
    }
}

#[tokio::test]
async fn messages_that_arrive_in_another_order_are_answered_in_that_of_the_provider() {
    for provider in PROVIDERS {
        let stage = Stage::start(provider, echo()).await;
        for number in [2, 4, 1, 3] {
            stage.deliver(1, number, &format!("Message {number}")).await;
        }
        stage.app.platform.drain().await;
        let expected: Vec<String> = (1..=4).map(|number| format!("You said: Message {number}")).collect();
        assert_eq!(stage.sent(), expected, "{provider:?}");
    }
}

#[tokio::test]
async fn slack_and_whatsapp_verify_the_url() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    let answer = stage.send(slack_challenge(&stage.credential, domain::time::Time::now(), "c-17")).await;
    assert_eq!((&*answer.status, &*answer.text), ("200 OK", "c-17"));

    let stage = Stage::start(MessagingProvider::Whatsapp, echo()).await;
    let query = whatsapp_subscription(&stage.credential, "c-18");
    let anonymous = stage.app.anonymous();
    let answer = anonymous.get(&format!("{}?{query}", stage.inbox())).await;
    assert_eq!((&*answer.status, &*answer.text), ("200 OK", "c-18"));
    let wrong = anonymous.get(&format!("{}?{query}x", stage.inbox())).await;
    assert_eq!(refusal(&wrong), ("401", "unauthorized"));
}

#[tokio::test]
async fn an_inbox_exists_as_long_as_its_credential_and_workflow() {
    let stage = Stage::start(MessagingProvider::Telegram, echo()).await;
    let missing = stage.app.anonymous().post_json(&format!("/hooks/v1/messages/{NOWHERE}"), json!({})).await;
    assert_eq!(refusal(&missing), ("404", "credential_not_found"));
    assert_eq!(stage.ada.post(&format!("{}/archive", stage.workflow)).await.status, "200 OK");
    let archived = stage.send(stage.delivery(1, 1, "Hello")).await;
    assert_eq!(
        (refusal(&archived), &archived.json["error"]["message"]),
        (refusal(&missing), &missing.json["error"]["message"])
    );
    let credential = format!("{}/webhook-credentials/outbound/{}", stage.workflow, stage.credential_id);
    assert_eq!(stage.ada.delete(&credential).await.status, "204 No Content");
    assert_eq!(refusal(&stage.send(stage.delivery(1, 1, "Hello")).await), ("404", "credential_not_found"));
}

#[tokio::test]
async fn messages_to_a_paused_workflow_are_answered_after_it_resumes() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    assert_eq!(stage.ada.post(&format!("{}/pause", stage.workflow)).await.status, "200 OK");
    stage.say(1, "Hello").await;
    assert_eq!(stage.sent(), Vec::<String>::new());
    assert_eq!(stage.ada.post(&format!("{}/resume", stage.workflow)).await.status, "200 OK");
    let later = domain::time::Time::now().plus(crate::runs::minutes(2));
    stage.app.platform.tick(later).await.unwrap();
    stage.app.platform.drain().await;
    assert_eq!(stage.sent(), ["You said: Hello"]);
}

/// A long text is stored as an object before it is known that the message was delivered before.
#[tokio::test]
async fn a_repeated_long_message_leaves_no_object() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    let delivery = stage.delivery(1, 1, &"ñ".repeat(10_000));
    assert_eq!(stage.send(delivery.clone()).await.status, "200 OK");
    let objects = stage.app.objects("threads");
    assert_eq!(stage.send(delivery).await.status, "200 OK");
    assert_eq!((objects, stage.app.objects("threads")), (1, 1));
}

/// A provider repeats a refused message only a few times, so no message is refused.
#[tokio::test]
async fn messages_are_stored_while_too_many_wait() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    assert_eq!(stage.ada.post(&format!("{}/pause", stage.workflow)).await.status, "200 OK");
    let most = u32::try_from(domain::thread::MAX_WAITING).unwrap();
    for number in 1..=most + 2 {
        stage.deliver(1, number, format!("Message {number}")).await;
    }
    assert_eq!(stage.messages(&stage.thread().await).await.len(), domain::thread::MAX_WAITING + 2);
}

/// The hint of a message is lost: the ticker sends it again.
#[tokio::test]
async fn a_lost_hint_is_sent_again() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    stage.deliver(1, 1, "Hello").await;
    crate::runs::recovery::lose_hint(&stage.app).await;
    stage.app.platform.drain().await;
    assert_eq!(stage.sent(), Vec::<String>::new());
    let later = domain::time::Time::now().plus(crate::runs::minutes(2));
    stage.app.platform.tick(later).await.unwrap();
    stage.app.platform.drain().await;
    assert_eq!(stage.sent(), ["You said: Hello"]);
}

/// Threads that wait for a paused workflow are due again and again. They have shards of their own.
#[tokio::test]
async fn threads_of_a_paused_workflow_do_not_delay_others() {
    const PEOPLE: u32 = 40;
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    assert_eq!(stage.ada.post(&format!("{}/pause", stage.workflow)).await.status, "200 OK");
    for person in 2..=PEOPLE {
        stage.deliver(person, 1, "Hello").await;
    }
    stage.app.platform.drain().await;
    assert_eq!(stage.ada.post(&format!("{}/resume", stage.workflow)).await.status, "200 OK");
    stage.deliver(1, 1, "It is urgent").await;
    crate::runs::recovery::lose_hint(&stage.app).await;
    let threads = store::Threads::new(&stage.app.platform.context()).unwrap();
    let later = domain::time::Time::now().plus(crate::runs::minutes(2));
    threads.send_due(later, 1).await.unwrap();
    stage.app.platform.drain().await;
    assert_eq!(stage.sent(), ["You said: It is urgent"], "the only hint that its shard may send is its own");
    threads.send_due(later, PEOPLE).await.unwrap();
    stage.app.platform.drain().await;
    for person in 2..=PEOPLE {
        assert_eq!(stage.fake.texts(&stage.conversation(person)), ["You said: Hello"]);
    }
}

/// A read of the table ends after 1 MB, so a page of long messages is short. Its cursor leads to the others.
#[tokio::test]
async fn a_list_of_long_messages_is_complete() {
    const MESSAGES: u32 = 80;
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    for number in 1..=MESSAGES {
        stage.deliver(1, number, format!("{number} {}", "x".repeat(15_900))).await;
    }
    let thread = stage.thread().await;
    let number = |message: &Value| message["content"].as_str().unwrap().split(' ').next().unwrap().parse().unwrap();
    for (order, expected) in [("asc", (1..=MESSAGES).collect::<Vec<u32>>()), ("desc", (1..=MESSAGES).rev().collect())] {
        let listed = list(&stage.ada, &format!("{thread}/messages?order={order}&limit=100")).await;
        assert_eq!(listed.iter().map(number).collect::<Vec<u32>>(), expected);
    }
}
