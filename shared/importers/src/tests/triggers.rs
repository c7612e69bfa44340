//! Triggers of services in n8n: webhooks that a service calls, and lists that a schedule asks for.

use serde_json::{Value, json};

use super::*;

/// A file with this trigger, and a node after it.
fn import(kind: &str, parameters: Value) -> Imported {
    let nodes = json!([
        {"name": "On", "type": kind, "typeVersion": 1, "parameters": parameters},
        {"name": "Keep", "type": "set", "typeVersion": 3.4, "parameters": {}},
    ]);
    let wires = json!({"On": {"main": [[{"node": "Keep"}]]}});
    read_sound(&json!({"name": "x", "nodes": nodes, "connections": wires}).to_string())
}

/// The ids and types of the nodes that a trigger becomes.
fn steps(imported: &Imported) -> Vec<(&str, &str)> {
    let nodes = imported.graph.nodes.iter().filter(|node| node.id.starts_with("on"));
    nodes.map(|node| (node.id.as_str(), node.r#type.as_str())).collect()
}

#[test]
fn a_service_calls_a_webhook() {
    let github = import("githubTrigger", json!({"owner": "ada", "events": ["push", "issues"]}));
    assert_eq!(steps(&github), [("on", "webhook")]);
    assert_eq!(config(&github, "on"), json!({"input": "call"}));
    assert_eq!(
        reconnected(&github)[0],
        "on: a webhook (async), whose URL is registered at GitHub for push, issues, with the token of the webhook as `?token=`"
    );

    let stripe = import("stripeTrigger", json!({"events": ["invoice.paid"]}));
    assert_eq!((steps(&stripe), config(&stripe, "on")), (vec![("on", "webhook")], json!({})));

    let events = json!({"eventValues": [{"name": "contact.creation"}, {"name": "deal.deletion"}]});
    let hubspot = import("hubspotTrigger", json!({"eventsUi": events}));
    assert_eq!(steps(&hubspot), [("on_call", "webhook"), ("on", "code")]);
    assert!(
        reconnected(&hubspot)[0].contains("HubSpot for contact.creation, deal.deletion, with the token"),
        "{:?}",
        reconnected(&hubspot)
    );
    let javascript = "return $input.all().map((item) => n8n.hubspotEvent(item.json));";
    assert_eq!(config(&hubspot, "on")["javascript"], javascript);
}

#[test]
fn a_webhook_is_called_by_the_methods_of_the_file() {
    // Without a method, n8n expects a GET.
    for parameters in
        [json!({"path": "p"}), json!({"path": "p", "multipleMethods": true, "httpMethod": ["GET", "POST"]})]
    {
        let imported = import("webhook", parameters);
        assert_eq!(steps(&imported), [("on_call", "webhook"), ("on", "code")]);
        assert_eq!(config(&imported, "on_call"), json!({"input": "call", "allowGet": true}));
        assert_eq!(config(&imported, "on")["javascript"], "return { ...$json, body: $json.body ?? {} };");
        assert!(!report_lines(&imported).contains("called by"), "{}", report_lines(&imported));
    }
    let posted = import("webhook", json!({"path": "p", "httpMethod": "POST"}));
    assert_eq!((steps(&posted), config(&posted, "on")), (vec![("on", "webhook")], json!({"input": "call"})));
    let options = json!({"ipWhitelist": "10.0.0.1", "ignoreBots": true, "rawBody": true, "binaryData": false});
    let limited = import("webhook", json!({"path": "p", "httpMethod": "POST", "options": options}));
    for note in ["its list of addresses is not imported", "`ignoreBots` is not imported", "and is no file"] {
        assert!(report_lines(&limited).contains(note), "{}", report_lines(&limited));
    }
    let put = import("webhook", json!({"path": "p", "httpMethod": "PUT"}));
    assert!(
        report_lines(&put).contains("on webhook partial: webhooks are called by POST or GET, not by PUT"),
        "{}",
        report_lines(&put)
    );
}

#[test]
fn answers_of_forms_are_named_by_their_questions() {
    let typeform = import("typeformTrigger", json!({"formId": "f", "onlyAnswers": false}));
    assert_eq!(steps(&typeform), [("on_call", "webhook"), ("on", "code")]);
    let javascript = "return n8n.typeformItem($json, { onlyAnswers: false, simplifies: true });";
    assert_eq!(config(&typeform, "on")["javascript"], javascript);

    let jotform = import("jotFormTrigger", json!({"form": "9"}));
    assert_eq!(steps(&jotform), [("on_call", "webhook"), ("on", "http")]);
    assert_eq!(
        config(&jotform, "on")["itemMode"]["result"]["js"],
        "n8n.jotformItem($json, { onlyAnswers: true, questions: output.body.content })"
    );
    let plain = import("jotFormTrigger", json!({"form": "9", "resolveData": false, "onlyAnswers": false}));
    assert_eq!(config(&plain, "on")["javascript"], "return n8n.jotformItem($json, { onlyAnswers: false });");
}

#[test]
fn a_schedule_asks_for_new_messages() {
    let times = json!({"item": [{"mode": "everyX", "unit": "minutes", "value": 5}, {"hour": 9}]});
    let filters = json!({"q": "subject:contract", "labelIds": ["INBOX"]});
    let gmail = import("gmailTrigger", json!({"simple": false, "filters": filters, "pollTimes": times}));
    let expected =
        [("on_time", "schedule"), ("on_time_2", "schedule"), ("on_list", "http"), ("on_new", "table"), ("on", "http")];
    assert_eq!(steps(&gmail), expected);
    assert_eq!(connections(&gmail), "on_time>on_list on_time_2>on_list on_list>on_new on_new>on on>keep",);
    let zone = "America/New_York";
    assert_eq!(config(&gmail, "on_time"), json!({"cron": "*/5 * * * *", "zone": zone, "overlap": "skip"}));
    assert_eq!(config(&gmail, "on_time_2")["cron"], "0 9 * * *");
    let list = config(&gmail, "on_list");
    assert_eq!(
        list["query"]["q"]["js"],
        r#"n8n.gmailQuery({ q: "subject:contract", more: "-in:drafts {in:inbox -in:sent}" })"#
    );
    assert_eq!(list["itemMode"]["whenEmpty"], "one", "even an empty list is a first run");
    assert_eq!(
        config(&gmail, "on_new"),
        json!({
            "table": "seen_on", "action": "addNew", "keep": 3_000,
            "values": {"js": "n8n.seenRows(() => $json.id, true)"},
            "itemMode": {"run": "all", "result": {"js": "n8n.newItems(output, () => $json.id, true)"}},
        })
    );
    assert_eq!(config(&gmail, "on")["itemMode"]["result"]["js"], "n8n.gmailMessage(output.body)");
}

#[test]
fn new_rows_of_a_sheet_and_changed_files_are_found() {
    let sheet = json!({
        "documentId": {"__rl": true, "mode": "list", "value": "1abc"}, "event": "rowAdded",
        "sheetName": {"__rl": true, "mode": "list", "value": "gid=0", "cachedResultName": "Sheet1"},
    });
    let sheets = import("googleSheetsTrigger", sheet.clone());
    assert_eq!(steps(&sheets), [("on_time", "schedule"), ("on_list", "http"), ("on", "table")]);
    assert_eq!(config(&sheets, "on_time")["cron"], "* * * * *");
    assert_eq!(config(&sheets, "on")["values"]["js"], "n8n.seenRows(() => $json.row_number, true)");
    let mut changed = sheet;
    changed["event"] = "rowUpdate".into();
    changed["options"] = json!({"columnsToWatch": ["State"]});
    let changed = import("googleSheetsTrigger", changed);
    assert_eq!(
        config(&changed, "on")["values"]["js"],
        r#"n8n.seenRows(() => [$json.row_number, n8n.only($json, ["State"])], true)"#
    );

    let folder = json!({"__rl": true, "mode": "url", "value": "https://drive.google.com/drive/folders/13Hk"});
    let drive = import("googleDriveTrigger", json!({"event": "fileUpdated", "folderToWatch": folder}));
    assert_eq!(config(&drive, "on_list")["query"]["q"]["js"], r#"n8n.driveQuery({ folder: "13Hk", what: "files" })"#);
    assert_eq!(config(&drive, "on_list")["query"]["orderBy"], "modifiedTime desc");
    assert_eq!(config(&drive, "on")["values"]["js"], "n8n.seenRows(() => [$json.id, $json.modifiedTime], true)");
}

#[test]
fn every_poll_lets_only_new_entries_pass() {
    for (kind, parameters, types) in [
        ("rssFeedReadTrigger", json!({"feedUrl": "https://example.com/feed"}), "schedule http table"),
        ("googleCalendarTrigger", json!({"triggerOn": "eventStarted", "calendarId": "a"}), "schedule http table"),
        ("googleDriveTrigger", json!({"triggerOn": "specificFile", "fileToWatch": "f"}), "schedule http table"),
        ("notionTrigger", json!({"databaseId": "d"}), "schedule http table code"),
        ("notionTrigger", json!({"databaseId": "d", "simple": false}), "schedule http table"),
        (
            "airtableTrigger",
            json!({"baseId": "app1", "tableId": "tbl1", "triggerField": "Made"}),
            "schedule http table",
        ),
        ("microsoftOutlookTrigger", json!({"filters": {"readStatus": "unread"}}), "schedule http table code"),
        ("microsoftOutlookTrigger", json!({"output": "raw"}), "schedule http table"),
    ] {
        let imported = import(kind, parameters);
        let found: Vec<_> = steps(&imported).into_iter().map(|(_, kind)| kind).collect();
        assert_eq!(found.join(" "), types, "{kind}");
    }
}

#[test]
fn items_of_earlier_runs_are_removed() {
    let options = json!({"historySize": 100});
    let operation = "removeItemsSeenInPreviousExecutions";
    let parameters = json!({"operation": operation, "dedupeValue": "={{ $json.id }}", "options": options});
    let nodes = json!([
        {"name": "Go", "type": "manualTrigger"},
        {"name": "Once", "type": "removeDuplicates", "typeVersion": 2, "parameters": parameters},
    ]);
    let wires = json!({"Go": {"main": [[{"node": "Once"}]]}});
    let imported = read_sound(&json!({"name": "x", "nodes": nodes, "connections": wires}).to_string());
    assert_eq!(
        config(&imported, "once"),
        json!({
            "table": "seen_once", "action": "addNew", "keep": 100,
            "values": {"js": "n8n.seenRows(() => $json.id, false)"},
            "itemMode": {"run": "all", "result": {"js": "n8n.newItems(output, () => $json.id, false)"}},
        })
    );
}

#[test]
fn a_failure_has_the_form_of_an_example() {
    let imported = import("errorTrigger", json!({}));
    assert_eq!(steps(&imported), [("on", "input")]);
    let example = &config(&imported, "on")["example"];
    assert!(example["execution"]["error"]["message"].is_string() && example["workflow"]["name"].is_string());
}

#[test]
fn schedules_without_a_usual_time_run() {
    for (kind, parameters, cron, note) in [
        ("cron", json!({}), "0 14 * * *", "its time was not set: it runs daily at 14:00"),
        ("cron", json!({"mode": "everyDay", "value": {"hour": [9], "minute": [30]}}), "30 9 * * *", ""),
        ("cron", json!({"cronExpression": "0 6 * * *"}), "0 6 * * *", ""),
        (
            "cron",
            json!({"rule": {"interval": [{"field": "cronExpression", "expression": "0 9 * * 1"}]}}),
            "0 9 * * 1",
            "",
        ),
        (
            "scheduleTrigger",
            json!({"rule": {"interval": [{"field": "cronExpression", "value": "0 8 * * 1-5"}]}}),
            "0 8 * * 1-5",
            "",
        ),
        ("scheduleTrigger", json!({"rule": {"interval": [{"field": "cronExpression"}]}}), "0 14 * * *", "not set"),
    ] {
        let imported = import(kind, parameters);
        assert_eq!(config(&imported, "on")["cron"], cron);
        assert!(imported.report.nodes[0].why.contains(note), "{}", imported.report.nodes[0].why);
    }
}
