//! Nodes of services that send and load files, or that the crate `services` does not have.

use serde_json::{Value, json};

use super::super::{translate, translate_bot};
use super::{js, translated};
use crate::translation::Translation;

#[test]
fn bots_of_telegram_send_and_load_files() {
    let photo = json!({
        "operation": "sendPhoto", "chatId": "={{ $json.chat }}", "binaryData": true,
        "additionalFields": {"caption": "Hi", "fileName": "a.png"},
    });
    let config = &translated("telegram", 1.2, photo)[0]["config"];
    assert_eq!(config["url"], "https://api.telegram.org/bot{credential}/sendPhoto");
    assert_eq!(
        config["body"],
        json!({"type": "file", "file": {"js": "n8n.multipart([{ name: \"chat_id\", value: $value(() => $json.chat) }, \
            { name: \"caption\", value: \"Hi\" }, { name: \"photo\", file: $binary[\"data\"] && { ...$binary[\"data\"], name: \"a.png\" } }])"}})
    );
    let buttons = json!({
        "chatId": "7", "text": "Hi", "replyMarkup": "inlineKeyboard",
        "inlineKeyboard": {"rows": [{"row": {"buttons": [{"text": "A", "additionalFields": {"callback_data": "a"}}]}}]},
        "additionalFields": {"appendAttribution": false},
    });
    let body = |translation: Option<Translation>| {
        translation.unwrap().steps[0].config["body"]["value"]["js"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        body(translate_bot(1.2, &buttons, &js)),
        "{ chat_id: \"7\", text: \"Hi\", parse_mode: \"Markdown\", disable_web_page_preview: true, reply_markup: { inline_keyboard: [[{ text: \"A\", \
         callback_data: \"a\" }]] } }"
    );
    let action = json!({"operation": "sendChatAction", "chatId": "7"});
    assert_eq!(body(translate("telegram", 1.2, &action, &js)), "{ chat_id: \"7\", action: \"typing\" }");
    let file = translated("telegram", 1.2, json!({"resource": "file", "fileId": "={{ $json.id }}"}));
    let [path, content] = &file[..] else { panic!("{file:?}") };
    assert_eq!(path["config"]["itemMode"]["result"]["js"], "n8n.telegramFile(output.body)");
    assert_eq!(content["config"]["url"], json!({"js": "$json.url"}));
    assert_eq!(content["config"]["itemMode"]["result"]["js"], "n8n.telegramContent(output, undefined)");
}

#[test]
fn files_are_uploaded_before_they_are_shown() {
    let post = json!({
        "person": "p", "text": "={{ $json.text }}", "shareMediaCategory": "IMAGE", "additionalFields": {"title": "A"},
    });
    let steps = translated("linkedIn", 1.0, post);
    let urls: Vec<_> = steps.iter().map(|step| &step["config"]["url"]).collect();
    assert_eq!(
        urls,
        [
            &json!("https://api.linkedin.com/rest/images?action=initializeUpload"),
            &json!({"js": "$json.url"}),
            &json!("https://api.linkedin.com/rest/posts"),
        ]
    );
    assert_eq!(steps[2]["config"]["body"]["value"]["js"], "$json.post");
    let file = json!({"resource": "file", "options": {"channelId": "C1", "fileName": "a.csv"}});
    let steps = translated("slack", 2.3, file);
    assert_eq!(
        steps[0]["config"]["itemMode"]["result"]["js"],
        "n8n.slackUpload(output.body, { ...n8n.filesNamed(\"data\")[0], ...{ name: \"a.csv\" } }, { channel_id: [].concat(\"C1\")[0] }, \
         \"a.csv\")"
    );
    assert_eq!(steps[2]["config"]["url"], "https://slack.com/api/files.completeUploadExternal");
}

#[test]
fn whats_app_sends_files_and_templates() {
    let image = json!({
        "operation": "send", "phoneNumberId": "1", "recipientPhoneNumber": "={{ $json.to }}", "messageType": "image",
        "mediaPath": "useMedian8n",
    });
    let steps = translated("whatsApp", 1.0, image);
    let urls: Vec<_> = steps.iter().map(|step| step["config"]["url"].to_string()).collect();
    assert!(urls[0].contains("/media") && urls[1].contains("$json.phone"), "{urls:?}");
    assert_eq!(steps[1]["config"]["body"]["value"]["js"], "$json.message");
    let template = json!({"phoneNumberId": "1", "recipientPhoneNumber": "+34 6", "template": "hello|en_US"});
    let body = &translated("whatsApp", 1.0, template)[0]["config"]["body"]["value"]["js"];
    assert_eq!(
        body,
        "{ messaging_product: \"whatsapp\", to: String(\"+34 6\").replace(/[^\\d]/g, ''), type: \"template\", \
         template: n8n.whatsAppTemplate(\"hello|en_US\", []) }"
    );
}

#[test]
fn requests_of_the_table_have_a_path_a_query_and_a_body() {
    let steps = translated(
        "apify",
        1.0,
        json!({"operation": "Run actor", "actorId": {"__rl": true, "value": "a/b"}, "customBody": "{\"c\": 1}", "memory": 512}),
    );
    let config = &steps[0]["config"];
    assert_eq!(
        config["url"]["js"],
        "`https://api.apify.com/v2/acts/${encodeURIComponent(String(\"a/b\").trim().replace('/', '~'))}/runs`"
    );
    assert_eq!(config["query"], json!({"memory": "512", "waitForFinish": "60"}));
    assert_eq!(config["body"]["value"]["js"], "n8n.jsonBody(\"{\\\"c\\\": 1}\")");
    let translation =
        translate("mattermost", 1.0, &json!({"channelId": "c", "message": "=a{{ $json.b }}"}), &js).unwrap();
    assert_eq!(
        translation.steps[0].config["body"]["value"]["js"],
        "{ channel_id: \"c\", message: $text`a${() =>  $json.b }` }"
    );
    assert_eq!(
        translation.reconnect,
        [
            "the address of the server in the URL of Mattermost",
            "a credential for Mattermost: its API key as a bearer token"
        ]
    );
}

#[test]
fn options_that_nothing_reads_are_reported() {
    let notes = |kind: &str, parameters: Value| translate(kind, 2.0, &parameters, &js).unwrap().notes;
    let reply = json!({
        "operation": "reply", "messageId": "m", "message": "Hi",
        "options": {"saveAsDraft": true, "importance": "High", "appendAttribution": false}, "additionalFields": {"categories": [], "cc": ""},
    });
    assert_eq!(notes("microsoftOutlook", reply), ["not imported: `options.importance`"]);
    let task = json!({"project": "7", "content": "a", "options": {"order": 2, "description": "b"}});
    assert_eq!(notes("todoist", task), ["not imported: `options.order`"]);
}

#[test]
fn lists_of_a_space_and_tasks_within_tasks() {
    let config = |parameters: Value| translated("clickUp", 1.0, parameters)[0]["config"].clone();
    let list = json!({"resource": "list", "operation": "create", "space": "7", "folderless": true, "name": "A"});
    assert_eq!(config(list)["url"], "https://api.clickup.com/api/v2/space/7/list");
    let list = json!({"resource": "list", "operation": "create", "space": "7", "folder": "8", "name": "A"});
    assert_eq!(config(list)["url"], "https://api.clickup.com/api/v2/folder/8/list");
    let task = json!({
        "list": "={{ $json.list }}", "name": "A", "additionalFields": {"parentId": "={{ $json.id }}", "timeEstimate": 2},
    });
    assert_eq!(
        config(task)["body"]["value"]["js"],
        "{ name: \"A\", time_estimate: 2 * 6000, parent: $value(() => $json.id) }"
    );
}

#[test]
fn bases_of_airtable_are_listed_by_default() {
    let config = &translated("airtable", 2.1, json!({"resource": "base", "options": {}}))[0]["config"];
    assert_eq!(config["url"], "https://api.airtable.com/v0/meta/bases");
    assert_eq!(config["itemMode"]["result"]["js"], "output.body.bases");
}

#[test]
fn messages_of_gmail_are_html_by_default() {
    let raw = |version: f64, parameters: Value| {
        let mut all = json!({"sendTo": "a@example.com", "message": "<b>Hi</b>"});
        all.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        translated("gmail", version, all)[0]["config"]["body"]["value"]["js"].as_str().unwrap().to_owned()
    };
    for version in [2.0, 2.1] {
        assert!(raw(version, json!({})).contains("html: \"<b>Hi</b>\""));
        assert!(raw(version, json!({"emailType": "text"})).contains("text: \"<b>Hi</b>\""));
    }
}

#[test]
fn contacts_of_hubspot_have_the_form_of_its_older_answers() {
    let config = &translated("hubspot", 2.1, json!({"email": "a@example.com", "additionalFields": {}}))[0]["config"];
    let items = "({ ...n8n.hubspotRecord(output.body.results[0], 'vid'), isNew: output.body.results[0].new === true })";
    assert_eq!(config["itemMode"]["result"]["js"], items);
}
