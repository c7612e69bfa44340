//! Customers of the gateway: organizations with credits and a key, and further environments that serve them.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use shared::auth::{Claims, first_seen};
use shared::domain::id::{ApiKeyId, OrgId, TransactionId};
use shared::domain::identity::{Account, Role};
use shared::domain::lease::month;
use shared::domain::ledger::{Adjustment, Entry, Kind};
use shared::domain::money::Money;
use shared::domain::time::Time;
use shared::domain::token::{SecretToken, TokenKind};
use shared::store::api_keys::ApiKey;
use shared::store::usage::MonthOfUsage;
use shared::store::{ApiKeys, Identities, Leases, Ledger, Usage};
use tower::ServiceExt;

use crate::TestApp;
use crate::client::Person;

pub const CHAT: &str = "/gateway/v1/chat/completions";

#[derive(Clone)]
pub struct Customer {
    pub account: Account,
    pub key: ApiKeyId,
    /// Talks to the platform with the key.
    pub person: Person,
}

impl TestApp {
    /// A new organization with so much credit, its admin, and a key of theirs.
    pub async fn customer(&self, org: &str, credits: Money) -> Customer {
        self.customer_of(org, credits, |_| {}).await
    }

    pub async fn customer_of(&self, org: &str, credits: Money, change: impl FnOnce(&mut ApiKey)) -> Customer {
        let context = self.platform.context();
        let claims = Claims {
            issuer: local::issuer::ISSUER.to_owned(),
            subject: format!("admin of {org}"),
            org: org.to_owned(),
            role: Role::Admin,
            name: None,
            email: None,
        };
        let identity = Identities::new(&context).unwrap().find_or_record(&first_seen(&claims)).await.unwrap();
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
            kind: Kind::Credit,
            amount,
            balance_after: Money::ZERO,
            reason: "test".to_owned(),
            request_id: String::new(),
            created_at: Time::now(),
        };
        Ledger::new(&self.platform.context()).unwrap().adjust(adjustment).await.unwrap().unwrap();
    }

    pub async fn balance(&self, org: OrgId) -> Money {
        Leases::new(&self.platform.context()).unwrap().standing(org).await.unwrap().1
    }

    /// What the ledger of this month has charged, and in how many entries.
    pub async fn charged(&self, org: OrgId) -> (Money, usize) {
        let ledger = Ledger::new(&self.platform.context()).unwrap();
        let (mut sum, mut count, mut after) = (Money::ZERO, 0, None);
        loop {
            let page = ledger.list(org, month(Time::now()), 1_000, after).await.unwrap();
            for entry in page.entries {
                if let Entry::Charge(charge) = entry {
                    sum += charge.charged;
                    count += 1;
                }
            }
            match page.next {
                None => return (sum, count),
                next => after = next,
            }
        }
    }

    /// What this month's closed leases have used.
    pub async fn usage(&self, org: OrgId) -> MonthOfUsage {
        Usage::new(&self.platform.context()).unwrap().of_month(org, month(Time::now())).await.unwrap()
    }

    /// Another environment of the function `inference`: its own memory, the same tables.
    pub fn environment(&self) -> Router {
        inference::router(&self.platform.context()).unwrap()
    }
}

impl Customer {
    /// One call, in an environment of one's own choosing.
    pub async fn call(&self, environment: &Router, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = Request::post(path)
            .header("authorization", format!("Bearer {}", self.person.token.as_deref().unwrap()))
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()));
        let response = environment.clone().oneshot(request.unwrap()).await.unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }
}
