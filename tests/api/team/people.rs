//! The people of an organization.

use super::*;

const PEOPLE: &str = "/builder/v1/members";

#[tokio::test]
async fn people_are_listed_and_found() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    for name in ["bob", "anna", "Zoë"] {
        known(&app, name).await;
    }
    let names = async |query: &str| {
        let answer = ada.get(&format!("{PEOPLE}{query}")).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        let mut names: Vec<String> = answer.column("name").into_iter().map(str::to_owned).collect();
        names.sort();
        (names, answer.json["meta"]["nextCursor"].as_str().map(str::to_owned))
    };
    let (all, next) = names("").await;
    assert!(["ada", "anna", "bob", "Zoë"].iter().all(|name| all.iter().any(|known| known == name)), "{all:?}");
    assert_eq!(next, None);
    assert_eq!(names("?search=AN").await.0, ["anna"]);
    assert_eq!(names("?search=zo%C3%AB").await.0, ["Zoë"]);
    assert_eq!(names("?search=nobody").await, (Vec::new(), None));
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let (page, next) = names(&format!("?limit=2{cursor}")).await;
        assert!(page.len() <= 2);
        seen.extend(page);
        match next {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    seen.sort();
    assert_eq!(seen, all);

    let of_eve = app.person_of("eve", "globex", Role::Admin).get(PEOPLE).await;
    assert!(!of_eve.text.contains(&ada_id), "another organization: {}", of_eve.text);
    assert_eq!(refusal(&app.anonymous().get(PEOPLE).await), ("401", "unauthorized"));
    assert_eq!(refusal(&ada.get(&format!("{PEOPLE}?limit=0")).await), ("400", "invalid_query"));
    assert_eq!(refusal(&ada.get(&format!("{PEOPLE}?cursor=x")).await), ("400", "invalid_query"));
}

/// Only an administrator sees the addresses of others.
#[tokio::test]
async fn addresses_are_for_administrators() {
    let app = TestApp::start().await;
    let org = app.person("ada").get("/gateway/v1/me").await.json["org"]["id"].clone();
    let new = json!({"name": "Dora", "email": "dora@example.com", "org": org});
    let made = app.operator().post_json("/gateway/v1/admin/users", new).await;
    assert_eq!(made.status, "201 Created", "{}", made.text);
    let dora = format!("{PEOPLE}?search=dora");
    let (ada, boss) = (app.person("ada"), app.person_of("boss", "acme", Role::Admin));
    assert_eq!(ada.get(&dora).await.json["data"][0].get("email"), None);
    assert_eq!(boss.get(&dora).await.json["data"][0]["email"], "dora@example.com");
    assert_eq!(boss.get(&format!("{PEOPLE}?search=dora@ex")).await.column("name"), ["Dora"]);
}
