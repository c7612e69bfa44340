//! Every limit that the documents publish for a body holds: a value just inside of it is accepted, and one just outside is
//! refused with the name of its field.

use domain::identity::Role;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};

use super::documents::with_examples;
use super::{SOME_ID, routes};

/// Texts that match the patterns of the documents, to be lengthened.
const TEXTS: [&str; 9] = ["a", "1", "1:a", "a@b", "https://a.example/", "2026-03", "whsec_a", "1024x1024", "user"];
/// Fields that a body has only without another one.
const EXCLUSIVE: [(&str, &str); 3] = [("goal", "script"), ("turns", "script"), ("input", "messages")];
/// Fields that need another one.
const NEEDED: [(&str, &str); 1] = [("top_logprobs", "logprobs")];
/// Rules that depend on more than the value: what exists, the language of an expression, and what an amount is for.
const DEPENDENT: [&str; 4] = ["no such", "does not exist", "the expression is longer", "must be greater than 0"];
/// Longer texts are not sent: they would be refused as too large, or take long.
const MAX_LENGTH: u64 = 150_000;
/// Bodies that are only described: a setup calls its provider, and the others are files.
const LEFT_OUT: [&str; 2] = ["/gateway/v1/admin/setup", "/gateway/v1/admin/providers"];

/// A value at a place of a body, and whether its limits allow it.
struct Probe {
    /// The keys of objects and indices of lists.
    place: Vec<Value>,
    value: Value,
    is_inside: bool,
}

struct Walker<'d> {
    document: &'d Value,
    probes: Vec<Probe>,
}

impl Walker<'_> {
    fn resolve(&self, schema: &Value) -> Value {
        match schema["$ref"].as_str() {
            Some(reference) => self.resolve(self.document.pointer(&reference[1..]).unwrap()),
            None => schema.clone(),
        }
    }

    fn validator(&self, schema: &Value) -> Validator {
        let schema = json!({"allOf": [schema], "components": self.document["components"]});
        jsonschema::draft202012::new(&schema).unwrap()
    }

    fn add(&mut self, place: &[Value], value: Value, is_inside: bool) {
        self.probes.push(Probe { place: place.to_vec(), value, is_inside });
    }

    /// Collects the probes of a value and of what it contains. `present` is the value of a valid body, or null.
    fn walk(&mut self, schema: &Value, present: &Value, place: &[Value]) {
        let schema = self.resolve(schema);
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.walk(part, present, place);
        }
        // The variant of the value, or the only one besides null.
        let variants = schema["oneOf"].as_array().cloned().unwrap_or_default();
        let others: Vec<&Value> = variants.iter().filter(|variant| variant["type"] != "null").collect();
        let described = match others[..] {
            [only] => Some(only),
            _ => others.into_iter().find(|variant| !present.is_null() && self.validator(variant).is_valid(present)),
        };
        if let Some(variant) = described {
            self.walk(&variant.clone(), present, place);
        }
        self.probe_text(&schema, place);
        self.probe_number(&schema, place);
        self.probe_list(&schema, present, place);
        let inner = |key: Value| place.iter().cloned().chain([key]).collect::<Vec<_>>();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            self.walk(field, &present[name], &inner(json!(name)));
        }
        if let (Some(item), true) = (present.get(0), schema["items"].is_object()) {
            self.walk(&schema["items"], &item.clone(), &inner(json!(0)));
        }
    }

    /// Texts as short and as long as allowed, and one character beyond.
    fn probe_text(&mut self, schema: &Value, place: &[Value]) {
        let [least, most] = ["minLength", "maxLength"].map(|limit| schema[limit].as_u64());
        let pattern = schema.get("pattern").cloned().unwrap_or_default();
        let rule = if pattern.is_null() { json!({}) } else { json!({"pattern": pattern}) };
        let rule = jsonschema::draft202012::new(&rule).unwrap();
        let of_length = |length: u64| {
            let fill = |start: &str, letter: char| {
                let rest = (length as usize).saturating_sub(start.len());
                format!("{start}{}", letter.to_string().repeat(rest))
            };
            let texts = TEXTS.iter().flat_map(|start| [fill(start, 'a'), fill(start, '1')]);
            texts.map(Value::from).find(|text| text.as_str().unwrap().len() == length as usize && rule.is_valid(text))
        };
        for (limit, outside) in
            [(least, least.and_then(|least| least.checked_sub(1))), (most, most.map(|most| most + 1))]
        {
            let Some(limit) = limit.filter(|limit| *limit <= MAX_LENGTH) else { continue };
            if let Some(text) = of_length(limit) {
                self.add(place, text, true);
            }
            if let Some(outside) = outside {
                self.add(place, of_length(outside).unwrap_or_else(|| json!("a".repeat(outside as usize))), false);
            }
        }
        if schema["pattern"].is_string() {
            let wrong = ["\n", "ä b", "a/..", ""].map(Value::from);
            if let Some(wrong) = wrong.into_iter().find(|text| !rule.is_valid(text)) {
                self.add(place, wrong, false);
            }
        }
        if schema["enum"].is_array() {
            self.add(place, json!("elsewhere"), false);
        }
    }

    fn probe_number(&mut self, schema: &Value, place: &[Value]) {
        for (limit, step) in [("minimum", -1.0), ("maximum", 1.0)] {
            let Some(limit) = schema.get(limit) else { continue };
            self.add(place, limit.clone(), true);
            let outside = limit.as_f64().unwrap() + step;
            let is_whole = outside.fract() == 0.0;
            self.add(place, if is_whole { json!(outside as i64) } else { json!(outside) }, false);
        }
    }

    /// Lists with as few and as many entries as allowed, made of the first one, and with one beyond.
    fn probe_list(&mut self, schema: &Value, present: &Value, place: &[Value]) {
        let of_count = |count: u64| present.get(0).map(|entry| vec![entry.clone(); count as usize]);
        if let Some(least) = schema["minItems"].as_u64() {
            let _ = of_count(least).map(|list| self.add(place, json!(list), true));
            self.add(place, json!([]), false);
        }
        if let Some(most) = schema["maxItems"].as_u64()
            && let Some(list) = of_count(most + 1)
        {
            self.add(place, json!(list), false);
        }
    }
}

/// Puts a value at a place. Returns whether the objects and lists around it exist.
fn put(body: &mut Value, place: &[Value], value: Value) -> bool {
    let Some((last, around)) = place.split_last() else { return false };
    let parent = around.iter().try_fold(body, |value, step| match step {
        Value::String(name) => value.get_mut(name),
        index => value.get_mut(index.as_u64()? as usize),
    });
    match (parent, last) {
        (Some(Value::Object(fields)), Value::String(name)) => {
            fields.insert(name.clone(), value);
            for (_, other) in EXCLUSIVE.iter().filter(|(field, _)| field == name) {
                fields.remove(*other);
            }
            for (_, other) in NEEDED.iter().filter(|(field, _)| field == name) {
                fields.insert((*other).to_owned(), json!(true));
            }
            true
        }
        (Some(Value::Array(items)), index) => {
            items[index.as_u64().unwrap() as usize] = value;
            true
        }
        _ => false,
    }
}

/// `deployments[0].weight`
fn path_of(place: &[Value]) -> String {
    place.iter().fold(String::new(), |path, step| match step {
        Value::String(name) if path.is_empty() => name.clone(),
        Value::String(name) => format!("{path}.{name}"),
        index => format!("{path}[{index}]"),
    })
}

/// Whether a body was refused because of a field, or of the list or object that has it.
fn refuses(answer: &Answer, field: &str) -> bool {
    let is_refused = ["400", "422"].iter().any(|status| answer.status.starts_with(status));
    let problems = answer.json["error"]["message"].as_str().unwrap_or_default().split("; ");
    let mut named =
        problems.filter_map(|problem| problem.split_once(": ")).filter(|(named, _)| field.starts_with(named));
    is_refused && named.any(|(_, problem)| !DEPENDENT.iter().any(|dependent| problem.contains(dependent)))
}

/// The resources that the paths name.
struct Resources {
    agent: String,
    workflow: String,
    team: String,
    release: String,
    org: String,
    user: String,
}

impl Resources {
    async fn create(app: &TestApp, ada: &Person) -> Self {
        let agent = ada.post("/builder/v1/agents").await.id().to_owned();
        let graph = json!({"nodes": [{"id": "in", "type": "input"}], "connections": []});
        let workflow =
            ada.post_json("/builder/v1/workflows", json!({"name": "x", "graph": graph})).await.id().to_owned();
        let path = format!("/builder/v1/workflows/{workflow}");
        let team = ada.post(&format!("{path}/teams")).await.id().to_owned();
        let published = ada.post(&format!("{path}/publish")).await;
        let release = published.json["data"]["release"]["id"].as_str().unwrap_or(SOME_ID).to_owned();
        // Not the organization that sends the other bodies: its limits and its plan are changed.
        let account = app.account("grace");
        Self { agent, workflow, team, release, org: account.org.to_string(), user: account.user.to_string() }
    }

    fn fill(&self, path: &str) -> String {
        let id = match path {
            path if path.contains("/agents/") => &self.agent,
            path if path.contains("/workflows/") => &self.workflow,
            path if path.contains("/orgs/") => &self.org,
            _ => "limits",
        };
        let name = if path.contains("/models/") { "dev-chat" } else { "limits" };
        let path = path.replace("{id}", id).replace("{team_id}", &self.team).replace("{release_id}", &self.release);
        let path =
            path.replace("{name}", name).replace("{code}", "violence").replace("{template_id}", "support-triage");
        let parts = path.split('/').map(|part| if part.starts_with('{') { SOME_ID } else { part });
        let path = parts.collect::<Vec<_>>().join("/");
        let is_of_org = ["/admin/limits", "/admin/caps"].iter().any(|end| path.ends_with(end));
        if is_of_org { format!("{path}?org={}", self.org) } else { path }
    }
}

#[tokio::test]
async fn every_published_limit_of_a_body_holds() {
    let app = TestApp::start().await;
    let (ada, operator) = (app.person("ada"), app.operator());
    let administrator = app.person_of("eve", "globex", Role::Admin);
    let resources = Resources::create(&app, &ada).await;
    let (mut wrong, mut sent) = (Vec::new(), 0);
    for document in with_examples().await {
        let document: Value = serde_json::from_str(&document.json()).unwrap();
        for (path, method) in routes(&document).into_iter().filter(|(path, _)| !LEFT_OUT.contains(&path.as_str())) {
            let content = &document["paths"][&path][&method]["requestBody"]["content"]["application/json"];
            let named = content["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]);
            let Some(example) = content.get("example").into_iter().chain(named).next() else { continue };
            let mut walker = Walker { document: &document, probes: Vec::new() };
            walker.walk(&content["schema"], example, &[]);
            let person = match path.as_str() {
                path if path.contains("/admin/") => &operator,
                // Ada's tokens make her a member of her organization.
                path if path.ends_with("/call-retention") => &operator,
                path if path.starts_with("/gateway/") => &app.key_client("ada"),
                path if path.ends_with("/service-tokens") => &administrator,
                _ => &ada,
            };
            for Probe { place, value, is_inside } in walker.probes {
                let mut body = example.clone();
                for (name, value) in
                    [("on", json!(false)), ("org", json!(resources.org)), ("user", json!(resources.user))]
                {
                    body.get_mut(name).into_iter().for_each(|field| *field = value.clone());
                }
                // A patch need not have the other fields.
                if method == "patch" && place.len() == 1 {
                    body = Value::Object(Map::new());
                }
                if !put(&mut body, &place, value.clone()) {
                    continue;
                }
                let url = resources.fill(&path);
                let answer = send(person.request(method.to_uppercase().parse().unwrap(), &url).json(&body)).await;
                sent += 1;
                let field = path_of(&place);
                if refuses(&answer, &field) == is_inside {
                    let shown: String = value.to_string().chars().take(60).collect();
                    let message = &answer.json["error"]["message"];
                    let sent = format!("{method} {url} {field} = {shown}");
                    wrong.push(format!("{sent}, inside: {is_inside}: {} {message}", answer.status));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {sent}: {wrong:#?}", wrong.len());
    assert!(sent > 300, "{sent} bodies were sent");
}
