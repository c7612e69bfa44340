//! The APIs of the providers, as their documentation describes them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::messaging::MessagingProvider;
use http::request::Parts;
use ring::hmac::{HMAC_SHA256, Key, verify};
use serde_json::{Value, json};

use super::reply::{Reply, bearer};
use super::{FakeMessaging, PHONE_NUMBER_ID, SECRET, SLACK_TOKEN, SentMessage, TELEGRAM_TOKEN, WHATSAPP_TOKEN};

/// The API that a request calls, with the rest of its path.
pub struct Api {
    provider: MessagingProvider,
    path: String,
}

/// The id of a WhatsApp file, which has only letters and digits.
pub fn media_id(name: &str) -> String {
    name.replace('.', "D0T")
}

impl Api {
    pub fn find(parts: &Parts) -> Option<Self> {
        let path = parts.uri.path();
        let found = [
            ("/slack/", MessagingProvider::Slack),
            ("/telegram/", MessagingProvider::Telegram),
            ("/whatsapp/", MessagingProvider::Whatsapp),
            ("/", MessagingProvider::Http),
        ];
        found.into_iter().find_map(|(prefix, provider)| {
            let path = path.strip_prefix(prefix)?.to_owned();
            Some(Self { provider, path })
        })
    }

    pub fn limit(&self, seconds: u64) -> Reply {
        match self.provider {
            MessagingProvider::Slack => {
                Reply::json(429, &json!({"ok": false, "error": "ratelimited"})).with_retry_after(seconds)
            }
            MessagingProvider::Telegram => {
                let description = format!("Too Many Requests: retry after {seconds}");
                let parameters = json!({"retry_after": seconds});
                let body =
                    json!({"ok": false, "error_code": 429, "description": description, "parameters": parameters});
                Reply::json(429, &body)
            }
            MessagingProvider::Whatsapp => fail_whatsapp(429, 130_429).with_retry_after(seconds),
            MessagingProvider::Http => Reply::json(429, &json!({})).with_retry_after(seconds),
        }
    }

    pub fn refuse(&self, code: &str) -> Reply {
        match self.provider {
            MessagingProvider::Slack => Reply::json(200, &json!({"ok": false, "error": code})),
            MessagingProvider::Telegram => {
                let (status, description) = code.split_once(' ').expect("a status and a description");
                fail_telegram(status.parse().unwrap(), description)
            }
            MessagingProvider::Whatsapp => {
                let code = code.parse().unwrap();
                fail_whatsapp(if code == 190 { 401 } else { 400 }, code)
            }
            MessagingProvider::Http => Reply::json(code.parse().unwrap(), &json!({})),
        }
    }

    pub fn serve(&self, fake: &FakeMessaging, parts: &Parts, body: &[u8]) -> Reply {
        let content: Value = serde_json::from_slice(body).unwrap_or_default();
        match self.provider {
            MessagingProvider::Slack => self.serve_slack(fake, parts, &content),
            MessagingProvider::Telegram => self.serve_telegram(fake, &content),
            MessagingProvider::Whatsapp => self.serve_whatsapp(fake, parts, &content),
            MessagingProvider::Http => self.receive(fake, parts, body, &content),
        }
    }

    fn serve_slack(&self, fake: &FakeMessaging, parts: &Parts, body: &Value) -> Reply {
        let is_authorized = bearer(parts) == Some(SLACK_TOKEN);
        if let Some(name) = self.path.strip_prefix("files/") {
            // Slack shows its sign-in page instead of an error.
            let sign_in = Reply { media_type: "text/html".to_owned(), ..Reply::json(200, &json!("sign in")) };
            return if is_authorized { file(fake, name) } else { sign_in };
        }
        if !is_authorized {
            return self.refuse("invalid_auth");
        }
        match self.path.as_str() {
            "api/auth.test" => Reply::json(200, &json!({"ok": true, "team": "Acme", "user": "bot"})),
            "api/chat.postMessage" if text(body, "text").chars().count() > 4_000 => self.refuse("msg_too_long"),
            "api/chat.postMessage" => {
                self.accept(fake, text(body, "channel"), body["thread_ts"].as_str(), text(body, "text"));
                Reply::json(200, &json!({"ok": true, "ts": "1700000000.000200"}))
            }
            _ => self.refuse("unknown_method"),
        }
    }

    fn serve_telegram(&self, fake: &FakeMessaging, body: &Value) -> Reply {
        if let Some(path) = self.path.strip_prefix(&format!("file/bot{TELEGRAM_TOKEN}/documents/")) {
            return file(fake, path);
        }
        let succeed = |result: Value| Reply::json(200, &json!({"ok": true, "result": result}));
        match self.path.strip_prefix(&format!("bot{TELEGRAM_TOKEN}/")) {
            None => fail_telegram(401, "Unauthorized"),
            Some("getMe") => succeed(json!({"id": 4242, "is_bot": true, "username": "acme_bot"})),
            Some("getFile") => {
                let name = text(body, "file_id");
                let size = fake.state().files.get(name).map(|(_, content)| content.len());
                let result = json!({"file_id": name, "file_size": size, "file_path": format!("documents/{name}")});
                size.map_or_else(|| fail_telegram(400, "Bad Request: invalid file_id"), |_| succeed(result))
            }
            Some("sendMessage") if text(body, "text").encode_utf16().count() > 4_096 => {
                fail_telegram(400, "Bad Request: message is too long")
            }
            Some("sendMessage") => {
                let topic = body["message_thread_id"].as_i64().map(|id| id.to_string());
                self.accept(fake, text(body, "chat_id"), topic.as_deref(), text(body, "text"));
                succeed(json!({"message_id": 1}))
            }
            Some(_) => fail_telegram(404, "Not Found: method not found"),
        }
    }

    fn serve_whatsapp(&self, fake: &FakeMessaging, parts: &Parts, body: &Value) -> Reply {
        if bearer(parts) != Some(WHATSAPP_TOKEN) {
            return fail_whatsapp(401, 190);
        }
        if let Some(name) = self.path.strip_prefix("media/") {
            return file(fake, name);
        }
        if self.path == PHONE_NUMBER_ID {
            let number = json!({"display_phone_number": "+1 555 0100", "verified_name": "Acme", "id": PHONE_NUMBER_ID});
            return Reply::json(200, &number);
        }
        if self.path == format!("{PHONE_NUMBER_ID}/messages") {
            let message = text(&body["text"], "body");
            if message.chars().count() > 4_096 {
                return fail_whatsapp(400, 100);
            }
            let to = body["to"].as_str().unwrap_or_else(|| text(body, "recipient"));
            self.accept(fake, to, None, message);
            let id = format!("wamid.sent.{}", fake.sent().len());
            return Reply::json(200, &json!({"messaging_product": "whatsapp", "messages": [{"id": id}]}));
        }
        let state = fake.state();
        let found = state.files.iter().find(|(name, _)| media_id(name) == self.path);
        let Some((name, (media_type, content))) = found else { return fail_whatsapp(400, 100) };
        let url = format!("{}/whatsapp/media/{name}", fake.base_url);
        Reply::json(200, &json!({"url": url, "mime_type": media_type, "file_size": content.len()}))
    }

    /// The receiver of signed requests, and a server of files without authorization.
    fn receive(&self, fake: &FakeMessaging, parts: &Parts, body: &[u8], content: &Value) -> Reply {
        if let Some(name) = self.path.strip_prefix("files/") {
            return file(fake, name);
        }
        let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (id, time) = (header("webhook-id"), header("webhook-timestamp"));
        let signed = [id.as_bytes(), b".", time.as_bytes(), b".", body].concat();
        let signature = header("webhook-signature").strip_prefix("v1,").unwrap_or_default();
        let signature = BASE64_STANDARD.decode(signature).unwrap_or_default();
        if verify(&Key::new(HMAC_SHA256, SECRET.as_bytes()), &signed, &signature).is_err() {
            return Reply::json(401, &json!({}));
        }
        if self.path != "receiver" {
            return Reply::json(404, &json!({}));
        }
        let is_new = fake.state().ids.insert(id.to_owned());
        if content["type"] == "message" && is_new {
            self.accept(fake, text(content, "conversation"), None, text(content, "text"));
        }
        Reply::json(202, &json!({}))
    }

    fn accept(&self, fake: &FakeMessaging, conversation: &str, topic: Option<&str>, text: &str) {
        fake.state().sent.push(SentMessage {
            provider: self.provider,
            conversation: conversation.to_owned(),
            topic: topic.map(str::to_owned),
            text: text.to_owned(),
        });
    }
}

fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body[field].as_str().unwrap_or_default()
}

fn file(fake: &FakeMessaging, name: &str) -> Reply {
    match fake.state().files.get(name) {
        Some((media_type, content)) => {
            Reply { status: 200, retry_after: None, media_type: media_type.clone(), body: content.clone() }
        }
        None => Reply::json(404, &json!({})),
    }
}

fn fail_telegram(status: u16, description: &str) -> Reply {
    Reply::json(status, &json!({"ok": false, "error_code": status, "description": description}))
}

fn fail_whatsapp(status: u16, code: i64) -> Reply {
    // The message of the real API repeats parts of the request.
    let error = json!({"message": format!("(#{code}) {WHATSAPP_TOKEN}"), "type": "OAuthException", "code": code});
    Reply::json(status, &json!({"error": error}))
}
