//! A platform in this process with its data in memory. It records the invocations of its functions, one after the other.

use std::fmt::Display;
use std::time::Duration;

use bytes::Bytes;
use domain::time::Time;
use http::{Method, Request, header};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use matchit::Router as Matcher;
use platform::Context;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use super::recorded::{Invocation, Recorded, Trigger};
use crate::api_gateway::match_routes;
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::platform::{Options, Platform};
use crate::recorder::Recorder;

pub struct Stage {
    /// Boxed, because a scenario may have several stages.
    platform: Box<Platform>,
    recorder: Recorder,
    /// The function of each route.
    functions: Matcher<String>,
    client: Client<HttpConnector, Full<Bytes>>,
    /// The bearer token of the requests.
    token: String,
    recorded: Vec<Invocation>,
}

pub struct Answer {
    pub status: u16,
    pub location: String,
    /// The name and the value of each cookie that is set.
    pub cookies: Vec<String>,
    pub text: String,
    pub json: Value,
}

impl Answer {
    /// A text of the JSON body, by its pointer.
    pub fn text_at(&self, pointer: &str) -> Result<String, Failure> {
        let found = self.json.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        found.ok_or_else(|| failure(format!("the answer has no {pointer}: {}", self.text)))
    }
}

impl Stage {
    /// Starts a platform whose requests are those of ada, an administrator of `acme`.
    pub async fn start() -> Result<Self, Failure> {
        Self::start_with(Vec::new()).await
    }

    /// Starts a platform with further settings of all functions.
    pub async fn start_with(settings: Vec<(String, String)>) -> Result<Self, Failure> {
        let recorder = Recorder::default();
        let data = DataDir::temporary()?;
        let platform =
            Platform::start(Options { recorder: Some(recorder.clone()), settings, ..Options::new(data) }).await?;
        let functions = match_routes(&platform.template().routes, |route| Some(route.function.clone()))?;
        let client = Client::builder(TokioExecutor::new()).build_http();
        let token = platform.credentials.users.get("ada").map(|ada| ada.access_token.clone()).unwrap_or_default();
        Ok(Self { platform: Box::new(platform), recorder, functions, client, token, recorded: Vec::new() })
    }

    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    pub fn context_of(&self, function: &str) -> Context {
        self.platform.context_of(function)
    }

    /// Sends later requests with this token, and returns the previous one.
    pub fn switch_token(&mut self, token: &str) -> String {
        std::mem::replace(&mut self.token, token.to_owned())
    }

    pub async fn get(&mut self, path: &str) -> Result<Answer, Failure> {
        self.send("GET", path, Bytes::new(), &[]).await
    }

    pub async fn post(&mut self, path: &str, body: Value) -> Result<Answer, Failure> {
        self.send_json("POST", path, &body, &[]).await
    }

    pub async fn post_as_operator(&mut self, path: &str, body: Value) -> Result<(), Failure> {
        let operator = self.platform.credentials.operator.api_key.clone();
        let token = self.switch_token(&operator);
        let answer = self.post(path, body).await;
        self.switch_token(&token);
        answer.map(drop)
    }

    pub async fn put(&mut self, path: &str, body: Value) -> Result<Answer, Failure> {
        self.send_json("PUT", path, &body, &[]).await
    }

    pub async fn send_json(
        &mut self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &[(&str, &str)],
    ) -> Result<Answer, Failure> {
        let json = [(header::CONTENT_TYPE.as_str(), "application/json")];
        self.send(method, path, Bytes::from(body.to_string()), &[&json[..], headers].concat()).await
    }

    /// Sends a request, waits for the end of its answer, and records the invocation of its function. The pages of the local
    /// issuer belong to no function.
    pub async fn send(
        &mut self,
        method: &str,
        path: &str,
        body: Bytes,
        headers: &[(&str, &str)],
    ) -> Result<Answer, Failure> {
        let path = path.strip_prefix(&self.platform.base_url).unwrap_or(path).to_owned();
        let failed = |cause: &dyn Display| failure(format!("{method} {path}: {cause}"));
        let mut request = Request::builder()
            .method(method.parse::<Method>().map_err(|cause| failed(&cause))?)
            .uri(format!("{}{path}", self.platform.base_url));
        if !self.token.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", self.token));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body)).map_err(|cause| failed(&cause))?;
        let client = self.client.clone();
        let exchange = async {
            let (parts, body) = client.request(request).await.map_err(|cause| failed(&cause))?.into_parts();
            Ok((parts, body.collect().await.map_err(|cause| failed(&cause))?.to_bytes()))
        };
        let ((parts, body), observed) = self.observe(exchange).await?;
        let function = self.functions.at(path.split('?').next().unwrap_or_default());
        if let Ok(function) = function {
            let (calls, cpu) = observed;
            let function = function.value.clone();
            self.recorded.push(Invocation { function, trigger: Trigger::Request, calls, cpu });
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        let status = parts.status.as_u16();
        if status >= 400 {
            return Err(failed(&format!("answered {status}: {text}")));
        }
        let text_of = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let cookies = parts.headers.get_all(header::SET_COOKIE).into_iter().filter_map(|cookie| cookie.to_str().ok());
        let cookies = cookies.filter_map(|cookie| cookie.split(';').next()).map(str::to_owned).collect();
        let location = text_of(header::LOCATION).to_owned();
        Ok(Answer { status, location, cookies, json: serde_json::from_str(&text).unwrap_or_default(), text })
    }

    /// Lets the workers handle all messages that are due.
    pub async fn work(&mut self) -> Result<(), Failure> {
        loop {
            let (handled, (calls, cpu)) = self.observe(async { Ok(self.platform.handle_batch().await) }).await?;
            let Some(function) = handled else { return Ok(()) };
            self.recorded.push(Invocation { function, trigger: Trigger::Messages, calls, cpu });
        }
    }

    pub async fn tick(&mut self) -> Result<(), Failure> {
        let (_, (calls, cpu)) = self.observe(async { Ok(self.platform.tick(Time::now()).await?) }).await?;
        self.recorded.push(Invocation { function: "ticker".to_owned(), trigger: Trigger::Schedule, calls, cpu });
        Ok(())
    }

    /// Records work of a worker that is not delivered by the queue, because its messages are late.
    pub async fn work_as<T>(
        &mut self,
        function: &str,
        work: impl Future<Output = domain::Result<T>>,
    ) -> Result<T, Failure> {
        let (done, (calls, cpu)) = self.observe(async { Ok(work.await?) }).await?;
        self.recorded.push(Invocation { function: function.to_owned(), trigger: Trigger::Messages, calls, cpu });
        Ok(done)
    }

    /// Discards what a scenario has done to prepare itself.
    pub fn forget(&mut self) {
        self.recorded.clear();
    }

    /// Carries out a scenario and records it.
    pub async fn record(
        &mut self,
        name: &'static str,
        mut scenario: impl AsyncFnMut(&mut Self) -> Result<(), Failure>,
    ) -> Result<Recorded, Failure> {
        self.recorded.clear();
        let carried_out = scenario(self).await;
        carried_out.map_err(|cause| failure(format!("the scenario {name:?} failed: {cause}")))?;
        let denied = self.platform.take_denied_calls();
        if !denied.is_empty() {
            return Err(failure(format!("the scenario {name:?} failed: {}", denied.join("; "))));
        }
        let invocations = std::mem::take(&mut self.recorded);
        Ok(Recorded { name, invocations, waits: Vec::new(), run: None, varies: false })
    }

    /// Carries out a scenario twice, and records it in a process that knows its callers and workflows.
    pub async fn record_warm(
        &mut self,
        name: &'static str,
        mut scenario: impl AsyncFnMut(&mut Self) -> Result<(), Failure>,
    ) -> Result<Recorded, Failure> {
        self.record(name, &mut scenario).await?;
        self.record(name, scenario).await
    }

    /// The AWS calls of some work, and the time of a core that it took.
    async fn observe<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<(T, (Vec<crate::recorder::Call>, Duration)), Failure> {
        self.recorder.take();
        let began = cpu_time();
        let done = work.await?;
        self.platform.settle().await;
        Ok((done, (self.recorder.take(), cpu_time().saturating_sub(began))))
    }
}

pub fn failure(message: String) -> Failure {
    Failure::Other(message)
}

/// The time of a core that this process has taken.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or_default(), time.tv_nsec.try_into().unwrap_or_default())
}
