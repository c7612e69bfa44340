//! The test harness: the platform in this process with its data in memory, clients with tokens, a recorder of every AWS
//! call, fault injection in front of DynamoDB, a scripted model provider, and fake messaging providers.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

pub mod assistant;
pub mod authorization_server;
pub mod binaries;
pub mod budgets;
pub mod certificate;
pub mod client;
pub mod clock;
pub mod cluster;
pub mod collector;
pub mod environment;
pub mod faults;
pub mod form;
pub mod gate;
pub mod gateway;
pub mod kubernetes;
pub mod messaging;
pub mod oracle;
pub mod permissions;
pub mod polling;
pub mod process;
pub mod procfs;
pub mod provider;
pub mod proxy;
pub mod runtime_api;
pub mod scale;
pub mod served;
pub mod statistics;
pub mod tool_server;

use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::agent::{Agent, AgentScope};
use domain::id::AgentId;
use domain::identity::{Account, Role};
use local::issuer::Subject;
use local::recorder::{CallCosts, Recorder};
use local::{DataDir, Options, Platform};
use store::Agents;

use crate::client::{Answer, Person};
use crate::faults::Faults;
use crate::gate::CallGate;
use crate::proxy::StartProxy;

/// The environment variable with which the functions of all tests call the services at their ports.
const OVER_HTTP: &str = "SERVICES_OVER_HTTP";

pub struct TestApp {
    pub platform: Platform,
    pub recorder: Recorder,
}

/// Fails the test if a function made an AWS call that its IAM permissions in the template do not allow.
impl Drop for TestApp {
    fn drop(&mut self) {
        permissions::record(self.platform.used_permissions());
        let denied = self.platform.take_denied_calls();
        assert!(std::thread::panicking() || denied.is_empty(), "{}", denied.join("; "));
    }
}

/// All files and folders of a folder, if it exists.
pub fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { [vec![path.clone()], walk(&path)].concat() } else { vec![path] })
        .collect()
}

impl TestApp {
    pub async fn start() -> Self {
        Self::start_with_faults(None).await
    }

    /// Starts the platform with faults injected between its functions and DynamoDB.
    pub async fn start_with_faults(faults: Option<Faults>) -> Self {
        Self::start_with_proxy(faults.map(Faults::into_proxy)).await
    }

    /// Starts the platform with a gate between its functions and DynamoDB and S3.
    pub async fn start_gated() -> (Self, CallGate) {
        let gate = CallGate::default();
        (Self::start_with_proxy(Some(gate.proxy())).await, gate)
    }

    /// Starts the platform with ports of its services, for functions in other processes.
    pub async fn start_with_ports() -> Self {
        Self::start_with_options(|options| options.services_have_ports = true).await
    }

    /// Starts the platform with functions that call all services at their ports, as those of other processes do.
    pub async fn start_over_http() -> Self {
        Self::start_with_proxy(Some(Box::new(|services| services))).await
    }

    async fn start_with_proxy(proxy: Option<StartProxy>) -> Self {
        Self::start_with_options(|options| options.services_proxy = proxy).await
    }

    /// Starts the platform with changed options.
    pub async fn start_with_options(change: impl FnOnce(&mut Options)) -> Self {
        let recorder = Recorder::default();
        let mut options = Options { recorder: Some(recorder.clone()), ..Options::new(DataDir::temporary().unwrap()) };
        change(&mut options);
        if options.services_proxy.is_none() && std::env::var_os(OVER_HTTP).is_some() {
            options.services_proxy = Some(Box::new(|services| services));
        }
        script::use_program(binaries::find("isolated"));
        documents::use_program(binaries::find("isolated"));
        let platform = Platform::start(options).await.unwrap();
        recorder.take();
        Self { platform, recorder }
    }

    /// The AWS calls of a successful request. Send another request as the same caller before: the first one records the
    /// caller's identity, which costs extra calls.
    pub async fn costs(&self, request: impl Future<Output = Answer>) -> CallCosts {
        self.recorder.take();
        let answer = request.await;
        assert!(answer.status.starts_with('2'), "{}: {}", answer.status, answer.text);
        self.recorder.take_costs()
    }

    /// The number of objects in the buckets under a prefix.
    pub fn objects(&self, prefix: &str) -> usize {
        self.files(prefix).len()
    }

    /// The contents of all objects under a prefix.
    pub fn contents(&self, prefix: &str) -> String {
        self.files(prefix)
            .iter()
            .map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned())
            .collect()
    }

    fn files(&self, prefix: &str) -> Vec<PathBuf> {
        let buckets = std::fs::read_dir(self.platform.data().s3_folder()).unwrap();
        buckets.flat_map(|bucket| walk(&bucket.unwrap().path().join(prefix))).filter(|path| !path.is_dir()).collect()
    }

    /// A member of the organization `acme`.
    pub fn person(&self, name: &str) -> Person {
        self.person_of(name, "acme", Role::Member)
    }

    pub fn person_of(&self, name: &str, org: &str, role: Role) -> Person {
        let subject = Subject { user: name.to_owned(), org: org.to_owned(), role };
        let token = self.platform.issuer.token(&subject, Duration::from_secs(600));
        Person::new(&self.platform.base_url, Some(token))
    }

    /// A client that authenticates with an API key.
    pub fn client_with_key(&self, key: &str) -> Person {
        Person::new(&self.platform.base_url, Some(key.to_owned()))
    }

    /// A client with the API key of a demo user: `ada` and `bob` of `acme`, `eve` of `globex`.
    pub fn key_client(&self, name: &str) -> Person {
        self.client_with_key(&self.platform.credentials.users[name].api_key)
    }

    /// The operator, with an API key.
    pub fn operator(&self) -> Person {
        self.client_with_key(&self.platform.credentials.operator.api_key)
    }

    pub fn anonymous(&self) -> Person {
        Person::new(&self.platform.base_url, None)
    }

    /// The account of a member of `acme`, as the stores take it.
    pub fn account(&self, name: &str) -> Account {
        let claims = auth::TokenClaims {
            issuer: local::issuer::ISSUER.to_owned(),
            subject: name.to_owned(),
            org: "acme".to_owned(),
            role: Role::Member,
            name: None,
            email: None,
            issued_at: 0,
        };
        let identity = auth::first_seen(&claims, domain::time::Time::now());
        Account { org: identity.org.id, user: identity.user.id }
    }

    pub fn agents(&self) -> Agents {
        Agents::new(&self.platform.context()).unwrap()
    }
}

/// Builds an agent and stores it without the API: for long lists, and for states that the API cannot create.
pub struct AgentBuilder(Agent);

impl AgentBuilder {
    pub fn new(account: Account, name: &str) -> Self {
        let mut agent = Agent::new(AgentId::new(), account, AgentScope::Global);
        agent.name = name.to_owned();
        Self(agent)
    }

    pub fn with(mut self, change: impl FnOnce(&mut Agent)) -> Self {
        change(&mut self.0);
        self
    }

    pub async fn insert(self, app: &TestApp) -> Agent {
        app.agents().create(&self.0, None, "").await.unwrap();
        self.0
    }
}
