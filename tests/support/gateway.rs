//! Fixtures of the gateway: customers (organizations with credits and an API key), models and further environments.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use auth::{TokenClaims, first_seen};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, request};
use domain::catalog::{Model, ModelDeployment, ModelType, OnDisconnect, Pricing, Unsupported};
use domain::guard::GuardApi;
use domain::id::{ApiKeyId, OrgId, TransactionId};
use domain::identity::{Account, Plan, Role};
use domain::lease::{Lease, month};
use domain::ledger::{Adjustment, Charge, EntryKind, LedgerEntry};
use domain::limits::PlanLimits;
use domain::money::Money;
use domain::provider::{ProviderKind, Timeouts};
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use domain::usage::{Tokens, UsageSource};
use http_body_util::BodyExt;
use serde_json::Value;
use store::api_keys::ApiKey;
use store::catalog::StoredProvider;
use store::ledger::EntryFilter;
use store::usage::MonthlyUsage;
use store::{ApiKeys, Catalog, Identities, Leases, Ledger};
use tower::ServiceExt;

use crate::TestApp;
use crate::client::Person;
use crate::polling::PATIENCE;
use crate::provider::FakeProvider;

pub const CHAT: &str = "/gateway/v1/chat/completions";

#[derive(Clone)]
pub struct Customer {
    pub account: Account,
    pub key: ApiKeyId,
    /// A client that authenticates with the key.
    pub person: Person,
}

impl TestApp {
    /// Creates an organization with these credits, its admin, and an API key of the admin.
    pub async fn customer(&self, org: &str, credits: Money) -> Customer {
        self.customer_with_key(org, credits, |_| {}).await
    }

    pub async fn customer_with_key(&self, org: &str, credits: Money, change: impl FnOnce(&mut ApiKey)) -> Customer {
        let context = self.platform.context();
        let claims = TokenClaims {
            issuer: local::issuer::ISSUER.to_owned(),
            subject: format!("admin of {org}"),
            org: org.to_owned(),
            role: Role::Admin,
            name: None,
            email: None,
            issued_at: Time::now().as_seconds(),
        };
        let identity =
            Identities::new(&context).unwrap().find_or_record(&first_seen(&claims, Time::now())).await.unwrap();
        let account = Account { org: identity.org.id, user: identity.user.id };
        if !credits.is_zero() {
            self.credit(account.org, credits).await;
        }
        let secret = SecretToken::generate(TokenKind::ApiKey);
        let mut key = ApiKey {
            id: ApiKeyId::new(),
            account,
            name: "test".to_owned(),
            last4: secret.last4().to_owned(),
            created_at: Time::now(),
            expires_at: None,
            revoked_at: None,
            models: None,
            workbench: None,
        };
        change(&mut key);
        ApiKeys::new(&context).unwrap().create(&key, &secret.hash()).await.unwrap();
        let person = Person::new(&self.platform.base_url, Some(secret.reveal().to_owned()));
        Customer { account, key: key.id, person }
    }

    pub async fn credit(&self, org: OrgId, amount: Money) {
        let adjustment = Adjustment {
            id: TransactionId::new(),
            org,
            kind: EntryKind::Credit,
            amount,
            balance_after: Money::ZERO,
            reason: "test".to_owned(),
            request_id: String::new(),
            created_at: Time::now(),
        };
        Ledger::new(&self.platform.context()).unwrap().adjust(adjustment).await.unwrap().unwrap();
    }

    /// Creates a plan with these limits and moves the customer's organization to it.
    pub async fn put_on_plan(&self, customer: &Customer, limits: PlanLimits) {
        let identities = Identities::new(&self.platform.context()).unwrap();
        let Account { org, user } = customer.account;
        let mut org = identities.find(org, user).await.unwrap().unwrap().org;
        org.plan = format!("plan of {}", org.name);
        let plan = Plan { id: org.plan.clone(), has_rate_limits: true, limits, ..local::seed::default_plan() };
        identities.add_plan(&plan).await.unwrap();
        identities.put_org(&org).await.unwrap();
    }

    pub async fn balance(&self, org: OrgId) -> Money {
        Leases::new(&self.platform.context()).unwrap().balance(org).await.unwrap().1
    }

    /// The ledger's charges, newest first.
    pub async fn charges(&self, org: OrgId) -> Vec<Charge> {
        let ledger = Ledger::new(&self.platform.context()).unwrap();
        let mut charges = Vec::new();
        for month in months().into_iter().rev() {
            let mut after = None;
            loop {
                let page = ledger.list(org, month, EntryFilter::default(), 1_000, after).await.unwrap();
                charges.extend(page.items.into_iter().filter_map(|entry| match entry {
                    LedgerEntry::Charge(charge) => Some(*charge),
                    LedgerEntry::Adjustment(_) => None,
                }));
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        charges
    }

    /// The sum and the number of the ledger's charges.
    pub async fn sum_charges(&self, org: OrgId) -> (Money, usize) {
        let charges = self.charges(org).await;
        let sum = charges.iter().fold(Money::ZERO, |mut sum, charge| {
            sum += charge.charged;
            sum
        });
        (sum, charges.len())
    }

    /// The usage, without adjustments.
    pub async fn usage(&self, org: OrgId) -> MonthlyUsage {
        let leases = Leases::new(&self.platform.context()).unwrap();
        let mut usage = MonthlyUsage::default();
        for month in months() {
            let of_month = leases.statement(org, month).await.unwrap().usage;
            usage.days.extend(of_month.days);
            usage.keys.extend(of_month.keys);
        }
        usage
    }

    /// Another environment of the function `inference`: its own memory, the same tables.
    pub fn environment(&self) -> Router {
        inference::router(&self.platform.new_environment_context()).unwrap()
    }
}

/// The months of a test: the clocks of its workers may be hours ahead.
pub fn months() -> BTreeSet<i64> {
    const AHEAD: Duration = Duration::from_secs(7 * 24 * 60 * 60);
    let now = Time::now();
    [month(now), month(now.plus(AHEAD))].into()
}

impl Customer {
    /// The same customer with another API key.
    pub fn with_key(&self, id: &str, secret: &str) -> Self {
        let mut other = self.clone();
        (other.key, other.person.token) = (id.parse().unwrap(), Some(secret.to_owned()));
        other
    }

    /// Sends one call to the given environment.
    pub async fn call(&self, environment: &Router, path: &str, body: &Value) -> (StatusCode, Value) {
        self.send_to(environment, Request::post(path), body).await
    }

    /// Reads a path of the given environment.
    pub async fn get(&self, environment: &Router, path: &str) -> (StatusCode, Value) {
        self.send_to(environment, Request::get(path), &Value::Null).await
    }

    /// Sends one call with this header to the given environment.
    pub async fn call_with_header(
        &self,
        environment: &Router,
        path: &str,
        (name, value): (&str, &str),
        body: &Value,
    ) -> (StatusCode, Value) {
        self.send_to(environment, Request::post(path).header(name, value), body).await
    }

    async fn send_to(&self, environment: &Router, request: request::Builder, body: &Value) -> (StatusCode, Value) {
        let request = request
            .header("authorization", format!("Bearer {}", self.person.token.as_deref().unwrap()))
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()));
        let response = environment.clone().oneshot(request.unwrap()).await.unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }
}

/// Timeouts that are exceeded only if a test hangs.
fn long_timeouts() -> Timeouts {
    let ms = u64::try_from(PATIENCE.as_millis()).unwrap();
    Timeouts { first_byte_ms: ms, idle_ms: ms, total_ms: ms }
}

/// Builds a model whose deployments are fake providers.
pub struct ModelBuilder(Model);

impl ModelBuilder {
    pub fn new(name: &str) -> Self {
        Self(Model {
            name: name.to_owned(),
            display_name: name.to_owned(),
            r#type: ModelType::Others,
            provider: "fake".to_owned(),
            capabilities: ["chat", "streaming", "tools", "vision", "json_schema"].map(str::to_owned).to_vec(),
            context_window: Some(32_768),
            max_output_tokens: Some(256),
            pricing: Pricing { input_micro_usd: 1_000_000, output_micro_usd: 4_000_000, ..Pricing::default() },
            deprecated_at: None,
            retires_at: None,
            defaults: serde_json::Map::new(),
            deployments: Vec::new(),
            on_disconnect: OnDisconnect::Stop,
            unsupported: Unsupported::Drop,
            unsupported_parameters: Vec::new(),
            max_tokens_parameter: None,
            max_tokens_policy: Default::default(),
            prompt_cache: Default::default(),
            response_cache: None,
            routing: Default::default(),
            batch_price_percent: None,
            fallbacks: Vec::new(),
            asynchronous: false,
            guard_api: GuardApi::Moderation,
            version: 1,
        })
    }

    pub fn with(mut self, change: impl FnOnce(&mut Model)) -> Self {
        change(&mut self.0);
        self
    }

    /// Adds a deployment. Deployments are tried in the order in which they are added.
    pub async fn with_deployment(self, app: &TestApp, fake: &FakeProvider) -> Self {
        self.with_changed_deployment(app, fake, |_| {}).await
    }

    pub async fn with_changed_deployment(
        mut self,
        app: &TestApp,
        fake: &FakeProvider,
        change: impl FnOnce(&mut StoredProvider),
    ) -> Self {
        let name = format!("{}-{}", self.0.name, self.0.deployments.len());
        let mut provider = StoredProvider {
            name: name.clone(),
            kind: ProviderKind::OpenAi,
            base_url: Some(fake.base_url.clone()),
            api_key: None,
            api_key_last4: None,
            auth_header: None,
            headers: BTreeMap::new(),
            region: None,
            timeouts: long_timeouts(),
            version: 1,
        };
        change(&mut provider);
        Catalog::new(&app.platform.context()).unwrap().add_provider(&provider).await.unwrap();
        let priority = self.0.deployments.len() as u32;
        self.0.deployments.push(ModelDeployment {
            provider: name,
            model: "upstream-model".to_owned(),
            weight: 1,
            priority,
            dialect: Default::default(),
            cost: None,
        });
        self
    }

    pub fn build(self) -> Model {
        self.0
    }

    pub async fn insert(self, app: &TestApp) {
        Catalog::new(&app.platform.context()).unwrap().add(&self.0).await.unwrap();
    }
}

/// A charge of a lease, for tests that write charges without calls.
pub fn charge_of(lease: &Lease, slot: u32, created_at: Time) -> Charge {
    Charge {
        id: TransactionId::new(),
        lease: lease.id,
        slot,
        org: lease.org,
        user: lease.user,
        key: lease.key,
        model: lease.model.clone(),
        price_version: 1,
        cost: Money::from_pico_usd(7),
        charged: Money::from_pico_usd(7),
        uncollected: Money::ZERO,
        overage: Money::ZERO,
        tokens: Tokens::default(),
        images: 0,
        audio_ms: 0,
        characters: 0,
        source: UsageSource::Provider,
        provider: "p".to_owned(),
        request_id: format!("req_{}", TransactionId::new().uuid().simple()),
        step: None,
        retry_of: None,
        body_hash: None,
        facts: None,
        created_at,
    }
}

/// The data of a stream's events. `[DONE]` is returned as a string.
pub fn events(text: &str) -> Vec<Value> {
    let data = text.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| Value::String(data.to_owned()))).collect()
}
