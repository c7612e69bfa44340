//! A workflow that answers messages, and a fake messaging provider.

use domain::credential::Credential;
use domain::messaging::MessagingProvider;
use domain::time::Time;
use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};
use tests::messaging::FakeMessaging;
use tests::messaging::deliveries::{Delivery, signed_request, slack_event, telegram_update, whatsapp_messages};

use crate::runs::{WORKFLOWS, graph, node};

pub const PROVIDERS: [MessagingProvider; 4] =
    [MessagingProvider::Slack, MessagingProvider::Telegram, MessagingProvider::Whatsapp, MessagingProvider::Http];

/// How often a provider sends a message again at most.
const MAX_REDELIVERIES: usize = 5;

pub struct Stage {
    pub app: TestApp,
    pub fake: FakeMessaging,
    pub ada: Person,
    /// The path of the workflow.
    pub workflow: String,
    pub credential_id: String,
    pub provider: MessagingProvider,
    pub credential: Credential,
    /// An hour before the test, in Unix seconds.
    began_s: i64,
}

/// A workflow that repeats each message.
pub fn echo() -> Value {
    let reply = node("reply", "send_message", json!({"text": "You said: {{ input.text }}"}));
    graph(&[node("ask", "message", json!({})), reply], &["ask.out reply"])
}

impl Stage {
    pub async fn start(provider: MessagingProvider, graph: Value) -> Self {
        let fake = FakeMessaging::start().await;
        let app = TestApp::start_with_options(|options| options.settings = fake.settings()).await;
        Self::on(app, fake, provider, graph).await
    }

    /// Publishes a workflow whose channels all use one account.
    pub async fn on(app: TestApp, fake: FakeMessaging, provider: MessagingProvider, graph: Value) -> Self {
        let ada = app.person("ada");
        let created = ada.post_json(WORKFLOWS, json!({"name": "Support", "graph": graph})).await;
        let workflow = format!("{WORKFLOWS}/{}", created.id());
        let credential = fake.credential(provider);
        let mut body = serde_json::to_value(&credential).unwrap();
        body["name"] = json!("Bot");
        let stored = ada.post_json(&format!("{workflow}/webhook-credentials/outbound"), body).await;
        assert_eq!(stored.status, "201 Created", "{}", stored.text);
        let credential_id = stored.id().to_owned();
        let channels = |node_type: &str| {
            let nodes = graph["nodes"].as_array().unwrap().iter().filter(|node| node["type"] == node_type);
            let config = json!({"provider": provider.as_str(), "credentialId": credential_id});
            nodes.map(|node| json!({"nodeId": node["id"], "config": config})).collect::<Value>()
        };
        let channels = json!({"inputs": channels("message"), "outputs": channels("send_message")});
        let connected = ada.put(&format!("{workflow}/connections"), channels).await;
        assert_eq!(connected.status, "200 OK", "{}", connected.text);
        let published = ada.post(&format!("{workflow}/publish")).await;
        assert_eq!(published.status, "201 Created", "{}", published.text);
        let began_s = Time::now().as_seconds() - 60 * 60;
        Self { app, fake, ada, workflow, credential_id, provider, credential, began_s }
    }

    /// Where the provider delivers messages.
    pub fn inbox(&self) -> String {
        format!("/hooks/v1/messages/{}", self.credential_id)
    }

    /// The conversation of the participant with this number, as the provider names it.
    pub fn conversation(&self, person: u32) -> String {
        match self.provider {
            MessagingProvider::Slack => format!("D{person}"),
            MessagingProvider::Telegram => person.to_string(),
            MessagingProvider::Whatsapp => format!("34600{person}"),
            MessagingProvider::Http => format!("room-{person}"),
        }
    }

    /// A delivery of a message. `number` orders the messages of a conversation.
    pub fn delivery(&self, person: u32, number: u32, text: &str) -> Delivery {
        let (credential, now, conversation) = (&self.credential, Time::now(), self.conversation(person));
        match self.provider {
            MessagingProvider::Slack => {
                let event = json!({
                    "type": "message", "channel": conversation, "channel_type": "im", "user": format!("U{person}"),
                    "text": text, "ts": format!("1700000000.{number:06}"),
                });
                slack_event(credential, now, event)
            }
            MessagingProvider::Telegram => {
                let sender = json!({"id": person, "first_name": "Grace", "is_bot": false});
                let message = json!({
                    "message_id": number, "date": 1_700_000_000, "chat": {"id": person, "type": "private"},
                    "from": sender, "text": text,
                });
                telegram_update(credential, u64::from(person) * 1_000_000 + u64::from(number), message)
            }
            MessagingProvider::Whatsapp => {
                let message = json!({
                    "from": conversation, "id": format!("wamid.{person}.{number}"), "type": "text",
                    "timestamp": (self.began_s + i64::from(number)).to_string(), "text": {"body": text},
                });
                whatsapp_messages(credential, json!([message]))
            }
            MessagingProvider::Http => {
                let participant = json!({"id": format!("u{person}"), "name": "Grace"});
                let body = json!({
                    "conversation": conversation, "participant": participant, "text": text, "position": number,
                });
                signed_request(credential, &format!("{person}-{number}"), now, &body)
            }
        }
    }

    pub async fn send(&self, (headers, body): Delivery) -> Answer {
        send(self.app.anonymous().request(Method::POST, &self.inbox()).headers(headers).body(body)).await
    }

    /// Delivers a message of the first participant, and lets the workers finish.
    pub async fn say(&self, number: u32, text: &str) {
        self.deliver(1, number, text).await;
        self.app.platform.drain().await;
    }

    /// Delivers a message. Like a provider, it sends the message again while the platform is busy.
    pub async fn deliver(&self, person: u32, number: u32, text: impl AsRef<str>) {
        let mut answer = self.send(self.delivery(person, number, text.as_ref())).await;
        for _ in 0..MAX_REDELIVERIES {
            if answer.status != "503 Service Unavailable" {
                break;
            }
            answer = self.send(self.delivery(person, number, text.as_ref())).await;
        }
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
    }

    /// The data of an answer to a request of the owner.
    pub async fn read(&self, path: &str) -> Value {
        let answer = self.ada.get(&format!("{}{path}", self.workflow)).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        answer.json["data"].clone()
    }

    /// The path of the only thread.
    pub async fn thread(&self) -> String {
        let threads = self.read("/threads").await;
        let [thread] = &threads.as_array().unwrap()[..] else { panic!("one thread: {threads}") };
        format!("{}/threads/{}", self.workflow, thread["id"].as_str().unwrap())
    }

    /// The roles and texts of the messages of a thread, oldest first.
    pub async fn messages(&self, thread: &str) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let listed = super::list(&self.ada, &format!("{thread}/messages?order=asc")).await;
        listed.iter().map(|message| (text(&message["role"]), text(&message["content"]))).collect()
    }

    /// What the provider has sent to the first participant.
    pub fn sent(&self) -> Vec<String> {
        self.fake.texts(&self.conversation(1))
    }
}
