//! Workbenches on this machine: how browsers reach the program of a lab. `programs` has the rest.

mod programs;

use std::fs;
use std::path::PathBuf;

use domain::identity::Role;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::json;
use tests::client::{refusal, send};
use tests::polling::eventually;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::*;

/// A platform that runs labs with the program of tests, or without any program.
pub(super) async fn start(has_program: bool) -> Lab {
    let app = TestApp::start_with_options(|options| options.labs = true).await;
    let backend = Arc::new(app.platform.labs().clone());
    put_plan(&app, lab_plan(has_program)).await;
    Lab::with_backend(app, backend)
}

/// A plan for labs with the program of tests, or without any program.
pub(super) fn lab_plan(has_program: bool) -> Value {
    let mut plan = plan(10, &json!({"cpu": "8", "memory": "16Gi", "storage": "100Gi"}));
    let program = env!("CARGO_BIN_EXE_lab-program");
    let command = if has_program { vec![program, "--port", "{port}"] } else { vec!["no-such-program"] };
    plan["workbenches"]["images"] = json!([{"name": "base", "reference": "base:1", "command": command}]);
    plan["workbenches"]["sizes"][0]["resources"]["memory"] = "128Mi".into();
    never_late(&mut plan);
    plan
}

/// The clock of the worker runs ahead while a test waits, and that must not count.
fn never_late(plan: &mut Value) {
    plan["workbenches"]["provisioning_timeout_minutes"] = 1440.into();
    plan["workbenches"]["idle_stop_minutes"] = Value::Null;
}

/// Steps until the workbench is in this state.
pub(super) async fn until(lab: &Lab, person: &Person, id: &str, field: &str, expected: &str) -> Value {
    eventually(&format!("{field} is {expected}"), async || {
        lab.wait(id).await;
        let found = read(person, id).await;
        (found[field] == expected).then_some(found)
    })
    .await
}

pub(super) async fn ready(lab: &Lab, owner: &Person) -> String {
    let id = create(owner, json!({"name": "lab"})).await;
    until(lab, owner, &id, "status", "ready").await;
    id
}

/// A browser that knows one lab: it keeps the cookie of the lab, and follows no redirect by itself.
pub(super) struct Browser {
    client: Client,
    origin: String,
    host: String,
    cookie: String,
}

impl Browser {
    /// Opens a lab with the token of a person, as the page of the platform does.
    pub(super) async fn open(lab: &Lab, person: &Person, id: &str) -> Self {
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        let (token, url) =
            (person.token.as_ref().unwrap(), read(person, id).await["dashboardUrl"].as_str().unwrap().to_owned());
        let page = send(client.get(&url)).await;
        assert!(page.status.starts_with("200") && page.text.contains("Access token"), "{}", page.text);
        let form = client.post(&url).header("content-type", "application/x-www-form-urlencoded");
        let redirected = send(form.body(format!("token={token}"))).await;
        assert_eq!(redirected.status, "303 See Other", "{}", redirected.text);
        let target = redirected.header("location").unwrap().to_owned();
        assert!(!target.contains(token), "the origin of a lab must not see the access token");
        let (host, path) = target.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let base_url = lab.app.platform.base_url.clone();
        let entered = send(client.get(format!("{base_url}/{path}")).header("host", host)).await;
        assert_eq!((entered.status.as_str(), entered.header("location")), ("303 See Other", Some("/")));
        let again = send(client.get(format!("{base_url}/{path}")).header("host", host)).await;
        assert_eq!(again.header("set-cookie"), None, "a ticket is valid once");
        let cookie = entered.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Self { client, origin: format!("http://{host}"), host: host.to_owned(), cookie }
    }

    fn request(&self, lab: &Lab, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", lab.app.platform.base_url));
        request
            .header("host", &self.host)
            .header("cookie", format!("svc_session=of-the-platform; {}; theme=dark", self.cookie))
    }

    pub(super) async fn get(&self, lab: &Lab, path: &str) -> Answer {
        send(self.request(lab, Method::GET, path)).await
    }

    async fn post(&self, lab: &Lab, path: &str, form: &str) -> Answer {
        let request = self.request(lab, Method::POST, path).header("origin", &self.origin);
        send(request.header("content-type", "application/x-www-form-urlencoded").body(form.to_owned())).await
    }
}

fn home(lab: &Lab, id: &str) -> PathBuf {
    lab.app.platform.data().labs_folder().join(id).join("home")
}

#[tokio::test]
async fn members_reach_the_program_of_a_lab_and_nobody_else_does() {
    let lab = start(true).await;
    let (ada, bob, eve) =
        (lab.app.person("ada"), lab.app.person("bob"), lab.app.person_of("eve", "globex", Role::Admin));
    let id = ready(&lab, &ada).await;
    let browser = Browser::open(&lab, &ada, &id).await;
    assert_eq!(browser.get(&lab, "/").await.text, home(&lab, &id).canonicalize().unwrap().display().to_string());

    let url = read(&ada, &id).await["dashboardUrl"].as_str().unwrap().to_owned();
    let open = async |person: &Person| {
        let request = browser.client.get(&url).bearer_auth(person.token.as_ref().unwrap());
        send(request).await.status
    };
    for stranger in [&bob, &eve] {
        assert_eq!(open(stranger).await, "404 Not Found");
    }
    share(&ada, &id, &lab.app.account("bob").user.to_string()).await;
    assert_eq!(open(&bob).await, "303 See Other");
    let editor = Browser::open(&lab, &bob, &id).await;
    assert_eq!(editor.get(&lab, "/").await.status, "200 OK");
    ada.delete(&format!("{}/members/{}", path(&id), lab.app.account("bob").user)).await;
    assert_eq!(editor.get(&lab, "/").await.status, "404 Not Found", "the cookie of a former editor is refused");

    let other = create(&ada, json!({"name": "other"})).await;
    until(&lab, &ada, &other, "status", "ready").await;
    let other_host = browser.host.replace(&id[3..], &other[3..]);
    let foreign = browser.client.get(format!("{}/", lab.app.platform.base_url)).header("host", other_host);
    assert_eq!(send(foreign.header("cookie", &browser.cookie)).await.status, "401 Unauthorized");
    let wrong = browser.client.post(&url).header("content-type", "application/x-www-form-urlencoded").body("token=x");
    assert_eq!(send(wrong).await.status, "401 Unauthorized");
    let token = format!("token={}", ada.token.as_ref().unwrap());
    let form = browser.client.post(&url).header("content-type", "application/x-www-form-urlencoded").body(token);
    assert_eq!(send(form.header("origin", &browser.origin)).await.status, "403 Forbidden");
}

#[tokio::test]
async fn the_program_sees_neither_the_session_nor_other_sites() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let browser = Browser::open(&lab, &ada, &id).await;
    let headers = browser.get(&lab, "/headers").await.text;
    assert!(headers.contains("cookie: theme=dark\n"), "{headers}");
    assert!(headers.contains(&format!("host: {}\n", browser.host)), "{headers}");
    let bytes = browser.request(&lab, Method::GET, "/headers").header("cookie", "name=grün".as_bytes());
    let bytes = send(bytes.header("connection", "x-private").header("x-private", "1")).await;
    assert_eq!(bytes.status, "200 OK", "cookies may have any bytes");
    assert!(!bytes.text.contains("x-private"), "{}", bytes.text);
    let set = browser.get(&lab, "/cookie").await;
    assert_eq!(set.header("set-cookie"), Some("mine=1"), "a program must not set the cookies of sessions");
    let foreign = browser.request(&lab, Method::GET, "/headers").header("origin", &lab.app.platform.base_url);
    assert_eq!(send(foreign).await.status, "403 Forbidden");
    let without = browser.client.get(format!("{}/headers", lab.app.platform.base_url)).header("host", &browser.host);
    let without = send(without.header("accept", "text/html")).await;
    let url = read(&ada, &id).await["dashboardUrl"].as_str().unwrap().to_owned();
    assert_eq!((without.status.as_str(), without.header("location")), ("303 See Other", Some(url.as_str())));
}

/// A connection to the program that has switched its protocol, like a WebSocket.
async fn switch(lab: &Lab, browser: &Browser) -> TcpStream {
    let address = lab.app.platform.base_url.strip_prefix("http://").unwrap().to_owned();
    let mut socket = TcpStream::connect(&address).await.unwrap();
    let (host, cookie, origin) = (&browser.host, &browser.cookie, &browser.origin);
    let head = format!(
        "GET /echo HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\norigin: {origin}\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(socket.read_u8().await.unwrap());
    }
    let answer = String::from_utf8(answer).unwrap().to_lowercase();
    assert!(answer.starts_with("http/1.1 101 ") && answer.contains("upgrade: echo"), "{answer}");
    assert!(echoes(&mut socket).await);
    socket
}

/// Whether the program still answers on a switched connection.
async fn echoes(socket: &mut TcpStream) -> bool {
    let mut echoed = [0; 4];
    socket.write_all(b"ping").await.is_ok() && socket.read_exact(&mut echoed).await.is_ok() && &echoed == b"ping"
}

/// Whether a connection is closed before another user has made some requests: it does not wait for the next regular check.
async fn is_closed_at_once(lab: &Lab, socket: &mut TcpStream) -> bool {
    for _ in 0..100 {
        lab.app.person("ada").get(WORKBENCHES).await;
        if !echoes(socket).await {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn the_connections_of_a_user_who_loses_access_are_closed_at_once() {
    let lab = start(true).await;
    let (ada, bob, cleo) = (lab.app.person("ada"), lab.app.person("bob"), lab.app.person("cleo"));
    let id = ready(&lab, &ada).await;
    for person in [&bob, &cleo] {
        person.get(WORKBENCHES).await;
    }
    let user = |name: &str| lab.app.account(name).user.to_string();
    for name in ["bob", "cleo"] {
        assert_eq!(share(&ada, &id, &user(name)).await.status, "201 Created");
    }
    let mut sockets = Vec::new();
    for person in [&ada, &bob, &cleo] {
        sockets.push(switch(&lab, &Browser::open(&lab, person, &id).await).await);
    }
    assert_eq!(ada.delete(&format!("{}/members/{}", path(&id), user("bob"))).await.status, "204 No Content");
    assert!(is_closed_at_once(&lab, &mut sockets[1]).await, "the connection of a removed editor");
    assert!(echoes(&mut sockets[2]).await, "the connection of another editor");
    let (operator, suspended) = (lab.app.operator(), format!("/gateway/v1/admin/users/{}", user("cleo")));
    assert_eq!(operator.patch(&suspended, json!({"suspended": true})).await.status, "200 OK");
    assert!(is_closed_at_once(&lab, &mut sockets[2]).await, "the connection of a suspended user");
    assert!(echoes(&mut sockets[0]).await, "the connection of the owner");
}

#[tokio::test]
async fn a_switched_connection_ends_with_the_lab() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let browser = Browser::open(&lab, &ada, &id).await;
    let mut socket = switch(&lab, &browser).await;
    // The program goes on, so only the platform can close the connection.
    lab.app.platform.labs().find(id_of(&id)).unwrap().ended.cancel();
    assert_eq!(socket.read(&mut [0; 4]).await.unwrap_or(0), 0, "the connection is closed");
    ada.post(&format!("{}/stop", path(&id))).await;
    until(&lab, &ada, &id, "runState", "stopped").await;
    let stopped = browser.get(&lab, "/").await;
    assert!(stopped.status.starts_with("409") && stopped.text.contains("is stopped"), "{}", stopped.text);
}

#[tokio::test]
async fn the_page_of_a_stopped_lab_has_a_button_that_only_its_members_can_use() {
    const START: &str = "/_atelier/start";
    let lab = start(true).await;
    let (ada, bob) = (lab.app.person("ada"), lab.app.person("bob"));
    let id = ready(&lab, &ada).await;
    bob.get(WORKBENCHES).await;
    share(&ada, &id, &lab.app.account("bob").user.to_string()).await;
    let (owner, editor) = (Browser::open(&lab, &ada, &id).await, Browser::open(&lab, &bob, &id).await);
    ada.post(&format!("{}/stop", path(&id))).await;
    until(&lab, &ada, &id, "runState", "stopped").await;
    let page = editor.get(&lab, "/").await;
    assert!(page.text.contains(&format!("<form method=\"post\" action=\"{START}\">")), "{}", page.text);

    // Another site, a program that hides its site, a link, and somebody without a session.
    let from_elsewhere = owner.request(&lab, Method::POST, START).header("origin", "http://evil.localhost:9000");
    let without_origin = owner.request(&lab, Method::POST, START);
    let link = owner.request(&lab, Method::GET, START).header("origin", &owner.origin);
    for refused in [from_elsewhere, without_origin, link] {
        assert_eq!(send(refused).await.status, "403 Forbidden");
    }
    let url = format!("{}{START}", lab.app.platform.base_url);
    let anonymous = owner.client.post(url).header("host", &owner.host).header("origin", &owner.origin);
    assert_eq!(send(anonymous).await.status, "401 Unauthorized");
    assert_eq!(read(&ada, &id).await["runState"], "stopped");

    let started = editor.post(&lab, START, "").await;
    assert_eq!((started.status.as_str(), started.header("location")), ("303 See Other", Some("/")));
    until(&lab, &ada, &id, "runState", "running").await;
    assert_eq!(editor.get(&lab, "/").await.status, "200 OK");
    let events = ada.get(&format!("{}/events?limit=100", path(&id))).await.json;
    let starting = events["items"].as_array().unwrap().iter().find(|event| event["type"] == "starting").unwrap();
    assert_eq!(starting["actor"], lab.app.account("bob").user.to_string(), "the event names who has started it");

    ada.delete(&format!("{}/members/{}", path(&id), lab.app.account("bob").user)).await;
    ada.post(&format!("{}/stop", path(&id))).await;
    until(&lab, &ada, &id, "runState", "stopped").await;
    assert_eq!(editor.post(&lab, START, "").await.status, "404 Not Found", "a former editor");
}

#[tokio::test]
async fn the_sign_in_says_what_a_wrong_token_is_and_how_to_get_a_right_one() {
    let lab = start(true).await;
    let ada = lab.app.person("ada");
    let id = ready(&lab, &ada).await;
    let url = read(&ada, &id).await["dashboardUrl"].as_str().unwrap().to_owned();
    let sign_in = async |token: &str| {
        let form = Client::new().post(&url).header("content-type", "application/x-www-form-urlencoded");
        send(form.body(format!("token={token}"))).await
    };
    let key = lab.app.operator().token.unwrap();
    for (token, problem) in [(key.as_str(), "This is an API key"), ("x.y.z", "This access token is not valid")] {
        let page = sign_in(token).await;
        assert_eq!(page.status, "401 Unauthorized");
        assert!(page.text.contains(problem) && page.text.contains("token --user"), "{}", page.text);
        assert!(!page.text.contains(token), "the page does not repeat what was entered");
    }
}
