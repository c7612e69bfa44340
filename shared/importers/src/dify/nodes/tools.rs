//! Converts tools. Those of well-known services become calls of these services. Every other one becomes a call of a tool
//! with the same name on an MCP server, which must be chosen. The value has the fields of Dify's tools: text, json, files.

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::super::super::lenient::{entries, is_empty, scalar_text, text, truncate, whole_number};
use super::super::super::notes::{Notes, note};
use super::super::super::secrets::remove_plain_secrets;
use super::super::super::syntax::{cel_literal, quote};
use super::super::super::translation::{Translation, UNBOUND_ID, UNBOUND_MODEL};
use super::super::context::Context;
use super::super::texts;

/// The address where the user must choose an MCP server. Nothing can have it.
const UNBOUND_SERVER: &str = "https://to-be-chosen.invalid/mcp";
/// The address where the user must give the one of a `SearXNG` server.
const UNBOUND_SEARCH: &str = "https://searxng.to-be-chosen.invalid/search";

/// A tool with its parameters.
struct Tool<'a, 'd> {
    node: Context<'a, 'd>,
    notes: Notes,
}

pub fn tool(node: Context) -> Translation {
    let name = text(node.data("tool_name"));
    let mut tool = Tool { node, notes: Notes::new() };
    let translation = match (text(node.data("provider_type")), name) {
        ("workflow", _) => return workflow(node),
        ("builtin", name) => builtin(&mut tool, name),
        _ => None,
    };
    match translation {
        Some(translation) => translation.with_notes(tool.notes),
        None => server(node),
    }
}

fn builtin(tool: &mut Tool, name: &str) -> Option<Translation> {
    Some(match name {
        "current_time" => tool.current_time(),
        "webscraper" => tool.page(),
        "jina_reader" => {
            let url = format!("https://r.jina.ai/{}", tool.template("url")?);
            called(json!({"url": url, "response": "text"}), "input.body", "[]", "Jina")
        }
        "jina_search" => {
            let call =
                json!({"url": "https://s.jina.ai/", "query": {"q": tool.template("query")?}, "response": "text"});
            called(call, "input.body", "[]", "Jina")
        }
        "tavily_search" => {
            let count = whole_number(tool.setting("max_results")).unwrap_or(5).clamp(1, 20);
            let depth = if text(tool.setting("search_depth")) == "advanced" { "advanced" } else { "basic" };
            let query = tool.expression("query")?;
            let body = format!("{{'query': {query}, 'max_results': {count}, 'search_depth': '{depth}'}}");
            let call = json!({"method": "POST", "url": "https://api.tavily.com/search", "body": {"type": "json", "value": body}, "response": "json"});
            let found = "input.body.results.map(r, r.title + '\\n' + r.url + '\\n' + r.content).join('\\n\\n')";
            called(call, found, "[input.body]", "Tavily")
        }
        "searxng_search" => {
            let query = json!({"q": tool.template("query")?, "format": "json"});
            let found = "input.body.results.map(r, r.title + '\\n' + r.url).join('\\n\\n')";
            let call = json!({"url": UNBOUND_SEARCH, "query": query, "response": "json"});
            called(call, found, "input.body.results", "SearXNG")
                .with_reconnects(["the address of a SearXNG server, in the URL"])
        }
        "google_search" => {
            let query = json!({"engine": "google", "q": tool.template("query")?});
            let found = "(has(input.body.organic_results) ? input.body.organic_results : []).map(r, r.title + '\\n' + r.link + (has(r.snippet) ? '\\n' + r.snippet : '')).join('\\n\\n')";
            let call = json!({"url": "https://serpapi.com/search", "query": query, "response": "json"});
            called(call, found, "[input.body]", "SerpApi (query parameter api_key)")
        }
        "scrape" => {
            let body = format!("{{'url': {}, 'formats': ['markdown']}}", tool.expression("url")?);
            let call = json!({"method": "POST", "url": "https://api.firecrawl.dev/v1/scrape", "body": {"type": "json", "value": body}, "response": "json"});
            called(call, "input.body.data.markdown", "[input.body]", "Firecrawl")
        }
        "perplexity" => {
            let model = match scalar_text(tool.setting("model")) {
                model if model.is_empty() => "sonar".to_owned(),
                model => truncate(&model, 60),
            };
            let query = tool.expression("query")?;
            let body = format!("{{'model': {}, 'messages': [{{'role': 'user', 'content': {query}}}]}}", quote(&model));
            let call = json!({"method": "POST", "url": "https://api.perplexity.ai/chat/completions", "body": {"type": "json", "value": body}, "response": "json"});
            called(call, "input.body.choices[0].message.content", "[input.body]", "Perplexity")
        }
        "wikipedia_search" => {
            let language = if scalar_text(tool.given("language")) == "Chinese" { "zh" } else { "en" };
            let query = json!({
                "action": "query", "format": "json", "formatversion": "2", "prop": "extracts", "exintro": "1", "explaintext": "1",
                "generator": "search", "gsrlimit": "3", "gsrsearch": tool.template("query")?,
            });
            let found = "(has(input.body.query.pages) ? input.body.query.pages : []).map(page, 'Page: ' + page.title + '\\nSummary: ' + page.extract).join('\\n\\n')";
            let call = json!({"url": format!("https://{language}.wikipedia.org/w/api.php"), "query": query, "response": "json"});
            answered(Translation::new("http", call), found, "[]")
        }
        "ddgo_search" => {
            let call = json!({"url": "https://html.duckduckgo.com/html/", "query": {"q": tool.template("query")?}, "response": "text"});
            note(&mut tool.notes, "it gives the text of the page with the results");
            read_page(Translation::new("http", call))
        }
        "wecom_group_bot" => {
            let body = format!("{{'msgtype': 'text', 'text': {{'content': {}}}}}", tool.expression("content")?);
            let url = "https://qyapi.weixin.qq.com/cgi-bin/webhook/send";
            let call = json!({"method": "POST", "url": url, "body": {"type": "json", "value": body}});
            called(call, "'Text message sent successfully'", "[]", "WeCom (query parameter key)")
        }
        "163-smtp-send-mail" => {
            let mail = json!({
                "host": "smtp.163.com", "port": 465, "security": "tls", "from": tool.template("username_send")?,
                "to": tool.template("username_recv")?, "subject": tool.template("subject")?, "text": tool.template("content")?,
            });
            answered(Translation::new("email", mail), "'Email sent successfully'", "[]")
                .with_reconnects(["a credential of the mail server"])
        }
        "text2image" | "dalle3" | "dalle2" => {
            let image = json!({"preset": UNBOUND_MODEL, "prompt": tool.template("prompt")?});
            note(&mut tool.notes, "its files are addresses of images; check the size of the images");
            let fields = json!({"text": "input.map(image, image.url).join('\\n')", "json": "input", "files": "input"});
            named(Translation::new("image", image).then("", "transform", json!({"fields": fields})))
                .with_reconnects(["an image model"])
        }
        "parse" | "json_parse" => tool.json_value()?,
        _ => return None,
    })
}

/// A call of a service with a credential.
fn called(call: Value, text: &str, json: &str, service: &str) -> Translation {
    answered(Translation::new("http", call), text, json).with_reconnects([format!("a credential of {service}")])
}

/// A step whose value becomes that of a tool.
fn answered(translation: Translation, text: &str, json: &str) -> Translation {
    let fields = json!({"text": text, "json": json, "files": "[]"});
    named(translation.then("", "transform", json!({"fields": fields})))
}

/// Expressions name the last step.
fn named(mut translation: Translation) -> Translation {
    translation.steps[0].suffix = "call";
    translation
}

/// The text of a page that was called.
fn read_page(call: Translation) -> Translation {
    let page = json!({"file": "{'text': input.body, 'contentType': 'text/html'}", "format": {"type": "html"}});
    answered(call.then("page", "read_file", page), "input.text", "[]")
}

impl<'d> Tool<'_, 'd> {
    fn given(&self, name: &str) -> &'d Value {
        let given = &self.node.data("tool_parameters")[name];
        if given.is_object() { &given["value"] } else { given }
    }

    /// A setting, which is fixed when the workflow is written.
    fn setting(&self, name: &str) -> &'d Value {
        let setting = &self.node.data("tool_configurations")[name];
        let setting = if setting.is_object() { &setting["value"] } else { setting };
        if is_empty(setting) { self.given(name) } else { setting }
    }

    fn parameter(&self, name: &str) -> Option<&'d Value> {
        let sources = ["tool_parameters", "tool_configurations"];
        let found = sources.into_iter().map(|source| &self.node.data(source)[name]);
        found.into_iter().find(|value| !is_empty(if value.is_object() { &value["value"] } else { value }))
    }

    /// A parameter in CEL. None if it is not set.
    fn expression(&mut self, name: &str) -> Option<String> {
        let given = self.parameter(name)?;
        Some(texts::parameter(self.node, given, &mut self.notes))
    }

    /// A parameter in Jinja. None if it is not set.
    fn template(&mut self, name: &str) -> Option<String> {
        let given = self.parameter(name)?;
        let value = if given.is_object() { &given["value"] } else { given };
        match value {
            Value::Array(_) => Some(format!("{{{{ {} }}}}", self.node.selector_cel(value, &mut self.notes))),
            value => Some(self.node.jinja(value, &mut self.notes)),
        }
    }

    fn current_time(&mut self) -> Translation {
        let zone = match scalar_text(self.setting("timezone")) {
            zone if !zone.is_empty() && TimeZone::get(&zone).is_ok() => zone,
            _ => "UTC".to_owned(),
        };
        let format = match scalar_text(self.setting("format")) {
            format if format.contains('%') => truncate(&format, 100),
            _ => "%Y-%m-%d %H:%M:%S".to_owned(),
        };
        let time = format!("now().date({}, {})", quote(&format), quote(&zone));
        Translation::new("transform", json!({"fields": {"text": time, "json": "[]", "files": "[]"}}))
    }

    fn page(&mut self) -> Translation {
        let Some(url) = self.template("url") else { return Translation::unsupported("it has no URL") };
        let mut call = json!({"url": url, "response": "text"});
        let agent = scalar_text(self.setting("user_agent"));
        if !agent.is_empty() {
            call["headers"] = json!({"User-Agent": texts::literal(&truncate(&agent, 300))});
        }
        if self.setting("generate_summary") == true {
            note(&mut self.notes, "the page is not summarized");
        }
        read_page(Translation::new("http", call))
    }

    /// A value in a JSON text, which a path of names finds.
    fn json_value(&mut self) -> Option<Translation> {
        let content = self.expression("content").or_else(|| self.expression("json_string"))?;
        let filter = scalar_text(self.given("json_filter"));
        let filter = filter.trim().trim_start_matches("$.");
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !filter.is_empty() && !filter.split('.').all(is_name) {
            return None;
        }
        let found = if filter.is_empty() { "input".to_owned() } else { format!("input.{filter}") };
        let fields = json!({"text": format!("type({found}) == 'string' ? {found} : toJson({found})"), "json": format!("[{found}]"), "files": "[]"});
        let parsed = Translation::new("transform", json!({"value": format!("fromJson({content})")}));
        Some(named(parsed.then("", "transform", json!({"fields": fields}))))
    }
}

/// A workflow that is used as a tool becomes a sub-workflow.
fn workflow(node: Context) -> Translation {
    let (mut notes, mut secrets) = (Notes::new(), Vec::new());
    let config =
        json!({"workflowId": UNBOUND_ID, "input": arguments(node, &["tool_parameters"], &mut notes, &mut secrets)});
    let label = [node.data("tool_label"), node.data("tool_name")].map(scalar_text);
    let label = label.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "tool".to_owned());
    let translation = Translation::new("workflow", config).with_notes(notes);
    translation.with_reconnects([format!("workflow `{}`", truncate(&label, 80))]).with_removed_secrets("input", secrets)
}

/// A tool of an MCP server.
fn server(node: Context) -> Translation {
    let (mut notes, mut secrets) = (Notes::new(), Vec::new());
    let name: String = scalar_text(node.data("tool_name")).chars().take(120).collect();
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '-'), "_");
    let name = if name.is_empty() { "tool".to_owned() } else { name };
    let of = truncate(&scalar_text(node.data("provider_name")), 80);
    let arguments = arguments(node, &["tool_configurations", "tool_parameters"], &mut notes, &mut secrets);
    let config = json!({"url": UNBOUND_SERVER, "tool": name, "arguments": arguments});
    note(
        &mut notes,
        format!(
            "the tool `{name}` of `{of}` is not in the file: give the address of an MCP server that has it, or call its service by http"
        ),
    );
    let fields = json!({
        "text": "input.text",
        "json": "input.structuredContent == null ? [] : [input.structuredContent]",
        "files": "input.content.filter(part, part.type != 'text')",
    });
    named(Translation::new("mcp", config).then("", "transform", json!({"fields": fields})))
        .with_notes(notes)
        .with_reconnects([format!("an MCP server with the tool `{name}` of `{of}`")])
        .with_removed_secrets("argument", secrets)
}

/// The parameters as an object in CEL, without secrets in plain text and without empty values.
fn arguments(node: Context, sources: &[&str], notes: &mut Notes, secrets: &mut Vec<String>) -> String {
    let fields = sources.iter().flat_map(|source| entries(node.data(source)));
    let given = |value: &Value| -> Value { if value.is_object() { value["value"].clone() } else { value.clone() } };
    let fields: Vec<(&String, &Value)> = fields.filter(|(_, value)| !is_empty(&given(value))).take(100).collect();
    let is_clear = |parameter: &&Value| {
        let text = scalar_text(if parameter.is_object() { &parameter["value"] } else { parameter });
        !text.is_empty() && !text.contains("{{#")
    };
    let fields = remove_plain_secrets(fields, is_clear, secrets).into_iter();
    let fields: Vec<String> = fields
        .map(|(field, value)| {
            let is_plain = value.is_object() && value.get("value").is_none();
            let written = if is_plain { cel_literal(value) } else { texts::parameter(node, value, notes) };
            format!("{}: {written}", quote(field))
        })
        .collect();
    format!("{{{}}}", fields.join(", "))
}
