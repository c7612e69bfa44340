//! Isolation: a run belongs to one workflow of one account. `workflows/isolation.rs` tests each route with the workflow
//! of another user.

use super::*;

#[tokio::test]
async fn a_run_is_found_only_at_its_workflow() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.person("ada"), app.person("bob"));
    let flow = publish(&ada, refund()).await;
    let run = run_id(&start_run(&ada, &flow, json!({"amount": 1})).await);
    app.platform.drain().await;
    for (person, own) in [(&ada, publish(&ada, double()).await), (&bob, publish(&bob, double()).await)] {
        let path = |id: &str| format!("{}/{id}", runs_path(&own));
        let (theirs, missing) = (person.get(&path(&run.to_string())).await, person.get(&path(NOWHERE)).await);
        assert_eq!((refusal(&theirs), &theirs.text), (("404", "run_not_found"), &missing.text));
        assert_eq!(refusal(&person.get(&path("no-id")).await), ("404", "run_not_found"));
        for action in ["cancel", "stop"] {
            let refused = person.post(&format!("{}/{action}", path(&run.to_string()))).await;
            assert_eq!(refusal(&refused), ("404", "run_not_found"));
        }
        let resolve = format!("{}/resolve-wait", path(&run.to_string()));
        let refused = person.post_json(&resolve, json!({"decision": "approve"})).await;
        assert_eq!(refusal(&refused), ("404", "run_not_found"));
    }
    assert_eq!(read(&ada, &format!("{}/{run}", runs_path(&flow))).await["state"], "paused");
    assert_eq!(refusal(&app.anonymous().get(&format!("{}/{run}", runs_path(&flow))).await), ("401", "unauthorized"));
}
