//! Signing in with a browser, sessions, and service accounts.

mod flow;
mod issuer;
mod local_issuer;
mod mcp_clients;
mod rotation;
mod service_tokens;
mod sessions;
mod sharing;

use std::collections::BTreeMap;

use reqwest::header::SET_COOKIE;
use reqwest::{Method, RequestBuilder, Url};
use serde_json::Value;
use tests::TestApp;
use tests::client::{Answer, Person, send};

pub use service_tokens::program;

const SESSION: &str = "svc_session";
const PENDING: &str = "svc_login";
const AGENTS: &str = "/builder/v1/agents";

/// A browser that keeps the cookies of the platform, and follows no redirect by itself.
pub struct Browser {
    client: Person,
    base_url: String,
    pub cookies: BTreeMap<String, String>,
}

impl Browser {
    pub fn new(app: &TestApp) -> Self {
        let base_url = app.platform.base_url.clone();
        Self { client: app.anonymous(), base_url, cookies: BTreeMap::new() }
    }

    /// A browser in which a demo user has signed in.
    pub async fn signed_in(app: &TestApp, person: &str) -> Self {
        let mut browser = Self::new(app);
        let answer = browser.sign_in("/console/login", person).await;
        assert_eq!(answer.status, "303 See Other", "{}", answer.text);
        browser
    }

    /// Signs in, and returns the answer to the callback.
    pub async fn sign_in(&mut self, login: &str, person: &str) -> Answer {
        let callback = self.callback_url(login, person).await;
        self.get(&callback).await
    }

    /// Begins a sign-in, chooses a person at the issuer, and returns where the issuer leads.
    pub async fn callback_url(&mut self, login: &str, person: &str) -> String {
        let begun = self.get(login).await;
        assert_eq!(begun.status, "303 See Other", "{}", begun.text);
        self.choose(begun.header("location").unwrap(), person).await
    }

    /// Chooses a person on the page of the issuer.
    pub async fn choose(&mut self, authorize: &str, person: &str) -> String {
        let page = self.get(authorize).await;
        assert_eq!(page.status, "200 OK", "{}", page.text);
        let (before, _) = page.text.split_once(&format!(">{person}</button>")).expect("a button of the person");
        let number = before.rsplit('"').nth(1).unwrap().to_owned();
        let chosen = self.request(Method::POST, authorize).body(format!("person={number}"));
        let chosen = self.keep(send(chosen.header("origin", &self.base_url)).await);
        assert_eq!(chosen.status, "303 See Other", "{}", chosen.text);
        chosen.header("location").unwrap().to_owned()
    }

    /// A request with the cookies of this browser.
    pub fn request(&self, method: Method, url: &str) -> RequestBuilder {
        let path = url.strip_prefix(&self.base_url).unwrap_or(url);
        let request = self.client.request(method, path);
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if cookies.is_empty() { request } else { request.header("cookie", cookies.join("; ")) }
    }

    pub async fn get(&mut self, url: &str) -> Answer {
        let answer = send(self.request(Method::GET, url)).await;
        self.keep(answer)
    }

    /// A change by a page of the platform.
    pub async fn change(&mut self, method: Method, path: &str, body: Value) -> Answer {
        let request = self.request(method, path).header("origin", &self.base_url);
        let answer = send(request.json(&body)).await;
        self.keep(answer)
    }

    /// Keeps the cookies of an answer.
    fn keep(&mut self, answer: Answer) -> Answer {
        for cookie in answer.headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().unwrap();
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            match cookie.contains("Max-Age=0") {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        answer
    }
}

/// The parameters of a URL.
pub fn query_of(url: &str) -> BTreeMap<String, String> {
    let url = Url::parse(url).unwrap();
    url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// A URL with another value of a parameter.
pub fn with_parameter(url: &str, name: &str, value: &str) -> String {
    let mut parameters = query_of(url);
    parameters.insert(name.to_owned(), value.to_owned());
    let mut url = Url::parse(url).unwrap();
    url.query_pairs_mut().clear().extend_pairs(parameters);
    url.into()
}

/// The header that sets a cookie.
pub fn set_cookie<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let mut set = answer.headers.get_all(SET_COOKIE).into_iter().map(|cookie| cookie.to_str().unwrap());
    set.find(|cookie| cookie.starts_with(&format!("{name}=")))
}
