//! Lists by ownership: `mine`, `shared` and `all`.

use super::*;

#[tokio::test]
async fn lists_show_what_is_shared() {
    let app = TestApp::start().await;
    let (ada, ada_id) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    for (list, create) in [(WORKFLOWS, true), (AGENTS, false)] {
        let create = async |person: &Person, name: &str| match create {
            true => create_workflow(person, name).await,
            false => create_agent(person, name).await,
        };
        let names = async |person: &Person, query: &str| {
            let answer = person.get(&format!("{list}?{query}")).await;
            assert_eq!(answer.status, "200 OK", "{}", answer.text);
            let total = answer.json["meta"]["total"].as_u64().unwrap();
            (answer.column("name").join(","), total)
        };
        let (one, two) = (create(&ada, "Alpha").await, create(&ada, "Gamma").await);
        create(&ada, "Private").await;
        create(&bob, "Beta").await;
        create(&bob, "Delta").await;
        must_share(&ada, &one, &bob_id, "viewer").await;
        must_share(&ada, &two, &bob_id, "operator").await;

        assert_eq!(names(&bob, "sort=name&order=asc").await, ("Beta,Delta".to_owned(), 2));
        assert_eq!(names(&bob, "ownership=mine&sort=name&order=asc").await, ("Beta,Delta".to_owned(), 2));
        assert_eq!(names(&bob, "ownership=shared&sort=name&order=asc").await, ("Alpha,Gamma".to_owned(), 2));
        let all = "ownership=all&sort=name";
        assert_eq!(names(&bob, &format!("{all}&order=asc")).await, ("Alpha,Beta,Delta,Gamma".to_owned(), 4));
        assert_eq!(names(&bob, &format!("{all}&order=desc")).await, ("Gamma,Delta,Beta,Alpha".to_owned(), 4));
        let page = |number| format!("{all}&order=asc&perPage=3&page={number}");
        assert_eq!(names(&bob, &page(1)).await, ("Alpha,Beta,Delta".to_owned(), 4));
        assert_eq!(names(&bob, &page(2)).await, ("Gamma".to_owned(), 4));
        assert_eq!(names(&bob, &page(3)).await, (String::new(), 4));
        assert_eq!(names(&bob, "ownership=all&search=elt").await, ("Delta".to_owned(), 1));
        assert_eq!(names(&bob, "ownership=shared&search=LPH").await, ("Alpha".to_owned(), 1));
        assert_eq!(names(&ada, "ownership=shared").await, (String::new(), 0));

        let shared = bob.get(&format!("{list}?ownership=shared&sort=name&order=asc")).await.json;
        assert_eq!(shared["data"][1]["access"], json!({"owner": ada_id, "role": "operator"}));
        assert_eq!(
            bob.get(list).await.json["data"][0]["access"],
            json!({"owner": bob_id, "role": "owner"}),
            "the caller's own"
        );

        // A change by the owner is seen in the lists of the members, and a role too.
        ada.patch(&one, json!({"name": "Omega"})).await;
        share(&ada, &one, &bob_id, "editor").await;
        assert_eq!(names(&bob, "ownership=shared&sort=name&order=asc").await, ("Gamma,Omega".to_owned(), 2));
        assert_eq!(
            bob.get(&format!("{list}?ownership=shared&search=omega")).await.json["data"][0]["access"]["role"],
            "editor"
        );
        ada.delete(&format!("{two}/members/{bob_id}")).await;
        assert_eq!(names(&bob, "ownership=shared").await, ("Omega".to_owned(), 1));
        assert_eq!(refusal(&bob.get(&format!("{list}?ownership=other")).await), ("400", "invalid_query"));
    }
}

/// What belongs to a deleted workflow or agent leaves the lists of its members.
#[tokio::test]
async fn what_is_deleted_is_not_listed() {
    let app = TestApp::start().await;
    let (ada, _) = known(&app, "ada").await;
    let (bob, bob_id) = known(&app, "bob").await;
    for (list, path) in [(WORKFLOWS, create_workflow(&ada, "Flow").await), (AGENTS, create_agent(&ada, "Bot").await)] {
        must_share(&ada, &path, &bob_id, "editor").await;
        assert_eq!(refusal(&bob.delete(&path).await), ("403", "not_owner"));
        assert_eq!(ada.delete(&path).await.status, "204 No Content");
        assert_eq!(bob.get(&path).await.status, "404 Not Found");
        let query = format!("{list}?ownership=shared");
        app.platform.drain().await;
        assert_eq!(bob.get(&query).await.json["meta"]["total"], 0);
        assert_eq!(bob.get(&query).await.json["data"], json!([]));
    }
}
