//! Workflows of n8n. In n8n, a node passes a list of items on, each with its data in `json`; here it passes one value on.

use super::*;

/// HTTP Request with "Include Response Headers and Status" gives `{body, headers, statusCode}`, Filter passes the items that
/// meet its conditions, and Edit Fields in the mode "JSON" gives the JSON of its template.
#[tokio::test]
async fn webhook_enrichment() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let acme = json!({"name": "Acme", "employees": "240", "city": "Bilbao", "tags": [], "closed": true});
    let answers = [("/company.example.com/v1/acme.example", acme), ("/company.example.com/v1/broken", json!("{"))];
    let server = Server::start(&answers).await;
    let import = publish_import(&ada, "n8n/webhook-enrichment.json", &server).await;
    let run = import.run(&app, &ada, json!({"body": {"domain": "acme.example"}})).await;
    // `Number("240")` of JavaScript is 240. Here it is 240.0, which is the same number in JSON.
    assert_eq!(run["output"], json!({"name": "Acme", "employees": 240.0, "headline": "Acme of Bilbao"}), "{run}");

    // "On Error: Continue (using error output)" passes the item with its error on at the second output.
    let run = import.run(&app, &ada, json!({"body": {"domain": "broken"}})).await;
    assert_eq!((&run["state"], &run["output"]["ok"]), (&json!("completed"), &json!(false)), "{run}");
    assert!(run["output"]["error"].as_str().unwrap().starts_with("Lookup failed: "), "{run}");
}

/// Split Out gives one item for each element of the field. Loop Over Items passes them on, and goes on at `done` when all
/// are processed. Body parameters of HTTP Request are sent as one JSON object.
#[tokio::test]
async fn loop_over_items() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let rows = json!([
        {"first_name": "Ada", "email": "ada@example.com"}, {"first_name": "Bob", "email": "bob@example.com"},
    ]);
    let answers =
        [("/api.example.com/customers", json!({"data": {"rows": rows}})), ("/mail.example.com", json!({"n": 4}))];
    let server = Server::start(&answers).await;
    let mut import = import(&ada, "n8n/loop-over-items.json").await;
    let called = publish(&ada, double()).await;
    import.reconnect(&ada, &server.url, &called).await;
    // The report asks to check that the inner loop gets a list. It gets one answer of the mail server.
    for node in import.graph["nodes"].as_array_mut().unwrap() {
        match node["id"].as_str().unwrap() {
            "log_each" => node["config"]["items"] = json!("[vars.item]"),
            "log_each_run" => node["config"]["input"] = json!("vars.item.body"),
            _ => {}
        }
    }
    import.save(&ada).await;
    import.publish(&ada).await;
    let run = import.run(&app, &ada, json!({"segment": "all"})).await;
    assert_eq!(run["state"], "completed", "{run}");
    let mails = server.bodies("/mail.example.com/send");
    let mail = |name: &str, number: u32| {
        let text = format!("Dear {name} (no. {number}),");
        json!({"to": format!("{}@example.com", name.to_lowercase()), "text": text})
    };
    assert_eq!(mails, [mail("Ada", 0), mail("Bob", 1)]);
}

/// Set 2 with "Keep Only Set" gives only its values, and a dot in a name nests them. Switch takes the first rule that
/// matches. IF with "Any" needs one true condition. Stop and Error ends the execution with its message.
#[tokio::test]
async fn lead_scoring() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let server = Server::start(&[("/crm.example.com/api/leads", json!({"id": 1}))]).await;
    let mut import = import(&ada, "n8n/lead-scoring.json").await;
    import.reconnect(&ada, &server.url, "").await;
    // Something must be done about the spreadsheet, whose node is not supported.
    assert_eq!(import.errors(&ada).await, ["placeholder"]);
    let nodes = import.graph["nodes"].as_array_mut().unwrap();
    let sheet = nodes.iter_mut().find(|node| node["id"] == "append_to_sheet").unwrap();
    (sheet["type"], sheet["config"]) = (json!("fail"), json!({"message": "No sheet"}));
    import.save(&ada).await;
    import.publish(&ada).await;
    let lead = |size: u32, country: &str| json!({"Name": "Ada", "Company size": size, "Country": country});
    let run = import.run(&app, &ada, lead(240, "fr")).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert_eq!(server.bodies("/crm.example.com/api/leads"), [json!({"name": "Ada", "score": 50})]);

    let run = import.run(&app, &ada, lead(20, "fr")).await;
    assert_eq!((&run["state"], &run["error"]["message"]), (&json!("failed"), &json!("Too far: FR")), "{run}");
    // The branch is the one that n8n takes.
    for country in ["es", "pl"] {
        let run = import.run(&app, &ada, lead(20, country)).await;
        assert_eq!(run["error"]["nodeId"], "append_to_sheet", "{run}");
    }
    assert_eq!(server.bodies("/crm.example.com/api/leads").len(), 1);
}

/// Merge with "Append" gives the items of its first input, then those of its second. HTTP Request gives the body of the
/// response. Edit Fields gives its fields.
#[tokio::test]
async fn merge_sources() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let news = json!({"headlines": [{"title": "One"}, {"title": "Two"}]});
    let answers = [("/weather.example.com/Madrid", json!({"summary": "Sunny"})), ("/news.example.com/Madrid", news)];
    let server = Server::start(&answers).await;
    let import = publish_import(&ada, "n8n/merge-sources.json", &server).await;
    let run = import.run(&app, &ada, json!({"city": "Madrid", "count": 2})).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert_eq!(run["output"][0], json!({"text": "Sunny: One / Two"}), "{run}");
    assert_eq!(run["output"][1]["body"]["headlines"][1]["title"], "Two", "{run}");
    assert_eq!(server.bodies("/news.example.com/Madrid?n=2").len(), 1);
}
