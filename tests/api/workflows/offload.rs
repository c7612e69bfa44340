//! CPU-heavy work on user input runs outside of the async workers, limited by a number of slots.

use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

use futures::future::{BoxFuture, join_all};
use platform::offload;
use platform::offload::SLOTS;
use serde_json::json;
use tests::TestApp;
use tokio::sync::oneshot;

use super::*;

/// The runtime has one thread: if heavy work blocked it, the light requests would not be answered first.
#[tokio::test(flavor = "current_thread")]
async fn other_requests_are_answered_while_heavy_work_waits_for_a_slot() {
    const PREVIEWS: usize = 8;
    const LIGHT: usize = 20;
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Echo", echo()).await;
    let export = ada.get(&format!("{WORKFLOWS}/{id}/export")).await.json;

    // Occupies every slot until the gates are dropped.
    let mut gates = Vec::new();
    for _ in 0..*SLOTS {
        let (gate, opened) = sync_channel::<()>(0);
        let (takes, is_taken) = oneshot::channel();
        tokio::spawn(offload(move || {
            let _ = takes.send(());
            let _ = opened.recv();
            Ok(())
        }));
        is_taken.await.unwrap();
        gates.push(gate);
    }

    let order = Mutex::new(Vec::new());
    let done = |what: &'static str, answer: Answer| {
        assert!(answer.status.starts_with('2'), "{what}: {} {}", answer.status, answer.text);
        order.lock().unwrap().push(what);
    };
    let mut heavy: Vec<BoxFuture<()>> = vec![
        Box::pin(async { done("validate", post_action(&ada, &id, "validate").await) }),
        Box::pin(async { done("publish", post_action(&ada, &id, "publish").await) }),
        Box::pin(async { done("import", ada.post_json(&format!("{WORKFLOWS}/import"), export).await) }),
    ];
    for _ in 0..PREVIEWS {
        heavy.push(Box::pin(async {
            let body = json!({"expression": "lists.range(1000).all(x, x >= 0)"});
            done("preview", ada.post_json(&format!("{WORKFLOWS}/expression/preview"), body).await);
        }));
    }
    let mut heavy = join_all(heavy);
    let light = async {
        for _ in 0..LIGHT {
            done("light", app.anonymous().get("/health").await);
            done("light", ada.get(WORKFLOWS).await);
        }
    };
    tokio::select! {
        _ = &mut heavy => panic!("heavy work was answered without a slot"),
        () = light => {}
    }
    drop(gates);
    heavy.await;

    let order = order.into_inner().unwrap();
    let (first, then) = order.split_at(2 * LIGHT);
    assert!(first.iter().all(|what| *what == "light"), "{order:?}");
    assert_eq!(then.iter().filter(|what| **what == "preview").count(), PREVIEWS);
    assert_eq!(then.len(), PREVIEWS + 3);
}
