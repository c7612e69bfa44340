//! Participants are exported and erased, and secrets appear nowhere.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use store::Threads;
use store::threads::ThreadFilter;
use tests::messaging::deliveries::{signed_request, slack_event};
use tests::messaging::{SECRET, SLACK_TOKEN, TELEGRAM_TOKEN, WHATSAPP_TOKEN};

use super::load::Workers;
use super::memory::stage_with;
use super::stage::*;
use super::*;
use crate::runs::masks::stored;

const WORD: &str = "pumpernickel";
/// A number that appears nowhere else.
const PERSON: u32 = 7_719_203;

async fn participant(stage: &Stage, place: usize) -> String {
    let participants = list(&stage.ada, &format!("{}/records/participants", stage.workflow)).await;
    format!("{}/records/participants/{}", stage.workflow, participants[place]["id"].as_str().unwrap())
}

#[tokio::test]
async fn an_erased_participant_is_nowhere() {
    for provider in PROVIDERS {
        let stage = Stage::start(provider, echo()).await;
        stage.deliver(PERSON, 1, WORD).await;
        stage.deliver(PERSON, 2, &format!("{WORD} {}", "x".repeat(15_900))).await;
        stage.app.platform.drain().await;
        let path = participant(&stage, 0).await;
        let export = stage.ada.get(&path).await;
        let records = list(&stage.ada, &format!("{}/records", stage.workflow)).await;
        let run = format!("{}/runs/{}", stage.workflow, records.last().unwrap()["runId"].as_str().unwrap());
        let replies = || stage.fake.texts(&stage.conversation(PERSON)).len();
        let before = replies();
        let repeated = stage.ada.post_json(&format!("{run}/retry"), json!({"fromNode": "reply"})).await;
        assert_eq!(repeated.status, "202 Accepted", "{}", repeated.text);
        stage.app.platform.drain().await;
        assert_eq!(replies(), before + 1, "the repeated run replies, too");
        let exported = &export.json["data"]["conversations"][0]["messages"];
        assert_eq!(exported.as_array().map(Vec::len), Some(4), "{}", export.text);
        let stored_before = stored(&stage.app).await;
        assert!(stored_before.contains(WORD) && stored_before.contains(&stage.conversation(PERSON)));
        let counted = stage.read("/analytics/summary").await;

        assert_eq!(stage.ada.delete(&path).await.status, "204 No Content");
        assert_eq!(refusal(&stage.ada.get(&path).await), ("404", "participant_not_found"), "hidden at once");
        assert_eq!(refusal(&stage.ada.delete(&path).await), ("404", "participant_not_found"));
        stage.app.platform.drain().await;
        let after = stored(&stage.app).await;
        for trace in [WORD, "Grace", &stage.conversation(PERSON)] {
            let place = after.find(trace);
            assert!(
                place.is_none(),
                "{provider:?} {trace}: {}",
                place.map_or("", |at| &after[at.saturating_sub(300)..at])
            );
        }
        assert_eq!(stage.read("/threads").await, json!([]));
        assert_eq!(stage.read("/records/participants").await, json!([]));
        assert_eq!(stage.read("/analytics/summary").await, counted, "counts stay");
    }
}

/// A message to a conversation of several people.
async fn say_in_group(stage: &Stage, number: u32, user: &str, text: &str) {
    let event = json!({
        "type": "message", "channel": "C1", "channel_type": "channel", "user": user, "text": text,
        "thread_ts": "1700000000.000001", "ts": format!("1700000000.{number:06}"),
    });
    let delivery = slack_event(&stage.credential, domain::time::Time::now(), event);
    assert_eq!(stage.send(delivery).await.status, "200 OK");
    stage.app.platform.drain().await;
}

/// The path of the participant who began the only thread.
async fn first_participant(stage: &Stage) -> String {
    let thread = stage.ada.get(&stage.thread().await).await.json["data"].clone();
    format!("{}/records/participants/{}", stage.workflow, thread["participant"]["id"].as_str().unwrap())
}

/// A conversation of two people: only the messages of one are erased, and the answers to them.
#[tokio::test]
async fn others_in_the_conversation_keep_their_messages() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    say_in_group(&stage, 1, "U1", WORD).await;
    say_in_group(&stage, 2, "U2", "Hello").await;
    let thread = stage.thread().await;
    assert_eq!(stage.ada.get(&thread).await.json["data"]["participants"].as_array().unwrap().len(), 2);
    assert_eq!(stage.ada.delete(&first_participant(&stage).await).await.status, "204 No Content");
    stage.app.platform.drain().await;
    assert!(!stored(&stage.app).await.contains(WORD));
    let texts: Vec<String> = stage.messages(&thread).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["", "", "Hello", "You said: Hello"]);
}

/// The memory of agents and models is recorded in their runs. So the runs of others that were given the messages of an
/// erased participant are erased, too.
#[tokio::test]
async fn others_runs_that_remember_a_participant_are_erased() {
    let prompt = json!({"model": "echo", "prompt": "hi"});
    let (stage, _model) = stage_with(node("think", "model", prompt)).await;
    let agent = stage.ada.post("/builder/v1/agents").await;
    let path = format!("/builder/v1/agents/{}", agent.id());
    assert_eq!(stage.ada.patch(&path, json!({"config": {"model": "echo"}})).await.status, "200 OK");
    let think = node("think", "agent", json!({"agentId": agent.id(), "message": "{{ input.text }}"}));
    let reply = node("reply", "send_message", json!({"text": "{{ nodes.think.output }}"}));
    let draft = graph(&[node("ask", "message", json!({})), think, reply], &["ask.out think", "think.out reply"]);
    assert_eq!(stage.ada.patch(&stage.workflow, json!({"graph": draft})).await.status, "200 OK");
    assert_eq!(stage.ada.post(&format!("{}/publish", stage.workflow)).await.status, "201 Created");

    for (number, sender, text) in [(1, "grace", "Good morning"), (2, "eve", WORD), (3, "grace", "Good evening")] {
        let body = json!({
            "conversation": "room", "participant": {"id": sender, "name": sender}, "text": text, "position": number,
        });
        let now = domain::time::Time::now();
        let delivery = signed_request(&stage.credential, &number.to_string(), now, &body);
        assert_eq!(stage.send(delivery).await.status, "200 OK");
        stage.app.platform.drain().await;
    }
    let participants = list(&stage.ada, &format!("{}/records/participants", stage.workflow)).await;
    let id = |name: &str| participants.iter().find(|known| known["name"] == name).unwrap()["id"].as_str().unwrap();
    let runs = list(&stage.ada, &format!("{}/records?participant={}", stage.workflow, id("grace"))).await;
    let runs: Vec<String> =
        runs.iter().map(|run| format!("{}/runs/{}", stage.workflow, run["runId"].as_str().unwrap())).collect();
    let [evening, morning] = &runs[..] else { panic!("two runs: {runs:?}") };
    // A repeated run that sends no message remembers, too.
    let repeated = stage.ada.post_json(&format!("{evening}/retry"), json!({"fromNode": "reply"})).await;
    assert_eq!(repeated.status, "202 Accepted", "{}", repeated.text);
    stage.app.platform.drain().await;
    assert!(stage.ada.get(&format!("{evening}/trace")).await.text.contains(WORD));
    let counted = stage.read("/analytics/summary").await;

    let erased = format!("{}/records/participants/{}", stage.workflow, id("eve"));
    assert_eq!(stage.ada.delete(&erased).await.status, "204 No Content");
    stage.app.platform.drain().await;
    assert!(!stored(&stage.app).await.contains(WORD));
    assert_eq!(refusal(&stage.ada.get(&format!("{evening}/trace")).await).0, "409");
    assert_eq!(stage.ada.get(&format!("{morning}/trace")).await.status, "200 OK", "it knew nothing of them");
    let texts: Vec<String> = stage.messages(&stage.thread().await).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts[..6], ["Good morning", "Sure.", "", "", "Good evening", "Sure."]);
    assert_eq!(stage.read("/analytics/summary").await, counted, "counts stay");
}

/// The worker crashes in the middle of an erasure: the ticker continues it.
#[tokio::test]
async fn an_interrupted_erasure_is_continued() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    stage.say(1, WORD).await;
    let path = participant(&stage, 0).await;
    assert_eq!(stage.ada.delete(&path).await.status, "204 No Content");
    crate::runs::recovery::lose_hint(&stage.app).await;
    assert!(stored(&stage.app).await.contains(WORD));
    let later = domain::time::Time::now().plus(crate::runs::minutes(2));
    stage.app.platform.tick(later).await.unwrap();
    stage.app.platform.drain().await;
    assert!(!stored(&stage.app).await.contains(WORD));
}

/// Erases a participant by workers that are killed, each one at a later step. The next one continues from what is left.
async fn erase_with_crashes(stage: &Stage, path: &str) {
    const MAX_STEPS: usize = 600;
    assert_eq!(stage.ada.delete(path).await.status, "204 No Content");
    crate::runs::recovery::lose_hint(&stage.app).await;
    let (workflow, person) = (stage.workflow.rsplit('/').next().unwrap(), path.rsplit('/').next().unwrap());
    let hint = json!({"workflow_id": workflow, "participant_id": person}).to_string();
    let workers = Workers::new(&stage.app);
    let mut killed = 0;
    for steps in 0..MAX_STEPS {
        if workers.handle(hint.clone(), steps).await {
            break;
        }
        killed += 1;
        assert_eq!(refusal(&stage.ada.get(path).await), ("404", "participant_not_found"), "hidden meanwhile");
    }
    assert!((1..MAX_STEPS).contains(&killed), "{killed} workers were killed");
    // The hints of runs that a killed worker did not send.
    let later = domain::time::Time::now().plus(crate::runs::minutes(2));
    stage.app.platform.tick(later).await.unwrap();
    stage.app.platform.drain().await;
    assert!(!stored(&stage.app).await.contains(WORD));
}

#[tokio::test]
async fn an_erasure_survives_a_crash_at_each_step() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    stage.say(1, WORD).await;
    erase_with_crashes(&stage, &participant(&stage, 0).await).await;
}

#[tokio::test]
async fn an_erasure_from_a_conversation_of_several_survives_a_crash_at_each_step() {
    let stage = Stage::start(MessagingProvider::Slack, echo()).await;
    for (number, user, text) in [(1, "U1", WORD), (2, "U2", "Hello"), (3, "U1", WORD)] {
        say_in_group(&stage, number, user, text).await;
    }
    erase_with_crashes(&stage, &first_participant(&stage).await).await;
    let texts: Vec<String> = stage.messages(&stage.thread().await).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["", "", "Hello", "You said: Hello", "", ""]);
}

/// A participant writes while a worker erases them, at many moments: the message is erased with the others, or its sender is
/// a participant who can be exported and erased.
#[tokio::test]
async fn a_message_that_arrives_during_an_erasure_belongs_to_a_participant() {
    const MAX_STEPS: usize = 600;
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    let workers = Workers::new(&stage.app);
    for steps in (0..MAX_STEPS).step_by(7) {
        let person = u32::try_from(steps).unwrap();
        let sender = format!("u{person}");
        let in_group = async |number: u32, sender: &str| {
            let conversation = format!("group-{person}");
            let body = json!({"conversation": conversation, "participant": {"id": sender}, "text": "Hello"});
            let now = domain::time::Time::now();
            stage.send(signed_request(&stage.credential, &format!("{conversation}-{number}"), now, &body)).await
        };
        stage.deliver(person, 1, "Hello").await;
        assert_eq!(in_group(1, "other").await.status, "200 OK");
        assert_eq!(in_group(2, &sender).await.status, "200 OK");
        stage.app.platform.drain().await;
        let workflow = stage.workflow.rsplit('/').next().unwrap();
        let credential = stage.credential_id.parse().unwrap();
        let id = ParticipantId::of_sender(workflow.parse().unwrap(), MessagingProvider::Http, credential, &sender);
        let id = id.to_string();
        let path = format!("{}/records/participants/{id}", stage.workflow);
        assert_eq!(stage.ada.delete(&path).await.status, "204 No Content");
        crate::runs::recovery::lose_hint(&stage.app).await;
        let hint = json!({"workflow_id": workflow, "participant_id": id}).to_string();
        let write = async {
            // While a thread is being deleted, the answer is 503, and the provider repeats the delivery.
            let _: Answer = stage.send(stage.delivery(person, 2, "Hello again")).await;
            let _: Answer = in_group(3, &sender).await;
        };
        let has_ended = workers.handle_with_pause(hint, steps, write).await;
        // A worker may leave the erasure to the ticker.
        let later = domain::time::Time::now().plus(crate::runs::minutes(10));
        stage.app.platform.tick(later).await.unwrap();
        stage.app.platform.drain().await;
        let is_known = stage.ada.get(&path).await.status == "200 OK";
        for thread in stage.read("/threads?limit=2").await.as_array().unwrap() {
            let messages = format!("{}/threads/{}/messages", stage.workflow, thread["id"].as_str().unwrap());
            for message in list(&stage.ada, &messages).await {
                let is_theirs = message["participantId"] == id.as_str();
                assert!(is_known || !is_theirs, "after {steps} steps: {message} in {thread}");
            }
        }
        if has_ended {
            return;
        }
    }
    panic!("the erasure takes more than {MAX_STEPS} steps");
}

/// The rules of the bucket round the days up, so objects outlive the head of their thread.
#[tokio::test]
async fn the_objects_of_an_expired_thread_are_erased() {
    for is_head_deleted in [false, true] {
        let stage = Stage::start(MessagingProvider::Http, echo()).await;
        stage.say(1, &format!("{WORD} {}", "ä".repeat(15_900))).await;
        assert!(stage.app.objects("threads") > 0);
        let path = participant(&stage, 0).await;
        let thread = stage.thread().await;
        assert_eq!(stage.ada.delete(&path).await.status, "204 No Content");
        crate::runs::recovery::lose_hint(&stage.app).await;
        let (workflow, person) = (stage.workflow.rsplit('/').next().unwrap(), path.rsplit('/').next().unwrap());
        let hint = json!({"workflow_id": workflow, "participant_id": person}).to_string();
        if is_head_deleted {
            let dynamodb = stage.app.platform.context().aws.dynamodb();
            let pk = AttributeValue::S(format!("THREAD#{}", thread.rsplit('/').next().unwrap()));
            let delete = dynamodb.delete_item().table_name("EntitiesTable").key("pk", pk);
            delete.key("sk", AttributeValue::S("THREAD".to_owned())).send().await.unwrap();
        }
        let workers = Workers::new(&stage.app);
        workers.advance(Duration::from_secs(31 * 24 * 60 * 60));
        assert!(workers.handle(hint, usize::MAX).await);
        assert_eq!(stage.app.objects("threads"), 0);
    }
}

/// In a thread of one participant, every message belongs to them: also those of operators, and reminders.
#[tokio::test]
async fn an_export_has_all_messages_of_a_thread_of_one() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    stage.say(1, "Hello").await;
    let thread = stage.thread().await;
    let id = thread.rsplit('/').next().unwrap();
    assert_eq!(stage.ada.post(&format!("{}/records/threads/{id}/nudge", stage.workflow)).await.status, "201 Created");
    stage.ada.post(&format!("{thread}/operator-state")).await;
    let written = stage.ada.post_json(&format!("{thread}/messages"), json!({"content": "Bo is here"})).await;
    assert_eq!(written.status, "201 Created", "{}", written.text);
    let export = stage.ada.get(&participant(&stage, 0).await).await;
    let messages = export.json["data"]["conversations"][0]["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "system", "operator"]);
}

#[tokio::test]
async fn a_large_export_is_erased_with_its_participant() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    for number in 1..=40 {
        stage.deliver(1, number, &format!("{WORD} {}", "x".repeat(15_900))).await;
    }
    stage.app.platform.drain().await;
    let path = participant(&stage, 0).await;
    let export = stage.ada.get(&path).await.json["data"].clone();
    assert_eq!(export["conversations"], Value::Null);
    let url = export["url"].as_str().unwrap();
    let downloaded: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
    assert_eq!(downloaded["conversations"][0]["messages"].as_array().unwrap().len(), 80);
    assert_eq!(stage.ada.delete(&path).await.status, "204 No Content");
    stage.app.platform.drain().await;
    assert_eq!(stage.app.objects("exports"), 0);
    assert!(!stored(&stage.app).await.contains(WORD));
}

/// Nobody can export or erase the participants of a deleted workflow, so they are erased with it.
#[tokio::test]
async fn the_participants_of_a_deleted_workflow_are_erased() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    for person in 1..=3 {
        stage.deliver(person, 1, WORD).await;
    }
    stage.app.platform.drain().await;
    let threads = stage.read("/threads").await;
    let ids: Vec<&Value> = threads.as_array().unwrap().iter().map(|thread| &thread["id"]).collect();
    assert_eq!(ids.len(), 3);
    let batch_path = format!("{WORKFLOWS}/threads/batch");
    let batch = || stage.ada.post_json(&batch_path, json!({"ids": ids}));
    assert_eq!(batch().await.json["data"].as_array().unwrap().len(), 3);
    assert_eq!(stage.ada.delete(&stage.workflow).await.status, "204 No Content");
    assert_eq!(batch().await.json["data"], json!([]), "hidden at once");
    assert!(stored(&stage.app).await.contains(WORD));
    stage.app.platform.drain().await;
    stage.app.platform.tick(domain::time::Time::now()).await.unwrap();
    stage.app.platform.drain().await;
    assert!(!stored(&stage.app).await.contains(WORD));
}

/// The planted secrets of all providers are in no response, and in nothing that is stored.
#[tokio::test]
async fn secrets_of_providers_are_nowhere() {
    for provider in PROVIDERS {
        let stage = Stage::start(provider, echo()).await;
        stage.say(1, "Hello").await;
        let thread = stage.thread().await;
        let mut shown = stored(&stage.app).await;
        shown.push_str(&stage.app.contents("manifests"));
        for path in [
            thread.clone(),
            format!("{thread}/messages"),
            format!("{}/webhook-credentials", stage.workflow),
            format!("{}/connections", stage.workflow),
            format!("{}/export", stage.workflow),
            format!("{}/records", stage.workflow),
        ] {
            shown.push_str(&stage.ada.get(&path).await.text);
        }
        let exported = stage.ada.get(&participant(&stage, 0).await).await;
        shown.push_str(&exported.text);
        for secret in [SECRET, SLACK_TOKEN, TELEGRAM_TOKEN, WHATSAPP_TOKEN] {
            assert!(!shown.contains(secret), "{provider:?}: {secret}");
        }
    }
}

/// Messages are kept for the days of the plan, and not shown after that.
#[tokio::test]
async fn threads_end_with_the_retention_of_the_plan() {
    let stage = Stage::start(MessagingProvider::Http, echo()).await;
    stage.say(1, WORD).await;
    let workflow = stage.workflow.rsplit('/').next().unwrap().parse().unwrap();
    let day = |number: u64| domain::time::Time::now().plus(crate::runs::minutes(number * 24 * 60));
    for (time, number) in [(day(29), 1), (day(31), 0)] {
        let threads = Threads::new(&crate::runs::context_at(&stage.app, time)).unwrap();
        let listed = threads.list(workflow, &ThreadFilter::default(), 20, None).await.unwrap();
        let participants = threads.participants(workflow, 20, None).await.unwrap();
        assert_eq!((listed.items.len(), participants.items.len()), (number, number));
    }
}
