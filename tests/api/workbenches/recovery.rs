//! Workers that are killed, messages that are lost or arrive twice, and a cluster that does not answer.

use std::collections::BTreeMap;

use domain::workbench::{Phase, Report};
use futures::future::join_all;
use serde_json::json;
use store::Workbenches;
use store::keys;
use store::workbenches::{CLAIM, StepEnd};
use tests::client::refusal;

use super::*;

impl Lab {
    /// Steps until the workbench has settled. A worker that is killed is replaced after its claim has expired.
    async fn settle_with_kills(&self, id: &str) {
        for _ in 0..20 {
            self.pass(Duration::from_secs(5));
            let advanced = tokio::select! {
                advanced = self.worker.advance(self.hint(id)) => advanced.unwrap(),
                () = self.cluster.killed() => {
                    self.pass(Duration::from_secs(10));
                    assert!(self.worker.advance(self.hint(id)).await.unwrap().is_none(), "the claim has not expired");
                    self.pass(CLAIM);
                    continue;
                }
            };
            if advanced.is_none() {
                return;
            }
        }
        panic!("the workbench {id} does not settle");
    }

    /// The reserved capacity of the organization, by resource.
    async fn reserved(&self) -> BTreeMap<String, String> {
        let capacity = keys::org_capacity(self.app.account("ada").org);
        let table = self.app.platform.context().config.required("TABLE_COUNTERS").unwrap().to_owned();
        let found = self.app.platform.context().aws.dynamodb().get_item().table_name(table);
        let item = found.set_key(Some(capacity.attributes())).send().await.unwrap().item.unwrap();
        item.into_iter().filter_map(|(name, value)| Some((name, value.as_n().ok()?.clone()))).collect()
    }
}

/// A whole life, with the worker killed after each of its calls in turn.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_killed_anywhere_leaves_nothing_behind() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let mut lives = 0;
    for kill_after in 1.. {
        let before = lab.cluster.calls();
        lab.cluster.kill_after(kill_after);
        let id = create(&ada, json!({"name": "lab"})).await;
        lab.settle_with_kills(&id).await;
        assert_eq!(read(&ada, &id).await["status"], "ready", "killed after {kill_after}");
        assert_eq!(lab.cluster.objects(id_of(&id)).len(), 4, "killed after {kill_after}");
        assert_eq!(ada.post(&format!("{}/stop", path(&id))).await.status, "202 Accepted");
        lab.settle_with_kills(&id).await;
        assert_eq!(read(&ada, &id).await["runState"], "stopped", "killed after {kill_after}");
        assert_eq!(ada.delete(&path(&id)).await.status, "202 Accepted");
        lab.settle_with_kills(&id).await;
        assert_eq!(refusal(&ada.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"), "killed after {kill_after}");
        assert!(lab.cluster.is_empty(), "killed after {kill_after}");
        lives += 1;
        // The last life had fewer calls than this, so its worker was not killed.
        if lab.cluster.calls() - before < kill_after {
            break;
        }
    }
    assert!(lives > 10, "{lives} lives");
    let reserved = lab.reserved().await;
    assert_eq!((reserved.len(), reserved.values().all(|amount| amount == "0")), (5, true), "{reserved:?}");
}

#[tokio::test]
async fn repeated_messages_make_one_step() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = create(&ada, json!({"name": "lab"})).await;
    lab.pass(Duration::from_secs(1));
    let advanced = join_all((0..8).map(|_| lab.worker.advance(lab.hint(&id)))).await;
    assert_eq!(advanced.into_iter().filter(|advanced| advanced.as_ref().unwrap().is_some()).count(), 1);
    assert_eq!(lab.cluster.calls(), 6, "a look, four objects and the state");
    assert!(lab.worker.advance(lab.hint(&id)).await.unwrap().is_none(), "the next step is not due yet");
}

#[tokio::test]
async fn a_lost_message_is_sent_again() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    create(&ada, json!({"name": "lab"})).await;
    let context = lab.app.platform.context();
    let queue = context.config.required("QUEUE_WORKBENCHES").unwrap();
    let received = context.aws.sqs().receive_message().queue_url(queue).send().await.unwrap();
    assert_eq!(received.messages().len(), 1);
    assert_eq!(lab.app.platform.tick(Time::now().plus(Duration::from_secs(1))).await.unwrap(), 1);
    assert_eq!(lab.app.platform.drain().await, 1);
}

/// The owner deletes the workbench while a worker makes a step for the old intent.
#[tokio::test]
async fn a_change_during_a_step_is_not_overwritten() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    let id = lab.ready(&ada, "lab").await;
    lab.pass(Duration::from_secs(60));
    let store = Workbenches::new(&lab.context()).unwrap();
    let claimed = store.claim(lab.hint(&id)).await.unwrap().unwrap();
    assert_eq!(ada.delete(&path(&id)).await.status, "202 Accepted");
    let observed = claimed.workbench.observed(&Report::new(Phase::Running), lab.now());
    assert!(observed.change.is_some());
    assert!(store.conclude(&claimed, &observed, StepEnd::Complete).await.unwrap().is_none());
    assert_eq!(read(&ada, &id).await["status"], "deleting");
    lab.settle(&id).await;
    assert!(lab.cluster.is_empty());
}

#[tokio::test]
async fn a_cluster_that_does_not_answer_is_tried_again_and_shown() {
    let lab = Lab::start().await;
    let ada = lab.app.person("ada");
    lab.cluster.set_down(true);
    let id = create(&ada, json!({"name": "lab"})).await;
    lab.step(&id).await;
    let waiting = read(&ada, &id).await;
    assert_eq!(
        (&waiting["status"], &waiting["rejections"][0]["reason"]),
        (&json!("provisioning"), &json!("BACKEND_ERROR"))
    );
    lab.cluster.set_down(false);
    lab.wait(&id).await;
    assert_eq!(read(&ada, &id).await["status"], "provisioning", "the call without an answer may still take effect");
    lab.pass(CLAIM);
    lab.settle(&id).await;
    assert_eq!(read(&ada, &id).await["status"], "ready");
    assert_eq!(ada.delete(&path(&id)).await.status, "202 Accepted");
    lab.cluster.set_down(true);
    lab.step(&id).await;
    assert_eq!(read(&ada, &id).await["status"], "deleting", "a deletion waits as long as it must");
    lab.cluster.set_down(false);
    lab.pass(CLAIM);
    lab.settle(&id).await;
    assert_eq!(refusal(&ada.get(&path(&id)).await), ("404", "LAB_NOT_FOUND"));
}
