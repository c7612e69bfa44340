//! The rotation of a session's secret, with a clock that the test sets.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use auth::Auth;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::routing::get;
use domain::session::{MAX_AGE, MAX_IDLE, OVERLAP, ROTATED_AFTER};
use domain::time::{Clock, Time};
use futures::future::join_all;
use platform::Context;
use tower::ServiceExt;
use web::finish;

use super::*;

#[derive(Clone)]
struct State(Arc<Auth>);

impl AsRef<Auth> for State {
    fn as_ref(&self) -> &Auth {
        &self.0
    }
}

struct Stage {
    app: TestApp,
    now: Arc<Mutex<Time>>,
    auth: Arc<Auth>,
    router: Router,
    origin: String,
}

impl Stage {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let now = Arc::new(Mutex::new(Time::now()));
        let read = now.clone();
        let clock = Clock::new(move || *read.lock().unwrap());
        let context = Context { clock, ..app.platform.context_of("agents") };
        let auth = Arc::new(Auth::new(&context).unwrap());
        let who = async |web::builder::Caller(caller): web::builder::Caller| caller.user.to_string();
        let router = Router::new().route("/", get(who).post(who)).with_state(State(auth.clone()));
        let origin = app.platform.base_url.clone();
        Self { router: finish(router, &[], web::builder::AREA, &context), app, now, auth, origin }
    }

    async fn sign_in(&self) -> String {
        let token = self.app.person("ada").token.unwrap();
        let caller = self.auth.caller(&token).await.unwrap();
        self.auth.start_session(&caller).await.unwrap().reveal().to_string()
    }

    fn pass(&self, time: Duration) {
        let mut now = self.now.lock().unwrap();
        *now = now.plus(time);
    }

    /// Sends a request with a cookie, and returns the status and the next cookie.
    async fn send(&self, method: Method, cookie: &str) -> (StatusCode, Option<String>) {
        let request = Request::builder().method(method).uri("/").header(header::ORIGIN, &self.origin);
        let request = request.header(header::COOKIE, format!("{SESSION}={cookie}")).body(Body::empty()).unwrap();
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let set = answer.headers().get(header::SET_COOKIE).map(|set| set.to_str().unwrap().to_owned());
        if let Some(set) = &set {
            assert!(set.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax"), "{set}");
            assert_eq!(answer.headers()[header::CACHE_CONTROL], "no-store");
        }
        let next = set.map(|set| set.split(';').next().unwrap().split_once('=').unwrap().1.to_owned());
        (answer.status(), next)
    }

    async fn get(&self, cookie: &str) -> (StatusCode, Option<String>) {
        self.send(Method::GET, cookie).await
    }
}

const OK: (StatusCode, Option<String>) = (StatusCode::OK, None);
const OVER: (StatusCode, Option<String>) = (StatusCode::UNAUTHORIZED, None);

#[tokio::test]
async fn parallel_requests_with_an_old_secret_get_the_same_new_one() {
    let stage = Stage::start().await;
    let first = stage.sign_in().await;
    assert_eq!(stage.get(&first).await, OK);
    stage.pass(ROTATED_AFTER);
    assert_eq!(stage.send(Method::POST, &first).await, OK, "a change does not rotate");
    let answers = join_all((0..8).map(|_| stage.get(&first))).await;
    assert!(answers.iter().all(|(status, _)| *status == StatusCode::OK), "{answers:?}");
    let mut next: Vec<_> = answers.into_iter().filter_map(|(_, next)| next).collect();
    next.dedup();
    let [second] = &next[..] else { panic!("{next:?}") };
    assert_ne!(*second, first);

    // The answers of some requests may be lost. The next one with the old secret gets the new one again.
    assert_eq!(stage.get(&first).await, (StatusCode::OK, Some(second.clone())));
    assert_eq!(stage.get(second).await, OK);
}

#[tokio::test]
async fn an_old_secret_that_is_used_again_ends_the_session() {
    let stage = Stage::start().await;
    let first = stage.sign_in().await;
    stage.pass(ROTATED_AFTER);
    let (_, second) = stage.get(&first).await;
    let second = second.expect("the next cookie");
    stage.pass(OVERLAP);
    assert_eq!(stage.get(&second).await, OK);
    assert_eq!(stage.get(&first).await, OVER);
    assert_eq!(stage.get(&second).await, OVER, "nobody can tell who has the copy");
}

#[tokio::test]
async fn a_session_ends_when_it_is_idle() {
    let stage = Stage::start().await;
    let cookie = stage.sign_in().await;
    stage.pass(MAX_IDLE);
    assert_eq!(stage.get(&cookie).await, OVER);
}

#[tokio::test]
async fn a_session_in_use_ends_at_its_greatest_age() {
    let stage = Stage::start().await;
    let mut cookie = stage.sign_in().await;
    let rotations = MAX_AGE.as_secs() / ROTATED_AFTER.as_secs();
    for _ in 1..rotations {
        stage.pass(ROTATED_AFTER);
        cookie = stage.get(&cookie).await.1.expect("the next cookie");
    }
    stage.pass(ROTATED_AFTER);
    assert_eq!(stage.get(&cookie).await, OVER);
}

#[tokio::test]
async fn a_rotation_does_not_revive_a_session_that_has_ended() {
    let stage = Stage::start().await;
    let first = stage.sign_in().await;
    stage.pass(ROTATED_AFTER);
    let (_, second) = stage.get(&first).await;
    stage.auth.end_session(&first).await.unwrap();
    assert_eq!(stage.get(&second.expect("the next cookie")).await, OVER);
    assert_eq!(stage.get(&first).await, OVER);
}

#[tokio::test]
async fn a_rotation_writes_once() {
    let stage = Stage::start().await;
    let cookie = stage.sign_in().await;
    stage.get(&cookie).await;
    stage.pass(ROTATED_AFTER);
    stage.app.recorder.take();
    stage.get(&cookie).await;
    let costs = stage.app.recorder.take_costs().to_string();
    assert_eq!(costs, "1 dynamodb:BatchGetItem (5 units), 1 dynamodb:PutItem (1 units)");
    stage.get(&cookie).await;
    assert_eq!(stage.app.recorder.take_costs().to_string(), "1 dynamodb:BatchGetItem (5 units)");
}
