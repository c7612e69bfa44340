//! The recorded tour of teams: people, members, owners, and what an administrator of an organization does.

use domain::identity::Role;
use serde_json::json;

use super::TourClient;

/// The routes of a kind of things that are shared.
struct Routes {
    members: &'static str,
    member: &'static str,
    member_by_query: &'static str,
    transfer: &'static str,
    of_organization: &'static str,
    take_over: &'static str,
    create: &'static str,
}

const OF_WORKFLOWS: Routes = Routes {
    members: "/builder/v1/workflows/{id}/members",
    member: "/builder/v1/workflows/{id}/members/{user_id}",
    member_by_query: "/builder/v1/workflows/{id}/members?userId={user_id}",
    transfer: "/builder/v1/workflows/{id}/transfer",
    of_organization: "/builder/v1/organization/workflows",
    take_over: "/builder/v1/organization/workflows/{id}/take-over",
    create: "/builder/v1/workflows",
};
const OF_AGENTS: Routes = Routes {
    members: "/builder/v1/agents/{id}/members",
    member: "/builder/v1/agents/{id}/members/{user_id}",
    member_by_query: "/builder/v1/agents/{id}/members?userId={user_id}",
    transfer: "/builder/v1/agents/{id}/transfer",
    of_organization: "/builder/v1/organization/agents",
    take_over: "/builder/v1/organization/agents/{id}/take-over",
    create: "/builder/v1/agents",
};

impl TourClient {
    pub(super) async fn record_team(&mut self) {
        for name in ["bob", "cleo"] {
            self.app.person(name).get("/builder/v1/agents").await;
        }
        self.get("/builder/v1/members").await;
        let before = self.path_parameters.get("id").cloned();
        for routes in [OF_WORKFLOWS, OF_AGENTS] {
            self.record_members(&routes).await;
            self.record_organization(&routes).await;
        }
        if let Some(before) = before {
            self.set_parameter("id", &json!(before));
        }
    }

    async fn record_members(&mut self, routes: &Routes) {
        let [bob, cleo] = ["bob", "cleo"].map(|name| self.app.account(name).user.to_string());
        let created = self.app.person("ada").post_json(routes.create, json!({"name": "Help desk"})).await;
        self.set_parameter("id", &created.json["data"]["id"]);
        self.set_parameter("user_id", &json!(bob));
        let share = |user: &str, role: &str| Some(json!({"userId": user, "role": role}));
        self.send("POST", routes.members, share(&bob, "operator")).await;
        self.set_title("New member");
        self.send("POST", routes.members, share(&bob, "editor")).await;
        self.set_title("New role");
        self.send("POST", routes.members, share(&cleo, "admin")).await;
        self.send("POST", routes.members, share("usr_00000000000000000000000000000000", "viewer")).await;
        self.send("POST", routes.members, Some(json!({"userId": bob}))).await;
        self.get(routes.members).await;
        self.send("DELETE", routes.member_by_query, None).await;
        let members = routes.members.replace("{id}", &self.path_parameters["id"]);
        self.app.person("ada").post_json(&members, json!({"userId": bob, "role": "editor"})).await;
        self.send("DELETE", routes.member, None).await;
        self.send("DELETE", routes.member, None).await;
        self.send("POST", routes.transfer, Some(json!({"userId": "usr_00000000000000000000000000000000"}))).await;
        self.send("POST", routes.transfer, Some(json!({"userId": cleo}))).await;
        self.send("POST", routes.transfer, Some(json!({"userId": bob}))).await;
    }

    /// The administrator takes over what a suspended user owns.
    async fn record_organization(&mut self, routes: &Routes) {
        let dora = self.app.person("dora");
        let owner = self.app.account("dora").user.to_string();
        let created = dora.post_json(routes.create, json!({"name": "Returns"})).await;
        self.set_parameter("id", &created.json["data"]["id"]);
        let boss = self.app.person_of("boss", "acme", Role::Admin).token.unwrap_or_default();
        let own = self.switch_token(&boss);
        self.get(routes.of_organization).await;
        let body = || Some(json!({"owner": owner}));
        self.send("POST", routes.take_over, body()).await;
        let user = format!("/gateway/v1/admin/users/{owner}");
        self.app.operator().patch(&user, json!({"suspended": true})).await;
        self.send("POST", routes.take_over, body()).await;
        self.send("POST", routes.take_over, body()).await;
        self.app.operator().patch(&user, json!({"suspended": false})).await;
        self.switch_token(&own);
    }
}
