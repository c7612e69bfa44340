//! Teams: members of workflows and agents, owners, and the people of an organization.

mod budgets;
mod console;
mod day;
mod inbox;
mod lists;
mod members;
mod organization;
mod owners;
mod people;
mod sweep;

use domain::identity::Role;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, refusal};

use crate::runs::{double, publish};

const WORKFLOWS: &str = "/builder/v1/workflows";
const AGENTS: &str = "/builder/v1/agents";
const NOWHERE: &str = "019cb8e2-3f4a-7c21-9b6d-000000000000";

/// A member of `acme` whom the platform knows, and their id.
async fn known(app: &TestApp, name: &str) -> (Person, String) {
    let person = app.person(name);
    assert_eq!(person.get(WORKFLOWS).await.status, "200 OK");
    (person, app.account(name).user.to_string())
}

async fn share(owner: &Person, path: &str, user: &str, role: &str) -> Answer {
    owner.post_json(&format!("{path}/members"), json!({"userId": user, "role": role})).await
}

/// Shares something, which must succeed.
async fn must_share(owner: &Person, path: &str, user: &str, role: &str) {
    let shared = share(owner, path, user, role).await;
    assert_eq!(shared.status, "201 Created", "{}", shared.text);
}

async fn create_agent(person: &Person, name: &str) -> String {
    let created = person.post_json(AGENTS, json!({"name": name, "config": {"model": "dev-chat"}})).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    format!("{AGENTS}/{}", created.id())
}

async fn create_workflow(person: &Person, name: &str) -> String {
    let created = person.post_json(WORKFLOWS, json!({"name": name})).await;
    assert_eq!(created.status, "201 Created", "{}", created.text);
    format!("{WORKFLOWS}/{}", created.id())
}
