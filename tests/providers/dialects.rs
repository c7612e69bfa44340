//! A conversation keeps its meaning from every dialect of clients to every API of providers: texts, images, calls of tools and
//! their results, reasoning with its signature, and marks of the cache.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use domain::chat::{Opaque, Vendor};
use domain::provider::UpstreamApi::{self, Anthropic, Bedrock, Gemini, OpenAi, OpenAiResponses};
use fastrand::Rng;
use gateway::chat::ChatRequest;
use gateway::chat::responses::ResponsesRequest;
use serde_json::{Value, json};
use tests::provider::Behaviour;

use crate::parameters::{APIS, Record, model, stage};

const HISTORIES: u64 = 60;
/// The histories whose requests are validated with the vendors' SDKs.
const RECORDED: u64 = 8;
const WITH_CALLS: &str = "f";

/// What a conversation says, in order. Which messages of one side are one turn does not matter.
#[derive(Clone, Debug, PartialEq)]
enum Atom {
    System(String),
    User(String),
    Image(String),
    Mark,
    Thinking { text: String, signature: Opaque },
    Assistant(String),
    Call { id: String, arguments: Value },
    Result { id: String, text: String },
}

/// Writes a conversation in a dialect, and reads it as the gateway does.
type Writer = fn(&[Atom]) -> ChatRequest;

/// A random conversation in which each call has a result, and which ends with the user's side.
fn conversation(random: &mut Rng) -> Vec<Atom> {
    let mut atoms = vec![Atom::System(word(random))];
    if random.bool() {
        atoms.push(Atom::Mark);
    }
    for turn in 0..random.u32(1..=4) {
        atoms.push(Atom::User(word(random)));
        if random.u8(..3) == 0 {
            atoms.push(Atom::Image("AAAA".repeat(random.usize(1..=3))));
        }
        if random.u8(..3) == 0 {
            atoms.push(Atom::Mark);
        }
        for step in 0..random.u32(0..=2) {
            if random.bool() {
                atoms.push(Atom::Thinking { text: word(random), signature: signature(random) });
            }
            if random.bool() {
                atoms.push(Atom::Assistant(word(random)));
            }
            let ids: Vec<_> = (0..random.u32(1..=2)).map(|call| format!("call_{turn}_{step}_{call}")).collect();
            atoms.extend(ids.iter().map(|id| Atom::Call {
                id: id.clone(),
                arguments: json!({"z": random.u32(..), "a": [word(random), 1.5, null]}),
            }));
            atoms.extend(ids.into_iter().map(|id| Atom::Result { id, text: word(random) }));
        }
        if turn > 0 && random.bool() {
            atoms.push(Atom::Assistant(word(random)));
        }
    }
    if matches!(atoms.last(), Some(Atom::Assistant(_))) {
        atoms.push(Atom::User(word(random)));
    }
    atoms
}

fn signature(random: &mut Rng) -> Opaque {
    let vendor = random.choice([Vendor::Anthropic, Vendor::OpenAi]).unwrap();
    let id = (vendor == Vendor::OpenAi).then(|| format!("rs_{}", random.u32(..)));
    Opaque { id, ..Opaque::new(vendor, format!("c2ln{}", random.u32(..))) }
}

fn word(random: &mut Rng) -> String {
    let words = ["Lima", "22 °C", "<b>\"quoted\"</b>", "línea\nnueva", "👍", "{\"a\": 1}", " spaces "];
    format!("{}{}", random.choice(words).unwrap(), random.u16(..))
}

/// A group of consecutive atoms that are one message of a dialect.
fn grouped(atoms: &[Atom]) -> Vec<(&'static str, Vec<&Atom>)> {
    let mut groups: Vec<(&'static str, Vec<&Atom>)> = Vec::new();
    for atom in atoms {
        let role = match atom {
            Atom::System(_) => "system",
            Atom::User(_) | Atom::Image(_) => "user",
            Atom::Thinking { .. } | Atom::Assistant(_) | Atom::Call { .. } => "assistant",
            Atom::Result { .. } => "tool",
            Atom::Mark => groups.last().unwrap().0,
        };
        // A step of the model begins with its reasoning or its text, after the results of the step before.
        match groups.last_mut() {
            Some((last, group)) if *last == role && (role != "system" || matches!(atom, Atom::Mark)) => {
                group.push(atom)
            }
            _ => groups.push((role, vec![atom])),
        }
    }
    groups
}

fn mark() -> Value {
    json!({"type": "ephemeral"})
}

fn image_url(base64: &str) -> String {
    format!("data:image/png;base64,{base64}")
}

mod chat {
    use super::*;

    fn format_of(vendor: Vendor) -> &'static str {
        if vendor == Vendor::OpenAi { "openai-responses-v1" } else { "anthropic-claude-v1" }
    }

    pub fn write(atoms: &[Atom]) -> ChatRequest {
        let mut messages = Vec::new();
        for (role, group) in grouped(atoms) {
            if role == "tool" {
                messages.extend(group.iter().map(|atom| match atom {
                    Atom::Result { id, text } => json!({"role": "tool", "tool_call_id": id, "content": text}),
                    other => panic!("{other:?}"),
                }));
                continue;
            }
            let (mut parts, mut calls, mut details) = (Vec::<Value>::new(), Vec::new(), Vec::new());
            for atom in group {
                match atom {
                    Atom::System(text) | Atom::User(text) | Atom::Assistant(text) => {
                        parts.push(json!({"type": "text", "text": text}));
                    }
                    Atom::Image(base64) => {
                        parts.push(json!({"type": "image_url", "image_url": {"url": image_url(base64)}}))
                    }
                    Atom::Mark => parts.last_mut().unwrap()["cache_control"] = mark(),
                    Atom::Thinking { text, signature } => details.push(json!({
                        "type": "reasoning.text", "text": text, "signature": signature.data, "id": signature.id,
                        "format": format_of(signature.vendor), "index": details.len(),
                    })),
                    Atom::Call { id, arguments } => calls.push(json!({
                        "id": id, "type": "function",
                        "function": {"name": WITH_CALLS, "arguments": arguments.to_string()},
                    })),
                    Atom::Result { .. } => unreachable!("results are messages of their own"),
                }
            }
            let mut message = json!({"role": role, "content": parts});
            if parts.is_empty() {
                message["content"] = Value::Null;
            }
            if !calls.is_empty() {
                message["tool_calls"] = calls.into();
            }
            if !details.is_empty() {
                message["reasoning_details"] = details.into();
            }
            messages.push(message);
        }
        let function = json!({"name": WITH_CALLS, "parameters": {"type": "object"}});
        let tools = json!([{"type": "function", "function": function}]);
        ChatRequest::read(json!({"model": "m", "max_tokens": 64, "messages": messages, "tools": tools})).unwrap()
    }

    /// Reads a request to a provider with OpenAI's API.
    pub fn read(body: &Value) -> Vec<Atom> {
        let mut atoms = Vec::new();
        for message in body["messages"].as_array().unwrap() {
            let details = message["reasoning_details"].as_array().into_iter().flatten();
            atoms.extend(details.map(|detail| {
                let is_openai = detail["format"] == format_of(Vendor::OpenAi);
                let vendor = if is_openai { Vendor::OpenAi } else { Vendor::Anthropic };
                let id = detail["id"].as_str().map(str::to_owned);
                let signature = Opaque { id, ..Opaque::new(vendor, text(&detail["signature"])) };
                Atom::Thinking { text: text(&detail["text"]), signature }
            }));
            let content = match &message["content"] {
                Value::String(text) => vec![json!({"type": "text", "text": text})],
                content => content.as_array().cloned().unwrap_or_default(),
            };
            for part in content {
                atoms.push(match (message["role"].as_str().unwrap(), part["type"].as_str().unwrap()) {
                    (_, "image_url") => Atom::Image(base64(&part["image_url"]["url"])),
                    ("system", _) => Atom::System(text(&part["text"])),
                    ("user", _) => Atom::User(text(&part["text"])),
                    ("assistant", _) => Atom::Assistant(text(&part["text"])),
                    _ => Atom::Result { id: text(&message["tool_call_id"]), text: text(&part["text"]) },
                });
                atoms.extend(part.get("cache_control").map(|_| Atom::Mark));
            }
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            atoms.extend(calls.map(|call| Atom::Call {
                id: text(&call["id"]),
                arguments: serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap(),
            }));
        }
        atoms
    }
}

mod messages {
    use super::*;

    pub fn write(atoms: &[Atom]) -> ChatRequest {
        let (mut system, mut messages) = (Vec::<Value>::new(), Vec::new());
        for (role, group) in grouped(atoms) {
            let mut blocks = Vec::<Value>::new();
            for atom in group {
                match atom {
                    Atom::System(text) | Atom::User(text) | Atom::Assistant(text) => {
                        blocks.push(json!({"type": "text", "text": text}));
                    }
                    Atom::Image(base64) => {
                        let source = json!({"type": "base64", "media_type": "image/png", "data": base64});
                        blocks.push(json!({"type": "image", "source": source}));
                    }
                    Atom::Mark => blocks.last_mut().unwrap()["cache_control"] = mark(),
                    Atom::Thinking { text, signature } => {
                        let signature = signature.to_field(Vendor::Anthropic);
                        blocks.push(json!({"type": "thinking", "thinking": text, "signature": signature}));
                    }
                    Atom::Call { id, arguments } => {
                        blocks.push(json!({"type": "tool_use", "id": id, "name": WITH_CALLS, "input": arguments}));
                    }
                    Atom::Result { id, text } => {
                        blocks.push(json!({"type": "tool_result", "tool_use_id": id, "content": text}));
                    }
                }
            }
            match role {
                "system" => system.extend(blocks),
                "tool" => messages.push(json!({"role": "user", "content": blocks})),
                role => messages.push(json!({"role": role, "content": blocks})),
            }
        }
        let tools = json!([{"name": WITH_CALLS, "input_schema": {"type": "object"}}]);
        let body = json!({"model": "m", "max_tokens": 64, "system": system, "messages": messages, "tools": tools});
        ChatRequest::read_messages(body, Vec::new()).unwrap()
    }

    /// Reads a request to Anthropic.
    pub fn read(body: &Value) -> Vec<Atom> {
        let mut atoms = Vec::new();
        let blocks = |content: &Value| match content {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            blocks => blocks.as_array().cloned().unwrap_or_default(),
        };
        let system = blocks(&body["system"]).into_iter().map(|block| ("system".to_owned(), block));
        let turns = body["messages"].as_array().unwrap().iter();
        let turns =
            turns.flat_map(|turn| blocks(&turn["content"]).into_iter().map(|block| (text(&turn["role"]), block)));
        for (role, block) in system.chain(turns) {
            let said = || text(&block["text"]);
            atoms.push(match (role.as_str(), block["type"].as_str().unwrap()) {
                ("system", _) => Atom::System(said()),
                ("user", "text") => Atom::User(said()),
                (_, "text") => Atom::Assistant(said()),
                (_, "image") => Atom::Image(text(&block["source"]["data"])),
                (_, "thinking") => {
                    let signature = Opaque::new(Vendor::Anthropic, text(&block["signature"]));
                    Atom::Thinking { text: text(&block["thinking"]), signature }
                }
                (_, "tool_use") => Atom::Call { id: text(&block["id"]), arguments: block["input"].clone() },
                _ => {
                    let content: String = blocks(&block["content"]).iter().map(|block| text(&block["text"])).collect();
                    Atom::Result { id: text(&block["tool_use_id"]), text: content }
                }
            });
            atoms.extend(block.get("cache_control").map(|_| Atom::Mark));
        }
        atoms
    }
}

mod responses {
    use super::*;

    pub fn write(atoms: &[Atom]) -> ChatRequest {
        let mut input = Vec::new();
        for atom in atoms {
            let message = |role: &str, part: Value| json!({"type": "message", "role": role, "content": [part]});
            input.push(match atom {
                Atom::System(text) => message("developer", json!({"type": "input_text", "text": text})),
                Atom::User(text) => message("user", json!({"type": "input_text", "text": text})),
                Atom::Image(base64) => message("user", json!({"type": "input_image", "image_url": image_url(base64)})),
                Atom::Assistant(text) => message("assistant", json!({"type": "output_text", "text": text})),
                Atom::Thinking { text, signature } => json!({
                    "type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": text}],
                    "encrypted_content": signature.to_field(Vendor::OpenAi),
                }),
                Atom::Call { id, arguments } => json!({
                    "type": "function_call", "call_id": id, "name": WITH_CALLS, "arguments": arguments.to_string(),
                }),
                Atom::Result { id, text } => json!({"type": "function_call_output", "call_id": id, "output": text}),
                Atom::Mark => continue,
            });
        }
        let tools = json!([{"type": "function", "name": WITH_CALLS, "parameters": {"type": "object"}}]);
        let body = json!({"model": "m", "max_output_tokens": 64, "input": input, "tools": tools});
        ResponsesRequest::read(body, &[]).unwrap().chat
    }

    /// Reads a request to OpenAI's Responses API.
    pub fn read(body: &Value) -> Vec<Atom> {
        let mut atoms = Vec::new();
        for item in body["input"].as_array().unwrap() {
            match item["type"].as_str().unwrap() {
                "message" => {
                    let parts = match &item["content"] {
                        Value::String(text) => vec![json!({"type": "input_text", "text": text})],
                        parts => parts.as_array().unwrap().clone(),
                    };
                    atoms.extend(parts.iter().map(|part| {
                        match (item["role"].as_str().unwrap(), part["type"].as_str().unwrap()) {
                            (_, "input_image") => Atom::Image(base64(&part["image_url"])),
                            ("system", _) => Atom::System(text(&part["text"])),
                            ("user", _) => Atom::User(text(&part["text"])),
                            _ => Atom::Assistant(text(&part["text"])),
                        }
                    }));
                }
                "reasoning" => {
                    let id = Some(text(&item["id"]));
                    let signature = Opaque { id, ..Opaque::new(Vendor::OpenAi, text(&item["encrypted_content"])) };
                    atoms.push(Atom::Thinking { text: text(&item["summary"][0]["text"]), signature });
                }
                "function_call" => atoms.push(Atom::Call {
                    id: text(&item["call_id"]),
                    arguments: serde_json::from_str(item["arguments"].as_str().unwrap()).unwrap(),
                }),
                _ => atoms.push(Atom::Result { id: text(&item["call_id"]), text: text(&item["output"]) }),
            }
        }
        atoms
    }
}

fn read_gemini(body: &Value) -> Vec<Atom> {
    let system = body["systemInstruction"]["parts"].as_array().into_iter().flatten();
    let mut atoms: Vec<_> = system.map(|part| Atom::System(text(&part["text"]))).collect();
    let mut open = Vec::new();
    for turn in body["contents"].as_array().unwrap() {
        for part in turn["parts"].as_array().unwrap() {
            atoms.push(if let Some(call) = part.get("functionCall") {
                // Gemini has no ids, so calls and results are matched by their order.
                open.push(format!("call {}", atoms.len()));
                Atom::Call { id: open.last().unwrap().clone(), arguments: call["args"].clone() }
            } else if let Some(result) = part.get("functionResponse") {
                let response = &result["response"];
                let text = response["result"].as_str().map_or_else(|| response.to_string(), str::to_owned);
                Atom::Result { id: open.remove(0), text }
            } else if let Some(data) = part.get("inlineData") {
                Atom::Image(text(&data["data"]))
            } else if turn["role"] == "model" {
                Atom::Assistant(text(&part["text"]))
            } else {
                Atom::User(text(&part["text"]))
            });
        }
    }
    atoms
}

fn read_bedrock(body: &Value) -> Vec<Atom> {
    let system = body["system"].as_array().into_iter().flatten().map(|block| ("system".to_owned(), block));
    let turns = body["messages"].as_array().unwrap().iter();
    let turns =
        turns.flat_map(|turn| turn["content"].as_array().unwrap().iter().map(|block| (text(&turn["role"]), block)));
    let blocks = system.chain(turns).map(|(role, block)| {
        let (kind, content) = block.as_object().unwrap().iter().next().unwrap();
        match (kind.as_str(), role.as_str()) {
            ("cachePoint", _) => Atom::Mark,
            ("text", "system") => Atom::System(text(content)),
            ("text", "user") => Atom::User(text(content)),
            ("text", _) => Atom::Assistant(text(content)),
            ("image", _) => Atom::Image(text(&content["source"]["bytes"])),
            ("reasoningContent", _) => {
                let thinking = &content["reasoningText"];
                let signature = Opaque::new(Vendor::Anthropic, text(&thinking["signature"]));
                Atom::Thinking { text: text(&thinking["text"]), signature }
            }
            ("toolUse", _) => Atom::Call { id: text(&content["toolUseId"]), arguments: content["input"].clone() },
            _ => Atom::Result { id: text(&content["toolUseId"]), text: text(&content["content"][0]["text"]) },
        }
    });
    blocks.collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn base64(url: &Value) -> String {
    text(url).split_once("base64,").unwrap().1.to_owned()
}

/// The conversation without ids and system messages: they come first at every vendor but OpenAI.
fn meaning(atoms: &[Atom], keeps: impl Fn(&Atom) -> bool) -> Vec<Atom> {
    let kept = atoms.iter().filter(|atom| keeps(atom)).cloned();
    let mut ids = Vec::<String>::new();
    let renamed = kept.map(|atom| match atom {
        Atom::Call { id, arguments } => {
            ids.push(id);
            Atom::Call { id: ids.len().to_string(), arguments }
        }
        Atom::Result { id, text } => {
            let call = ids.iter().position(|own| *own == id).unwrap() + 1;
            Atom::Result { id: call.to_string(), text }
        }
        // A text is not compared by its outer spaces, which some vendors refuse.
        other => other,
    });
    renamed.collect()
}

#[tokio::test]
async fn a_conversation_keeps_its_meaning_from_every_dialect_to_every_provider() {
    let writers: [(&str, Writer); 3] =
        [("chat", chat::write), ("messages", messages::write), ("responses", responses::write)];
    let record = Record::new("dialect");
    for (api, folder) in APIS {
        let stage = stage(api).await;
        for seed in 0..HISTORIES {
            let atoms = conversation(&mut Rng::with_seed(seed));
            for (dialect, write) in writers {
                let request = write(&atoms);
                stage.fake.respond_with(Behaviour::json(418, json!({"error": {"message": "teapot"}})));
                stage.provider.chat(model(api), &request).await.expect_err("a 418 is a failure");
                let received = stage.fake.take_requests().remove(0);
                // The types of OpenAI have no marks and no signatures, which a client of its dialect may send to other servers.
                if seed < RECORDED && !(api == OpenAi && dialect == "chat") {
                    record.add(folder, &format!("dialect.{dialect}.{seed}"), &received);
                }
                let body = received.body;
                let sent = match api {
                    OpenAi | UpstreamApi::Dev => chat::read(&body),
                    OpenAiResponses => responses::read(&body),
                    Anthropic => messages::read(&body),
                    Gemini => read_gemini(&body),
                    Bedrock => read_bedrock(&body),
                };
                let keeps = |atom: &Atom| match atom {
                    Atom::Mark if dialect == "responses" => false,
                    // What a client sent in OpenAI's format stays as it is.
                    Atom::Mark | Atom::Thinking { .. } if matches!(api, OpenAi | UpstreamApi::Dev) => dialect == "chat",
                    Atom::Mark => matches!(api, Anthropic | Bedrock),
                    Atom::Thinking { signature, .. } => match api {
                        Anthropic | Bedrock => signature.vendor == Vendor::Anthropic,
                        OpenAiResponses => signature.vendor == Vendor::OpenAi,
                        _ => false,
                    },
                    _ => true,
                };
                let expected = meaning(&atoms, keeps);
                assert_eq!(meaning(&sent, |_| true), expected, "seed {seed}, {dialect} to {api:?}: {body:#}");
            }
        }
    }
}
