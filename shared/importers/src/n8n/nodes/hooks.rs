//! Translates triggers that a service calls: a webhook, and the item that n8n makes of a call.

use serde_json::{Value, json};

use crate::lenient::{scalar_text, truncate};
use crate::n8n::context::Context;
use crate::n8n::http_config::call;
use crate::translation::Translation;

/// The value of the node.
#[derive(Clone, Copy)]
enum Item {
    /// The body of the call. The elements of a list are items.
    Body,
    /// The call, as `{body, headers, query}`.
    Call,
    /// What a script makes of the body, `$json`.
    Script(&'static str),
}

/// The triggers, each with its service and its item.
#[rustfmt::skip]
const HOOKS: [(&str, &str, Item); 33] = [
    ("asanaTrigger", "Asana", Item::Script("$json.events ?? []")),
    ("autopilotTrigger", "Autopilot", Item::Body),
    ("bitbucketTrigger", "Bitbucket", Item::Body),
    ("calTrigger", "Cal.com", Item::Script("n8n.calItem($json)")),
    ("calendlyTrigger", "Calendly", Item::Body),
    ("chargebeeTrigger", "Chargebee", Item::Body),
    ("clickUpTrigger", "ClickUp", Item::Body),
    ("convertKitTrigger", "ConvertKit", Item::Body),
    ("customerIoTrigger", "Customer.io", Item::Body),
    ("emeliaTrigger", "Emelia", Item::Body),
    ("figmaTrigger", "Figma", Item::Body),
    ("githubTrigger", "GitHub", Item::Call),
    ("gitlabTrigger", "GitLab", Item::Call),
    ("gumroadTrigger", "Gumroad", Item::Body),
    ("hubspotTrigger", "HubSpot", Item::Script("$input.all().map((item) => n8n.hubspotEvent(item.json))")),
    ("jiraTrigger", "Jira", Item::Body),
    ("klicktippTrigger", "KlickTipp", Item::Body),
    ("lemlistTrigger", "lemlist", Item::Body),
    ("linearTrigger", "Linear", Item::Body),
    ("mailchimpTrigger", "Mailchimp", Item::Body),
    ("mauticTrigger", "Mautic", Item::Body),
    ("netlifyTrigger", "Netlify", Item::Body),
    ("onfleetTrigger", "Onfleet", Item::Body),
    ("pipedriveTrigger", "Pipedrive", Item::Body),
    ("postmarkTrigger", "Postmark", Item::Body),
    ("pushcutTrigger", "Pushcut", Item::Body),
    ("shopifyTrigger", "Shopify", Item::Body),
    ("stripeTrigger", "Stripe", Item::Body),
    ("taigaTrigger", "Taiga", Item::Body),
    ("trelloTrigger", "Trello", Item::Body),
    ("twilioTrigger", "Twilio", Item::Body),
    ("webflowTrigger", "Webflow", Item::Body),
    ("wooCommerceTrigger", "WooCommerce", Item::Body),
];
/// The parameters that name the events.
const EVENTS: [&str; 13] = [
    "events",
    "eventsUi",
    "event",
    "topic",
    "triggerOn",
    "updates",
    "resources",
    "resource",
    "object",
    "entity",
    "action",
    "actionName",
    "operations",
];
const MAX_EVENTS: usize = 20;
const MAX_EVENT_CHARS: usize = 60;

/// None if the trigger is not known.
pub fn hook(node: Context) -> Option<Translation> {
    let kind = node.source().kind;
    match kind {
        "jotFormTrigger" => return Some(jotform(node)),
        "typeformTrigger" => return Some(typeform(node)),
        _ => {}
    }
    let (_, service, item) = HOOKS.iter().find(|(name, ..)| *name == kind)?;
    let webhook = |input: Value| with_service(node, service, Translation::new("webhook", input));
    Some(match item {
        Item::Body => webhook(json!({})),
        Item::Call => webhook(json!({"input": "call"})),
        Item::Script(script) => {
            webhook(json!({})).before("call", "code", json!({"javascript": format!("return {script};")}))
        }
    })
}

/// Says which service calls the webhook, and when.
fn with_service(node: Context, service: &str, translation: Translation) -> Translation {
    let mut names = Vec::new();
    EVENTS.iter().for_each(|name| collect_texts(node.parameter(name), &mut names));
    names.truncate(MAX_EVENTS);
    let events = match names.is_empty() {
        true => String::new(),
        false => format!(" for {}", names.join(", ")),
    };
    translation.with_reconnects([format!(
        "a webhook (async), whose URL is registered at {service}{events}, with the token of the webhook as `?token=`"
    )])
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect_texts(field, texts)),
        other => {
            let text = scalar_text(other);
            texts.extend((!text.is_empty() && !text.starts_with('=')).then(|| truncate(&text, MAX_EVENT_CHARS)));
        }
    }
}

/// Without `simplifyAnswers`, the answers are as Typeform writes them.
fn typeform(node: Context) -> Translation {
    let is_on = |name: &str| *node.parameter(name) != false;
    let options = format!("onlyAnswers: {}, simplifies: {}", is_on("onlyAnswers"), is_on("simplifyAnswers"));
    let code = json!({"javascript": format!("return n8n.typeformItem($json, {{ {options} }});")});
    with_service(node, "Typeform", Translation::new("webhook", json!({}))).before("call", "code", code)
}

/// The texts of the questions are not in the call, so a second node reads them.
fn jotform(node: Context) -> Translation {
    let hook = with_service(node, "Jotform", Translation::new("webhook", json!({})));
    let only_answers = *node.parameter("onlyAnswers") != false;
    if *node.parameter("resolveData") == false {
        let code = format!("return n8n.jotformItem($json, {{ onlyAnswers: {only_answers} }});");
        return hook.before("call", "code", json!({"javascript": code}));
    }
    let result = format!("n8n.jotformItem($json, {{ onlyAnswers: {only_answers}, questions: output.body.content }})");
    let url = "`https://api.jotform.com/form/${encodeURIComponent($json.formID)}/questions`";
    let config = call("GET", json!({"js": url}), None, &result);
    hook.before("call", "http", config).with_reconnects(["a credential for Jotform: a header `APIKEY`"])
}
