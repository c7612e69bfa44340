//! Forms, `/hooks/v1/{webhookId}/form`: the pages that people see, the runs that they start, and their further pages.

use reqwest::Method;
use tests::client::send;
use tests::form::TestForm;

use super::hooks::{Hook, publish_hook, triggered};
use super::*;

/// A browser of somebody without an account.
pub struct Visitor<'a> {
    app: &'a TestApp,
    person: Person,
    /// The page on which the browser is.
    url: String,
    page: String,
}

impl<'a> Visitor<'a> {
    /// Opens the form of a webhook.
    pub async fn open(app: &'a TestApp, hook: &Hook, query: &str) -> Self {
        let url = format!("{}/form", hook.url);
        let mut visitor = Self { app, person: app.anonymous(), url: format!("{url}{query}"), page: String::new() };
        let answer = visitor.load().await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        visitor.url = url;
        visitor
    }

    async fn load(&mut self) -> Answer {
        self.app.platform.drain().await;
        let answer = self.person.get(&self.url).await;
        self.page.clone_from(&answer.text);
        answer
    }

    /// A form with what the page has in its hidden control, and these texts.
    fn filled(&self, texts: &[(&str, &str)]) -> TestForm {
        let (_, rest) = self.page.split_once("<input type=\"hidden\" name=\"").unwrap();
        let (name, rest) = rest.split_once("\" value=\"").unwrap();
        let form = TestForm::default().text(name, rest.split_once('"').unwrap().0);
        texts.iter().fold(form, |form, (name, text)| form.text(name, text))
    }

    /// Sends the page, and follows where it leads.
    pub async fn send(&mut self, form: TestForm) -> Answer {
        let answer = send(form.add_to(self.person.request(Method::POST, &self.url))).await;
        let Some(next) = answer.header("location") else {
            self.page.clone_from(&answer.text);
            return answer;
        };
        assert_eq!(answer.status, "303 See Other");
        assert!(!next.contains("://"), "{next}");
        let folder = self.url.rsplit_once('/').unwrap().0;
        self.url = format!("{folder}/{next}");
        self.load().await
    }

    pub async fn fill(&mut self, texts: &[(&str, &str)]) -> Answer {
        let form = self.filled(texts);
        self.send(form).await
    }
}

fn contact() -> Value {
    json!({
        "title": "Contact <b>us</b>", "description": "We answer\nwithin a day.", "button": "Ask",
        "fields": [
            {"name": "email", "label": "Your \"email\"", "type": "email", "required": true, "help": "Only for the answer"},
            {"name": "topic", "type": "choice", "options": ["Sales & more", "Support"], "value": "Support"},
            {"name": "seats", "type": "number"},
            {"name": "photo", "type": "file"},
            {"name": "source", "type": "hidden", "value": "web"},
        ],
        "confirmation": "Thank you.\nSee you soon.",
    })
}

/// A workflow that a form starts.
fn started_by(config: Value, nodes: &[Value], connections: &[&str], output: &str) -> Value {
    let ends = [node("hook", "form", config), node("end", "send_result", json!({"output": output}))];
    graph(&[&ends[..], nodes].concat(), connections)
}

async fn only_run_path(owner: &Person, hook: &Hook) -> String {
    let runs = owner.get(&runs_path(&hook.workflow)).await;
    let [run] = &runs.json["data"].as_array().unwrap()[..] else { panic!("one run: {}", runs.text) };
    format!("{}/{}", runs_path(&hook.workflow), run["id"].as_str().unwrap())
}

async fn only_run(owner: &Person, hook: &Hook) -> Value {
    read(owner, &only_run_path(owner, hook).await).await
}

async fn count_runs(owner: &Person, hook: &Hook) -> usize {
    owner.get(&runs_path(&hook.workflow)).await.json["data"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_form_starts_a_run_with_typed_values() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, started_by(contact(), &[], &["hook.out end"], "input"), "async").await;
    let mut visitor = Visitor::open(&app, &hook, "?seats=3&source=mail&unknown=1").await;
    for part in [
        "<h1>Contact &lt;b&gt;us&lt;/b&gt;</h1>",
        "We answer\nwithin a day.",
        "Your &quot;email&quot;",
        "Only for the answer",
        "type=\"email\" name=\"email\" required",
        "value=\"Sales &amp; more\"",
        "value=\"Support\" checked",
        "name=\"seats\" step=\"any\" value=\"3\"",
        "type=\"hidden\" name=\"source\" value=\"mail\"",
        "<button>Ask</button>",
    ] {
        assert!(visitor.page.contains(part), "{part}: {}", visitor.page);
    }
    let form =
        visitor.filled(&[("email", "ana@example.com"), ("topic", "Support"), ("seats", "2.5"), ("source", "mail")]);
    let ended = visitor.send(form.file("photo", "a.txt", b"hello")).await;
    assert!(ended.text.contains("Thank you.\nSee you soon."), "{}", ended.text);
    app.platform.drain().await;
    let run = only_run(&ada, &hook).await;
    let photo = json!({"base64": "aGVsbG8=", "contentType": "application/octet-stream", "name": "a.txt"});
    let input = json!({
        "email": "ana@example.com", "topic": "Support", "seats": 2.5, "photo": photo, "source": "mail",
    });
    assert_eq!((&run["state"], &run["origin"], &run["input"]), (&json!("completed"), &json!("webhook"), &input));
    assert_eq!(hook.events(&ada).await, ["accepted 202"]);
}

#[tokio::test]
async fn pages_are_safe_and_speak_the_language_of_the_browser() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let config = json!({"title": "Hola", "fields": [{"name": "a", "type": "text", "required": true}]});
    let hook = publish_hook(&app, &ada, started_by(config, &[], &["hook.out end"], "input"), "async").await;
    let url = format!("{}/form", hook.url);
    let page = send(app.anonymous().request(Method::GET, &url).header("accept-language", "es")).await;
    assert!(page.text.contains("<html lang=\"es\">") && page.text.contains("<button>Enviar</button>"), "{}", page.text);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("form-action 'self'"), "{policy}");
    assert_eq!((page.header("cache-control"), page.header("referrer-policy")), (Some("no-store"), Some("no-referrer")));
    let attack = send(app.anonymous().request(Method::GET, &format!("{url}?a=%22%3E%3Cscript%3E"))).await;
    assert!(!attack.text.contains("<script>"), "{}", attack.text);
}

#[tokio::test]
async fn wrong_answers_are_shown_again_and_start_no_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, started_by(contact(), &[], &["hook.out end"], "input"), "async").await;
    let mut visitor = Visitor::open(&app, &hook, "").await;
    let answer = visitor.fill(&[("email", "ana"), ("topic", "Other"), ("seats", "two")]).await;
    assert_eq!(answer.status, "422 Unprocessable Entity");
    for part in
        ["must be an email address", "choose one of the options", "must be a number", "value=\"two\"", "role=\"alert\""]
    {
        assert!(answer.text.contains(part), "{part}: {}", answer.text);
    }
    let large = visitor.filled(&[("email", "ana@example.com")]).file("photo", "a.bin", &vec![0; 600 * 1024]);
    let answer = visitor.send(large).await;
    assert_eq!(answer.status, "422 Unprocessable Entity");
    assert!(answer.text.contains("more than 512 KiB"), "{}", answer.text);
    let broken = app.anonymous().request(Method::POST, &format!("{}/form", hook.url)).body("x");
    assert_eq!(send(broken).await.status, "415 Unsupported Media Type");
    assert_eq!(count_runs(&ada, &hook).await, 0);
    // The page that was corrected is the same one.
    assert!(visitor.fill(&[("email", "ana@example.com")]).await.text.contains("Thank you."));
    assert_eq!(count_runs(&ada, &hook).await, 1);
}

#[tokio::test]
async fn a_page_that_is_sent_twice_starts_one_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, started_by(contact(), &[], &["hook.out end"], "input"), "async").await;
    let visitor = Visitor::open(&app, &hook, "").await;
    let send_once = async |form: TestForm| send(form.add_to(visitor.person.request(Method::POST, &visitor.url))).await;
    let form = visitor.filled(&[("email", "ana@example.com")]);
    let (one, other) = futures::join!(send_once(form.clone()), send_once(form));
    assert_eq!((one.status.as_str(), one.header("location")), ("303 See Other", other.header("location")));
    let changed = send_once(visitor.filled(&[("email", "bob@example.com")])).await;
    assert_eq!(changed.status, "409 Conflict");
    assert!(changed.text.contains("already sent") && changed.text.contains("href=\"form\""), "{}", changed.text);
    assert_eq!(count_runs(&ada, &hook).await, 1);
}

/// Asks for a day after the form. The days come from the run.
fn booking() -> Value {
    let fields = json!([
        {"name": "day", "label": "Day", "type": "choice", "required": true, "options": "input.days"},
        {"name": "note", "type": "long_text", "value": "'For ' + nodes.hook.output.name"},
    ]);
    let config = json!({"title": "Hello {{ nodes.hook.output.name }}", "fields": fields, "expiresInSeconds": 3600});
    let days = node("days", "transform", json!({"value": "{'days': ['Monday', 'Tuesday']}"}));
    let booked = "'Booked: ' + nodes.ask.output.day";
    let nodes = [days, node("ask", "form_page", config), node("late", "send_result", json!({"output": "'Too late'"}))];
    let form = json!({"title": "Book", "fields": [{"name": "name", "type": "text", "required": true}]});
    let ports = ["hook.out days", "days.out ask", "ask.submitted end", "ask.expired late"];
    started_by(form, &nodes, &ports, booked)
}

#[tokio::test]
async fn a_further_page_continues_the_run() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, booking(), "async").await;
    let mut visitor = Visitor::open(&app, &hook, "").await;
    let page = visitor.fill(&[("name", "Grace Hopper")]).await;
    for part in [
        "<h1>Hello Grace Hopper</h1>",
        "\nFor Grace Hopper<",
        "value=\"Monday\"",
        "value=\"Tuesday\"",
        "<button>Continue</button>",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let run = only_run(&ada, &hook).await;
    assert_eq!((&run["state"], &run["waiting"]), (&json!("paused"), &Value::Null));
    assert_eq!(ada.get("/builder/v1/reviews").await.json["data"], json!([]), "it is no review");
    let path = only_run_path(&ada, &hook).await;
    let resolved = ada.post_json(&format!("{path}/resolve-wait"), json!({"decision": "approve"})).await;
    assert_eq!(refusal(&resolved), ("409", "invalid_state"));

    let wrong = visitor.fill(&[("day", "Sunday")]).await;
    assert_eq!(wrong.status, "422 Unprocessable Entity", "{}", wrong.text);
    let link = visitor.url.clone();
    let form = visitor.filled(&[("day", "Tuesday"), ("note", "")]);
    let ended = visitor.send(form.clone()).await;
    assert!(ended.text.contains("Booked: Tuesday"), "{}", ended.text);
    assert_eq!(visitor.url, link, "the pages of a run have one link");
    let again = visitor.send(form).await;
    assert!(again.text.contains("Booked: Tuesday"), "a page that is sent again changes nothing: {}", again.text);
    let run = only_run(&ada, &hook).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!("Booked: Tuesday")));
}

#[tokio::test]
async fn masked_parts_are_not_shown_and_keep_their_values() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let fields = json!([{"name": "card", "type": "text", "value": "nodes.hook.output.card"}]);
    let page = node("ask", "form_page", json!({"title": "Is this right?", "fields": fields}));
    let fields = json!([{"name": "card", "type": "text"}]);
    let form = json!({"title": "Pay", "fields": fields, "redact": ["output.card"], "maxPerHour": 1});
    let ports = ["hook.out ask", "ask.submitted end"];
    let same = "nodes.ask.output.card == nodes.hook.output.card ? 'The same' : 'Another'";
    let hook = publish_hook(&app, &ada, started_by(form, &[page], &ports, same), "async").await;
    let mut visitor = Visitor::open(&app, &hook, "").await;
    let page = visitor.fill(&[("card", "4242 4242 4242 4242")]).await;
    assert!(page.text.contains("value=\"***\"") && !page.text.contains("4242"), "{}", page.text);
    let ended = visitor.fill(&[("card", "***")]).await;
    assert!(ended.text.contains("The same"), "{}", ended.text);
    // What is stored of a refused form is masked as well.
    let mut late = Visitor::open(&app, &hook, "").await;
    assert_eq!(late.fill(&[("card", "5555 5555 5555 4444")]).await.status, "429 Too Many Requests");
    let events = ada.get(&format!("{WORKFLOWS}/{}/webhooks/{}/events", hook.workflow, hook.webhook)).await;
    let id = events.json["data"][0]["id"].as_str().unwrap();
    let event = ada.get(&format!("{WORKFLOWS}/{}/webhooks/{}/events/{id}", hook.workflow, hook.webhook)).await;
    assert!(event.text.contains("refused") && event.text.contains("***"), "{}", event.text);
    assert!(!event.text.contains("5555"), "{}", event.text);
}

#[tokio::test]
async fn only_the_browser_that_has_sent_the_form_has_its_link() {
    let app = TestApp::start().await;
    let (ada, stranger) = (app.person("ada"), app.anonymous());
    let hook = publish_hook(&app, &ada, booking(), "sync").await;
    let mut visitor = Visitor::open(&app, &hook, "").await;
    let page = visitor.fill(&[("name", "Grace")]).await;
    assert!(page.text.contains("Tuesday"), "{}", page.text);
    let (run, other) = (only_run(&ada, &hook).await, publish_hook(&app, &ada, booking(), "sync").await);
    let id = run["id"].as_str().unwrap();
    let mark = visitor.url.rsplit_once('.').unwrap().1;
    for link in [
        format!("{}/form/{id}", hook.url),
        format!("{}/form/{id}.", hook.url),
        format!("{}/form/{id}.AAAAAAAAAAAAAAAAAAAAAA", hook.url),
        format!("{}/form/{NOWHERE}.{mark}", hook.url),
        format!("{}/form/{id}.{mark}", other.url),
        format!("/hooks/v1/{NOWHERE}/form/{id}.{mark}"),
    ] {
        let refused = stranger.get(&link).await;
        assert_eq!(refused.status, "404 Not Found", "{link}");
        assert!(
            refused.text.contains("no such form") && refused.text.starts_with("<!DOCTYPE html>"),
            "{}",
            refused.text
        );
    }
    let token = format!("{WORKFLOWS}/{}/webhooks/{}/regenerate-token", hook.workflow, hook.webhook);
    assert_eq!(ada.post(&token).await.status, "200 OK");
    assert_eq!(visitor.load().await.status, "404 Not Found", "a new token ends all links");
}

#[tokio::test]
async fn members_get_the_link_of_a_page_in_a_run_that_no_form_has_started() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, booking(), "async").await;
    let started = ada.post_json(&runs_path(&hook.workflow), json!({"input": {"name": "Grace"}})).await;
    assert_eq!(started.status, "202 Accepted", "{}", started.text);
    app.platform.drain().await;
    let path = only_run_path(&ada, &hook).await;
    let pages = ada.get(&format!("{path}/form-pages")).await.json["data"].clone();
    let url = pages[0]["url"].as_str().unwrap().to_owned();
    let expires_at = &pages[0]["expiresAt"];
    assert_eq!(
        pages,
        json!([{"nodeId": "ask", "step": "ask", "title": "Hello Grace", "expiresAt": expires_at, "url": url}])
    );
    let link = url.split_once("/form/").unwrap().1;
    let url = format!("{}/form/{link}", hook.url);
    let mut visitor = Visitor { app: &app, person: app.anonymous(), url, page: String::new() };
    assert!(visitor.load().await.text.contains("Hello Grace"), "{}", visitor.page);
    assert!(visitor.fill(&[("day", "Monday")]).await.text.contains("Booked: Monday"), "{}", visitor.page);
    assert_eq!(ada.get(&format!("{path}/form-pages")).await.json["data"], json!([]));
}

#[tokio::test]
async fn a_page_whose_webhook_was_deleted_has_no_link() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, booking(), "async").await;
    Visitor::open(&app, &hook, "").await.fill(&[("name", "Grace")]).await;
    let pages = format!("{}/form-pages", only_run_path(&ada, &hook).await);
    assert!(ada.get(&pages).await.json["data"][0]["url"].is_string());
    let webhook = format!("{WORKFLOWS}/{}/webhooks/{}", hook.workflow, hook.webhook);
    assert_eq!(ada.delete(&webhook).await.status, "204 No Content");
    let left = ada.get(&pages).await;
    assert_eq!((&left.json["data"][0]["nodeId"], &left.json["data"][0]["url"]), (&json!("ask"), &Value::Null));
}

#[tokio::test]
async fn a_page_without_a_form_has_no_link() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "form_page", json!({"title": "Which?", "fields": []})),
        node("end", "send_result", json!({"output": "1"})),
    ];
    let workflow = publish(&ada, graph(&nodes, &["start.out ask", "ask.submitted end"])).await;
    let run = ada.post(&runs_path(&workflow)).await.id().to_owned();
    app.platform.drain().await;
    let pages = ada.get(&format!("{}/{run}/form-pages", runs_path(&workflow))).await;
    assert_eq!((&pages.json["data"][0]["nodeId"], &pages.json["data"][0]["url"]), (&json!("ask"), &Value::Null));
}

#[tokio::test]
async fn a_page_that_nobody_sends_expires() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, booking(), "async").await;
    let mut visitor = Visitor::open(&app, &hook, "").await;
    visitor.fill(&[("name", "Grace")]).await;
    let late = visitor.filled(&[("day", "Monday")]);
    let path = only_run_path(&ada, &hook).await;
    work_at(&app, &path, Time::now().plus(Duration::from_secs(3_601))).await;
    let run = only_run(&ada, &hook).await;
    assert_eq!((&run["state"], &run["output"]), (&json!("completed"), &json!("Too late")));
    assert!(visitor.send(late).await.text.contains("Too late"));
}

#[tokio::test]
async fn a_run_that_is_stopped_ends_its_pages() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, booking(), "async").await;
    let mut visitor = Visitor::open(&app, &hook, "").await;
    visitor.fill(&[("name", "Grace")]).await;
    let answer = visitor.filled(&[("day", "Monday")]);
    let path = only_run_path(&ada, &hook).await;
    assert_eq!(ada.post(&format!("{path}/stop")).await.status, "200 OK");
    app.platform.drain().await;
    let ended = visitor.send(answer).await;
    assert!(ended.text.contains("Something went wrong"), "{}", ended.text);
    assert_eq!(only_run(&ada, &hook).await["state"], "cancelled");
}

#[tokio::test]
async fn a_form_that_is_closed_or_busy_says_so() {
    let app = TestApp::start().await;
    let (ada, stranger) = (app.person("ada"), app.anonymous());
    let mut config = contact();
    config["maxPerHour"] = json!(1);
    config["redirectUrl"] = json!("https://example.com/thanks");
    let hook = publish_hook(&app, &ada, started_by(config, &[], &["hook.out end"], "input"), "async").await;
    let (mut first, mut second) = (Visitor::open(&app, &hook, "").await, Visitor::open(&app, &hook, "").await);
    let sent = first.fill(&[("email", "ana@example.com")]).await;
    assert_eq!((sent.status.as_str(), sent.header("refresh")), ("200 OK", Some("0; url=https://example.com/thanks")));
    assert!(sent.text.contains("href=\"https://example.com/thanks\""), "{}", sent.text);
    let form = second.filled(&[("email", "bob@example.com")]);
    let busy = second.send(form.clone()).await;
    assert_eq!(busy.status, "429 Too Many Requests");
    assert!(busy.text.contains("very busy"), "{}", busy.text);
    let pause = format!("{WORKFLOWS}/{}/pause", hook.workflow);
    assert_eq!(ada.post(&pause).await.status, "200 OK");
    let url = format!("{}/form", hook.url);
    let closed = stranger.get(&url).await;
    assert_eq!(closed.status, "409 Conflict");
    assert!(closed.text.contains("closed"), "{}", closed.text);
    assert_eq!(second.send(form).await.status, "409 Conflict");
    assert_eq!(count_runs(&ada, &hook).await, 1);
    // A webhook that starts another type of node has no form.
    let plain = publish_hook(&app, &ada, triggered(&[], &["hook.out end"], "input"), "sync").await;
    for url in [format!("{}/form", plain.url), format!("/hooks/v1/{NOWHERE}/form"), "/hooks/v1/x/form".to_owned()] {
        assert_eq!(stranger.get(&url).await.status, "404 Not Found", "{url}");
    }
}

#[tokio::test]
async fn a_program_sends_the_same_values_as_json() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let hook = publish_hook(&app, &ada, started_by(contact(), &[], &["hook.out end"], "input"), "sync").await;
    let called = hook.call(json!({"email": "ana@example.com", "seats": 2})).await;
    let output = json!({"email": "ana@example.com", "topic": null, "seats": 2, "photo": null, "source": null});
    assert_eq!((called.status.as_str(), &called.json["output"]), ("200 OK", &output), "{}", called.text);
    let wrong = hook.call(json!({"email": "ana@example.com", "topic": "Other"})).await;
    assert_eq!(refusal(&wrong).0, "400", "{}", wrong.text);
    assert!(message(&wrong).contains("topic"), "{}", wrong.text);
    let started = ada.post_json(&runs_path(&hook.workflow), json!({"input": {"seats": 1}})).await;
    assert!(message(&started).contains("input.email"), "{}", started.text);
    start_run(&ada, &hook.workflow, json!({"email": "ana@example.com"})).await;
}
