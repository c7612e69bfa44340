//! The nodes that the test runs between an input and their results.

use super::*;

/// A node that a run carries out, with the configuration of the catalogue's example and these changes.
pub struct Sample {
    pub node_type: &'static str,
    pub changes: Value,
    pub input: Value,
    /// What the test does while the run waits.
    pub meanwhile: Meanwhile,
    /// The output port at which the run continues.
    pub port: &'static str,
}

pub enum Meanwhile {
    Nothing,
    Decide(&'static str),
    /// The run continues this much later.
    Wait(Duration),
}

pub fn sample(node_type: &'static str, changes: Value, input: Value, port: &'static str) -> Sample {
    Sample { node_type, changes, input, meanwhile: Meanwhile::Nothing, port }
}

/// Executions of the types that an input and results can surround. Each port is reached at least once.
pub fn samples(called: &str, agent: &str, orders: &FakeProvider, tools: &McpServer, mail: &MailServer) -> Vec<Sample> {
    let url = json!({"url": format!("{}/tickets/{{{{ input.id }}}}", orders.base_url)});
    let ticket = json!({"id": 7, "title": "Broken"});
    let text = json!({"question": "May I return it?", "sentences": ["One.", "Two."]});
    let schema =
        json!({"schema": {"type": "object", "required": ["fine"], "properties": {"fine": {"type": "boolean"}}}});
    let expense = |amount: u32| json!({"amount": amount, "country": "ES"});
    let letter = json!({"name": "Ada", "lines": [{"title": "One"}]});
    let names = json!({"first": "Ada", "last": "Lovelace", "lines": [{"price": 2, "count": 3}]});
    let review = |meanwhile: Meanwhile, port: &'static str| Sample {
        meanwhile,
        ..sample("review", json!({}), json!({"amount": 5}), port)
    };
    let smtp = json!({"host": "127.0.0.1", "port": mail.address.port(), "security": "none"});
    let day = Duration::from_secs(24 * 60 * 60);
    vec![
        sample("agent", json!({"agentId": agent}), text.clone(), "out"),
        sample("model", json!({}), text.clone(), "out"),
        sample("model", schema, text.clone(), "out"),
        sample("embeddings", json!({}), text.clone(), "out"),
        sample("embeddings", json!({"input": "'One.'"}), text.clone(), "out"),
        sample("guard", json!({}), json!({"comment": "I will kill you"}), "flagged"),
        sample("guard", json!({"threshold": 0.95}), json!({"comment": "I will kill you"}), "passed"),
        sample("guard", json!({}), json!({"comment": " "}), "passed"),
        sample("image", json!({"size": "64x64", "n": 2}), json!({"title": "Autumn"}), "out"),
        sample("retrieval", json!({}), text, "out"),
        sample("http", url.clone(), ticket.clone(), "out"),
        sample("http", json!({"url": url["url"], "response": "text"}), ticket, "out"),
        sample("email", smtp, json!({"email": "ada@example.com, bob@example.com", "order": 7}), "out"),
        sample("feed", json!({"url": format!("{}/feed.xml", orders.base_url)}), json!({"topic": "a"}), "out"),
        sample("mcp", json!({"url": tools.url()}), json!({"customer": 7}), "out"),
        sample("condition", json!({}), expense(2_000), "true"),
        sample("condition", json!({}), expense(5), "false"),
        sample("switch", json!({}), json!({"priority": 3, "text": ""}), "urgent"),
        sample("switch", json!({}), json!({"priority": 1, "text": "Why?"}), "question"),
        sample("switch", json!({}), json!({"priority": 1, "text": "So."}), "default"),
        sample("transform", json!({}), names, "out"),
        sample("transform", json!({"fields": null, "value": "[input]"}), json!(1), "out"),
        sample("template", json!({}), letter.clone(), "out"),
        sample("template", json!({"template": "[1, {{ input.name|tojson }}]", "format": "json"}), letter, "out"),
        sample("code", json!({}), json!({"orders": [{"paid": true, "price": 2}]}), "out"),
        sample("table", json!({}), json!({"email": "ada@example.com", "name": "Ada"}), "out"),
        sample("table", json!({"action": "add", "filters": null, "values": "[{'n': 1}, {'n': 2}]"}), json!(1), "out"),
        sample(
            "table",
            json!({"action": "addNew", "filters": null, "values": "{'id': 1}", "keep": 10}),
            json!(1),
            "out",
        ),
        sample("table", json!({"action": "count", "filters": null, "values": null}), json!(1), "out"),
        sample("read_file", json!({}), json!({"report": "a;b\n1;2"}), "out"),
        sample("read_file", json!({"format": null}), json!({"report": {"text": "[1]", "name": "a.json"}}), "out"),
        sample("read_file", json!({"format": {"type": "html"}}), json!({"report": "<p>Hi"}), "out"),
        sample("write_file", json!({}), json!({"rows": [{"a": 1}], "month": 3}), "out"),
        sample("write_file", json!({"format": {"type": "text"}, "data": "'Hi'"}), json!({"month": 3}), "out"),
        sample("merge", json!({}), json!(1), "out"),
        sample("merge", json!({"mode": "all", "cancelLosers": null}), json!(1), "out"),
        Sample { meanwhile: Meanwhile::Wait(day), ..sample("delay", json!({}), json!([1]), "out") },
        review(Meanwhile::Decide("approve"), "approved"),
        review(Meanwhile::Decide("reject"), "rejected"),
        review(Meanwhile::Wait(2 * day), "expired"),
        Sample {
            meanwhile: Meanwhile::Wait(2 * day),
            ..sample("form_page", json!({}), json!({"name": "Ada", "freeDays": ["Monday"]}), "expired")
        },
        sample("workflow", json!({"workflowId": called, "input": "{'n': input}"}), json!(21), "out"),
        sample("send_result", json!({}), json!("hello"), "out"),
    ]
}
