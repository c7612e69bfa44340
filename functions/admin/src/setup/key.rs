//! The API key of a setup. It is recognized by its name among the keys of the user.

use domain::id::{Id, UserId, uuid_of_hash};
use domain::identity::Account;
use domain::token::{SecretToken, TokenKind};
use domain::{Error, Result};
use store::api_keys::{ApiKey, MAX_KEYS};
use store::catalog::Listing;
use store::idempotency::{CreateOutcome, IdempotencyKey};
use store::key_ring::{KeySettings, NewKey};
use store::meters::Meter;
use web::gateway::KeySettingsIn;

use super::people::People;
use super::{Setup, merged};
use crate::dto::people::{KeyOut, NewKeyOut};
use crate::dto::setup::{SetupOut, SetupOutcome};
use crate::handlers::keys::check_expiry;
use crate::snapshot::render_snapshot;

pub struct DeclaredKey {
    account: Account,
    settings: KeySettings,
    stored: Option<(ApiKey, Meter)>,
    /// The number of earlier keys with this name, which are revoked or have expired.
    earlier: usize,
}

/// Validates the key against the catalog as it will be.
pub async fn read(setup: Setup<'_>, key: KeySettingsIn, people: &People, listing: &Listing) -> Result<DeclaredKey> {
    let account = people.account().ok_or(Error::NotFound { kind: UserId::KIND })?;
    let (stores, now) = (setup.stores, setup.operator.at());
    // A page holds all keys that are not revoked, because they are the newest.
    let page = u32::try_from(2 * MAX_KEYS).unwrap_or(u32::MAX);
    let named = stores.keys.list(account.org, Some(account.user), page, None).await?.items.into_iter();
    let (mut valid, earlier): (Vec<_>, Vec<_>) =
        named.filter(|(stored, _)| stored.name == key.name).partition(|(stored, _)| stored.is_valid(now));
    let stored = (!valid.is_empty()).then(|| valid.remove(0));
    let before = stored.as_ref().map(|(key, meter)| KeySettings::of(key, meter));
    let declared = match &before {
        Some(before) => merged(&KeySettingsIn::from(before.clone()), &key)?,
        None => key,
    };
    let settings = declared.read(before.as_ref(), listing, &people.plan_of_org, now)?;
    if before.as_ref() != Some(&settings) {
        check_expiry(setup.operator, &settings)?;
    }
    Ok(DeclaredKey { account, settings, stored, earlier: earlier.len() })
}

impl DeclaredKey {
    /// Writes the key. Returns its secret if this request created it.
    pub async fn write(self, setup: Setup<'_>, out: &mut SetupOut) -> Result<Option<String>> {
        let Self { account, settings, stored, earlier } = self;
        let (admin, operator) = (&setup.stores.admin, setup.operator);
        if let Some((key, meter)) = stored {
            if KeySettings::of(&key, &meter) == settings {
                out.add("key", key.id, SetupOutcome::Unchanged);
                return Ok(None);
            }
            let render = |key: &ApiKey, meter: &Meter| render_snapshot(&KeyOut::new(key, meter));
            let change = |_: &ApiKey, _: &Meter| Ok(settings.clone());
            admin.change_key(&operator.audit_action("key.update", key.id), key.id, change, render).await?;
            out.add("key", key.id, SetupOutcome::Changed);
            return Ok(None);
        }
        let secret = SecretToken::generate(TokenKind::ApiKey);
        // Of two requests at the same time, one creates the key.
        let name = format!("key of a setup\n{}\n{}\n{earlier}\n{}", account.org, account.user, settings.name);
        let once = IdempotencyKey { key: uuid_of_hash(&name), request: "setup".to_owned() };
        let new = NewKey::new(account, settings, &secret, operator.at());
        let answer = render_snapshot(&NewKeyOut { key: KeyOut::new(&new.key, &new.meter()), secret: None });
        let action = operator.audit_action("key.create", new.key.id);
        match admin.create_key(&action, &new, Some(&once), &answer).await? {
            CreateOutcome::Now => {
                out.add("key", new.key.id, SetupOutcome::Created);
                Ok(Some(secret.reveal().to_owned()))
            }
            CreateOutcome::Before(answer) => {
                let first: serde_json::Value = serde_json::from_str(&answer).map_err(Error::internal)?;
                out.add("key", first["id"].as_str().unwrap_or_default(), SetupOutcome::Unchanged);
                Ok(None)
            }
        }
    }
}
