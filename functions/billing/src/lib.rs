//! `/gateway/v1/billing…`, `/gateway/v1/guard/events` and `/gateway/v1/receipts/keys`: the balance, usage, transactions, calls,
//! their bodies, receipts, exports and guard events of the caller's organization, and the public keys of receipts.

mod body_dto;
mod call_bodies;
mod calls;
mod dto;
mod exports;
mod handlers;
mod receipt_dto;
mod receipts;
mod routes;
mod spend;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::bucket::Bucket;
use platform::{Context, config};
use store::model_catalog::ModelCatalog;
use store::{Admin, CallBodies, CallLog, GuardEvents, Leases, Ledger, MeterBook, ReceiptKeys, Spend};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    /// Changes that the audit log records.
    admin: Admin,
    bodies: CallBodies,
    models: Arc<ModelCatalog>,
    leases: Leases,
    ledger: Ledger,
    calls: CallLog,
    spend: Spend,
    meters: MeterBook,
    guard_events: GuardEvents,
    receipt_keys: ReceiptKeys,
    files: Bucket,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            admin: Admin::new(context)?,
            bodies: CallBodies::new(context)?,
            models: Arc::new(ModelCatalog::new(context)?),
            leases: Leases::new(context)?,
            ledger: Ledger::new(context)?,
            calls: CallLog::new(context)?,
            spend: Spend::new(context)?,
            meters: MeterBook::new(context)?,
            guard_events: GuardEvents::new(context)?,
            receipt_keys: ReceiptKeys::new(context)?,
            files: Bucket::new(context, config::BUCKET_FILES)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}

impl AsRef<ModelCatalog> for Stores {
    fn as_ref(&self) -> &ModelCatalog {
        &self.models
    }
}
