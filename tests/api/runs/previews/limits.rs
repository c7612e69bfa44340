//! The time limit of previews, and callers that disconnect.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::graph::Graph;
use engine::compile::{ExecutionPlan, compile};
use engine::drive::{Effect, EffectError, EffectOutcome, Effects};
use futures::FutureExt;
use runner::{Preview, PreviewEnd};
use tests::polling::eventually;

use super::*;

/// Effects that never end.
#[derive(Clone, Default)]
struct Silent {
    begun: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

impl Effects for Silent {
    async fn perform(&self, _: Effect) -> Result<EffectOutcome, EffectError> {
        let _count = CountDrop(self.dropped.clone());
        self.begun.fetch_add(1, Ordering::SeqCst);
        std::future::pending().await
    }
}

struct CountDrop(Arc<AtomicUsize>);

impl Drop for CountDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn silent_preview() -> Preview {
    let graph: Graph = serde_json::from_value(ask()).unwrap();
    let plan: ExecutionPlan = compile(&graph).finish().0.unwrap();
    let plan = Arc::new(plan.previewed(Default::default(), None));
    Preview { id: RunId::new(), plan, trigger: 0, input: json!({"name": "Ada"}), clock: Clock::default() }
}

#[tokio::test]
async fn the_time_limit_ends_a_preview_with_what_happened() {
    let effects = Silent::default();
    let report = silent_preview().carry_out(effects.clone(), Duration::from_millis(200)).await.unwrap();
    assert_eq!(report.end, PreviewEnd::Timeout);
    assert_eq!(format!("{:?}", report.events.first().unwrap().kind).split(' ').next(), Some("StepCompleted"));
    eventually("the effect is dropped", async || (effects.dropped.load(Ordering::SeqCst) == 1).then_some(())).await;
}

#[tokio::test]
async fn effects_are_dropped_with_the_caller() {
    let effects = Silent::default();
    let mut preview = Box::pin(silent_preview().carry_out(effects.clone(), minutes(10)));
    eventually("the effect begins", async || {
        assert!((&mut preview).now_or_never().is_none());
        (effects.begun.load(Ordering::SeqCst) == 1).then_some(())
    })
    .await;
    drop(preview);
    eventually("the effect is dropped", async || (effects.dropped.load(Ordering::SeqCst) == 1).then_some(())).await;
}
