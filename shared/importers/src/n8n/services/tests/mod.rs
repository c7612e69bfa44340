use allocation_counter::measure;
use serde_json::{Value, json};

use super::translate;
use crate::translation::{Translation, find_problem};

mod requests;

/// For one query of 64 KiB.
const MOST_ALLOCATED_BYTES: u64 = 16 * 1024 * 1024;

/// Writes a parameter in JavaScript, as the importer does.
fn js(value: &Value) -> String {
    match value {
        Value::String(text) => match text.strip_prefix('=') {
            Some(template) => match template.strip_prefix("{{").and_then(|code| code.strip_suffix("}}")) {
                Some(code) if !code.contains("{{") => format!("$value(() => {})", code.trim()),
                _ => format!("$text`{}`", template.replace("{{", "${() => ").replace("}}", "}")),
            },
            None => value.to_string(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(js).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{}: {}", Value::from(name.as_str()), js(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

pub fn problems(translation: &Translation) -> Vec<String> {
    translation.steps.iter().filter_map(|step| find_problem(step.kind, &step.config)).collect()
}

fn translated(kind: &str, version: f64, parameters: Value) -> Vec<Value> {
    let translation = translate(kind, version, &parameters, &js).unwrap_or_else(|| panic!("{kind}: {parameters}"));
    assert_eq!(problems(&translation), Vec::<String>::new());
    translation
        .steps
        .into_iter()
        .map(|step| json!({"type": step.kind, "suffix": step.suffix, "config": step.config}))
        .collect()
}

#[test]
fn rows_of_a_sheet_are_read_and_filtered() {
    let steps = translated(
        "googleSheets",
        4.7,
        json!({
            "documentId": {"__rl": true, "mode": "url", "value": "https://docs.google.com/spreadsheets/d/1abc/edit#gid=0"},
            "sheetName": {"__rl": true, "mode": "list", "value": 7, "cachedResultName": "O'Neill"},
            "filtersUI": {"values": [{"lookupColumn": "Status", "lookupValue": "={{ $json.status }}"}]},
        }),
    );
    assert_eq!(
        steps,
        [json!({"type": "http", "suffix": "", "config": {
            "method": "GET", "url": "https://sheets.googleapis.com/v4/spreadsheets/1abc/values/%27O%27%27Neill%27",
            "query": {"valueRenderOption": "UNFORMATTED_VALUE", "dateTimeRenderOption": "FORMATTED_STRING"},
            "failOnStatus": true,
            "itemMode": {"result": {
                "js": r#"n8n.sheetRows(output.body, { filters: [["Status", $value(() => $json.status)]] })"#
            }},
        }})]
    );
}

#[test]
fn a_row_is_appended_by_the_names_of_its_columns() {
    let steps = translated(
        "googleSheets",
        4.5,
        json!({
            "operation": "append", "documentId": {"__rl": true, "mode": "id", "value": "={{ $json.file }}"},
            "sheetName": {"__rl": true, "mode": "id", "value": "gid=12"},
            "columns": {"mappingMode": "defineBelow", "value": {"Name": "={{ $json.name }}", "Day": "Monday"}},
        }),
    );
    let [read, write] = &steps[..] else { panic!("{steps:?}") };
    assert_eq!((&read["suffix"], &write["suffix"]), (&json!("header"), &json!("")));
    assert_eq!(read["config"]["itemMode"]["run"], "all");
    assert_eq!(
        read["config"]["itemMode"]["result"]["js"],
        "n8n.sheetAppend(output.body, () => ({ Name: $value(() => $json.name), Day: \"Monday\" }), \
         { document: $value(() => $json.file), isStrict: true })"
    );
    assert_eq!(
        write["config"]["url"]["js"],
        "`https://sheets.googleapis.com/v4/spreadsheets/${encodeURIComponent($json.document)}/values/\
         ${encodeURIComponent($json.sheet)}:append`"
    );
    assert_eq!(
        write["config"]["body"]["value"]["js"],
        r#"{"values": $input.all().flatMap((item) => item.json.lines)}"#
    );
}

#[test]
fn a_row_that_is_not_found_is_appended() {
    let parameters = json!({
        "operation": "appendOrUpdate", "documentId": "1abc", "sheetName": "Orders",
        "columns": {"mappingMode": "autoMapInputData", "matchingColumns": ["id"]},
    });
    let translation = translate("googleSheets", 4.6, &parameters, &js).unwrap();
    let names: Vec<_> = translation.steps.iter().map(|step| (step.kind, step.suffix)).collect();
    assert_eq!(names, [("http", "rows"), ("code", "changes"), ("http", "update"), ("http", "append"), ("code", "")]);
    let wires: Vec<_> = translation.wires.iter().map(|(from, port, to)| (*from, port.as_str(), *to)).collect();
    assert_eq!(wires, [(0, "out", 1), (1, "update", 2), (1, "append", 3), (2, "out", 4), (3, "out", 4)]);
    assert_eq!(translation.exits, [("0".to_owned(), 4, "out".to_owned())]);
}

#[test]
fn a_message_of_slack_has_blocks_and_a_thread() {
    let steps = translated(
        "slack",
        2.3,
        json!({
            "select": "channel", "channelId": {"__rl": true, "mode": "name", "value": "general"}, "messageType": "block",
            "blocksUi": r#"{"blocks": [{"type": "divider"}]}"#, "text": "=Hi {{ $json.name }}",
            "otherOptions": {"includeLinkToWorkflow": false, "thread_ts": {"replyValues": {"thread_ts": "={{ $json.ts }}"}}},
        }),
    );
    assert_eq!(
        steps[0]["config"]["body"]["value"]["js"],
        r##"{"channel": "general", "text": $text`Hi ${() =>  $json.name }`, "blocks": [{"type":"divider"}], "thread_ts": n8n.slackThread($value(() => $json.ts))}"##
    );
    assert_eq!(steps[0]["config"]["itemMode"]["result"]["js"], "n8n.slackMessage(output.body)");
}

#[test]
fn a_query_becomes_statements_with_values() {
    let config = |version: f64, parameters: Value| {
        let steps = translated("postgres", version, parameters);
        steps[0]["config"]["statements"].clone()
    };
    let query = "=SELECT * FROM a WHERE name = '{{ $json.name }}' AND n > {{ $json.n }} AND x LIKE '%{{ $json.x }}%';\nSELECT ';'";
    assert_eq!(
        config(2.5, json!({"operation": "executeQuery", "query": query})),
        json!([
            {
                "sql": "SELECT * FROM a WHERE name = $1 AND n > $2 AND x LIKE $3",
                "parameters": {"js": "[$value(() => $json.name), $value(() => $json.n), $text`%${() =>  $json.x }%`]"},
            },
            {"sql": "SELECT ';'"},
        ])
    );
    let replaced = json!({
        "operation": "executeQuery", "query": "UPDATE a SET b = $2 WHERE id = $1",
        "options": {"queryReplacement": "={{ $json.id }},{{ [1, 2].join(',') }}"},
    });
    assert_eq!(
        config(2.6, replaced),
        json!([{
            "sql": "UPDATE a SET b = $1 WHERE id = $2",
            "parameters": {"js": "[$value(() => [1, 2].join(',')), $value(() => $json.id)]"},
        }])
    );
    let upsert = json!({
        "operation": "upsert", "schema": {"__rl": true, "mode": "list", "value": "public"}, "table": {"__rl": true, "mode": "name", "value": "a"},
        "columns": {"mappingMode": "defineBelow", "value": {"id": "={{ $json.id }}", "b\"c": 1}, "matchingColumns": ["id"]},
    });
    assert_eq!(
        config(2.5, upsert)[0]["sql"],
        r#"INSERT INTO "public"."a" ("id", "b""c") VALUES ($1, $2) ON CONFLICT ("id") DO UPDATE SET "b""c" = EXCLUDED."b""c" RETURNING *"#
    );
    // The name of a table cannot be a value.
    let computed = json!({"operation": "executeQuery", "query": "=SELECT * FROM {{ $json.table }}"});
    assert!(translate("postgres", 2.5, &computed, &js).is_none());
}

#[test]
fn rows_of_a_table_are_found_by_conditions() {
    let steps = translated(
        "dataTable",
        1.0,
        json!({
            "operation": "rowNotExists", "dataTableId": {"__rl": true, "mode": "list", "value": "x1", "cachedResultName": "My orders"},
            "filters": {"conditions": [{"keyName": "id", "condition": "gte", "keyValue": "={{ $json.id }}"}]},
        }),
    );
    assert_eq!(
        steps[0]["config"],
        json!({
            "table": "My_orders", "action": "find", "matching": "any", "limit": 1,
            "filters": [{"field": "id", "operator": "atLeast", "value": {"js": "$value(() => $json.id)"}}],
            "itemMode": {"result": {"js": "output.length > 0 ? [] : [{ json: $json }]"}},
        })
    );
}

#[test]
fn texts_of_messages_are_templates_or_scripts() {
    let message = json!({"chatId": "={{ $json.chat }}", "text": "Hi {{"});
    let config = &translated("telegram", 1.2, message)[0]["config"];
    assert_eq!(
        (&config["text"], &config["to"]),
        (&json!("Hi {{ '{{' }}"), &json!({"js": "String($value(() => $json.chat))"}))
    );
    let email = json!({"fromEmail": "a@b.c", "toEmail": "={{ $json.to }}", "subject": "Hi", "html": "<b>"});
    let config = &translated("emailSend", 2.1, email)[0]["config"];
    assert_eq!((&config["from"], &config["to"]), (&json!("a@b.c"), &json!({"js": "$value(() => $json.to)"})));
    assert_eq!((&config["host"], &config["html"]), (&json!("to-be-chosen.invalid"), &json!("<b>")));
}

#[test]
fn files_go_to_messages_and_drives() {
    let message = json!({
        "sendTo": "a@b.c", "subject": "Hi", "message": "=<b>{{ $json.name }}</b>",
        "options": {"attachmentsUi": {"attachmentsBinary": [{"property": "report,list"}]}},
    });
    assert_eq!(
        translated("gmail", 2.1, message)[0]["config"]["body"]["value"]["js"],
        "{\"raw\": n8n.mime({ to: \"a@b.c\", subject: \"Hi\", html: $text`<b>${() =>  $json.name }</b>`, \
         files: n8n.files([\"report\", \"list\"]) })}"
    );
    let file = json!({"operation": "download", "fileId": {"__rl": true, "mode": "url", "value": "https://drive.google.com/file/d/1x/view"}});
    let steps = translated("googleDrive", 3.0, file);
    assert_eq!(steps[0]["config"]["url"], "https://www.googleapis.com/drive/v3/files/1x");
    assert_eq!(steps[1]["config"]["url"], json!({"js": "$json.url"}));
}

#[test]
fn operations_of_the_table_have_their_defaults() {
    let steps = translated("trello", 1.0, json!({"listId": "=a{{ 1 }}", "name": "Card"}));
    assert_eq!(steps[0]["config"]["query"], json!({"idList": {"js": "$text`a${() =>  1 }`"}, "name": "Card"}));
    let comment = json!({"resource": "issueComment", "issueKey": "ED-1", "comment": "x"});
    let settings = translated("jira", 1.0, comment);
    assert_eq!(settings[0]["config"]["url"], "https://to-be-chosen.atlassian.net/rest/api/3/issue/ED-1/comment");
    let delete = translated("hubspot", 2.1, json!({"resource": "deal", "operation": "delete", "dealId": "13"}));
    assert_eq!(delete[0]["config"]["itemMode"]["result"]["js"], "({ vid: \"13\", deleted: true })");
    let item_mode = |kind: &str, parameters: Value| translated(kind, 1.0, parameters)[0]["config"]["itemMode"].clone();
    let lists = |more: Value| {
        let mut parameters = json!({"resource": "list", "operation": "getAll", "id": "b1"});
        parameters.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        item_mode("trello", parameters)
    };
    assert_eq!(lists(json!({})), json!({"result": {"js": "output.body.slice(0, 20)"}}));
    assert_eq!(lists(json!({"limit": "={{ 2 }}"})), json!({"result": {"js": "output.body.slice(0, $value(() => 2))"}}));
    assert_eq!(lists(json!({"returnAll": true})), json!({"result": {"js": "output.body"}}));
    let rows =
        json!({"tableId": "people", "fieldsUi": {"fieldValues": [{"fieldId": "a", "fieldValue": "={{ $json.a }}"}]}});
    assert_eq!(item_mode("supabase", rows)["run"], "all");
    assert!(translate("trello", 1.0, &json!({"operation": "unknown"}), &js).is_none());
    assert!(translate("unknown", 1.0, &json!({}), &js).is_none());
}

#[test]
fn a_jira_server_gets_its_own_requests() {
    for version in ["server", "serverPat"] {
        let config = |mut parameters: Value| {
            parameters["jiraVersion"] = version.into();
            translated("jira", 1.0, parameters)[0]["config"].clone()
        };
        let search = config(json!({"operation": "getAll"}));
        assert_eq!(search["url"], "https://to-be-chosen.atlassian.net/rest/api/2/search");
        let comment =
            config(json!({"resource": "issueComment", "operation": "add", "issueKey": "ED-1", "comment": "x"}));
        assert_eq!(comment["body"]["value"]["js"], "{ body: \"x\" }");
        let update = json!({"operation": "update", "issueKey": "ED-1", "updateFields": {"assignee": "ada"}});
        let script = config(update)["body"]["value"]["js"].to_string();
        assert!(script.contains(version), "{script}");
    }
}

#[test]
fn a_limit_above_the_page_is_reported() {
    for (kind, resource, page) in [("clickUp", "task", 100), ("salesforce", "lead", 2000), ("jira", "issue", 100)] {
        let is_reported = |limit: u64| {
            let parameters = json!({"resource": resource, "operation": "getAll", "limit": limit});
            let notes = translate(kind, 1.0, &parameters, &js).unwrap().notes;
            json!(notes).to_string().contains("only the first page")
        };
        assert_eq!((is_reported(page), is_reported(page + 1)), (false, true), "{kind}");
    }
}

#[test]
fn hostile_queries_stay_small() {
    // What every translation needs is allocated once.
    translated("postgres", 2.5, json!({"operation": "executeQuery", "query": "SELECT 1"}));
    let many = "{{ 1 }}'".repeat(8_000);
    let quotes = "'{{ 1 }}".repeat(8_000);
    let long = "x".repeat(20_000);
    for (query, given) in [
        (format!("=SELECT {many}"), ""),
        (format!("=SELECT {quotes}"), ""),
        (format!("=SELECT a, {}", "{{ 1 }}, ".repeat(7_000)), ""),
        (format!("SELECT {}", ";".repeat(60_000)), ""),
        (format!("SELECT {}", "''".repeat(30_000)), ""),
        ("$1".repeat(30_000), ""),
        // MySQL needs the value once for each place.
        ("$1 ".repeat(20_000), &long),
    ] {
        let parameters = json!({"operation": "executeQuery", "query": query, "options": {"queryReplacement": given}});
        let kind = if given.is_empty() { "postgres" } else { "mySql" };
        let mut translation = None;
        let used = measure(|| translation = translate(kind, 2.5, &parameters, &js));
        let start = &query[..20];
        assert!(used.bytes_total < MOST_ALLOCATED_BYTES, "{} bytes allocated for {start}", used.bytes_total);
        let steps = translation.iter().flat_map(|translation| &translation.steps);
        let written: usize = steps.map(|step| json!(step.config).to_string().len()).sum();
        assert!(written < 8 * query.len(), "{written} bytes written for {start}");
    }
}

#[test]
fn hostile_parameters_do_not_panic() {
    for kind in [
        "googleSheets",
        "gmail",
        "slack",
        "notion",
        "airtable",
        "googleDrive",
        "dataTable",
        "emailSend",
        "hubspot",
        "telegram",
        "linkedIn",
        "nocoDb",
    ] {
        for parameters in [
            json!(null),
            json!([]),
            json!({"operation": 5, "columns": 7, "options": [1]}),
            json!({"documentId": {"__rl": 1}}),
        ] {
            if let Some(translation) = translate(kind, f64::NAN, &parameters, &js) {
                problems(&translation);
            }
        }
    }
}

/// Counts the nodes of a folder of workflows that are translated: `CORPUS=… cargo test -p importers --lib services -- --ignored
/// --nocapture`. With `LEFT=<type>`, it lists what is left of a type.
#[test]
#[ignore = "reads a folder of workflows"]
#[expect(clippy::print_stdout, reason = "it prints the counts")]
fn counts_the_nodes_of_a_corpus() {
    use std::collections::BTreeMap;

    /// The types that call no service.
    const OTHERS: &str = include_str!("../others.txt");
    let others: Vec<&str> = OTHERS.split_whitespace().collect();
    let (folder, left) = (std::env::var("CORPUS").unwrap(), std::env::var("LEFT").unwrap_or_default());
    let mut counts = BTreeMap::<String, [usize; 4]>::new();
    let mut missing = BTreeMap::<String, usize>::new();
    let mut scripts = Vec::new();
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let Ok(workflow) = serde_json::from_str::<Value>(&std::fs::read_to_string(file).unwrap()) else { continue };
        for node in workflow["nodes"].as_array().into_iter().flatten() {
            let Some(kind) = node["type"].as_str().and_then(|kind| kind.strip_prefix("n8n-nodes-base.")) else {
                continue;
            };
            if kind.ends_with("Trigger") || kind.ends_with("Tool") || others.contains(&kind) {
                continue;
            }
            let parameters = &node["parameters"];
            let count = counts.entry(kind.to_owned()).or_default();
            count[0] += 1;
            if parameters["operation"] == "sendAndWait" {
                count[3] += 1;
                continue;
            }
            let version = node["typeVersion"].as_f64().unwrap_or(1.0);
            let what = match translate(kind, version, parameters, &js) {
                Some(translation) => {
                    let problems = problems(&translation);
                    for step in &translation.steps {
                        collect(&step.config.clone().into(), &mut scripts);
                    }
                    count[if problems.is_empty() { 1 } else { 2 }] += 1;
                    problems.first().map(|problem| format!("{kind}: {problem}"))
                }
                None => Some(format!("{kind}@{version} {}:{}", parameters["resource"], parameters["operation"])),
            };
            if let Some(what) = what.filter(|_| left.is_empty() || left == kind) {
                *missing.entry(what).or_default() += 1;
            }
        }
    }
    let mut sums = [0; 4];
    let mut rows: Vec<_> = counts.iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(count[0]));
    for (kind, count) in rows {
        if left.is_empty() {
            println!(
                "{kind:28} {:5} translated {:5} invalid {:4} reviews {:3}",
                count[0], count[1], count[2], count[3]
            );
        }
        (0..4).for_each(|index| sums[index] += count[index]);
    }
    println!("all {} translated {} invalid {} reviews {}", sums[0], sums[1], sums[2], sums[3]);
    let mut missing: Vec<_> = missing.into_iter().collect();
    missing.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    missing.iter().take(120).for_each(|(what, count)| println!("{count:5} {what}"));
    if let Ok(file) = std::env::var("SCRIPTS") {
        std::fs::write(file, serde_json::to_string(&scripts).unwrap()).unwrap();
    }
}

/// The scripts of a configuration, each with whether it is a body.
fn collect(config: &Value, scripts: &mut Vec<Value>) {
    match config {
        Value::Object(fields) => {
            if let Some(script) = fields.get("js").filter(|script| script.is_string()) {
                scripts.push(json!([false, script]));
            }
            if let Some(script) = fields.get("javascript") {
                scripts.push(json!([true, script]));
            }
            fields.values().for_each(|field| collect(field, scripts));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, scripts)),
        _ => {}
    }
}
