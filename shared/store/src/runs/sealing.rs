//! Encrypts the masked parts of the values of a run under a key of the run.

use std::fmt;

use futures::future::BoxFuture;
use serde_json::Value;
use zeroize::Zeroizing;

use domain::Result;
use domain::id::RunId;
use domain::run::masking::{HIDDEN, change_strings, has_masked_parts, masked_part, part_of_text};
use domain::run::{RunEvent, RunValue};
use platform::secrets::{DataKey, Sealed, Secrets};

/// What a stored part begins with.
const SEALED: &str = "atelier-sealed:";

/// Encrypts the keys of runs. Functions that only read runs have none, so they do not link KMS.
pub trait KeyVault: Send + Sync {
    fn seal<'a>(&'a self, place: &'a str, key: &'a [u8]) -> BoxFuture<'a, Result<Sealed>>;
    fn open<'a>(&'a self, place: &'a str, key: &'a Sealed) -> BoxFuture<'a, Result<Zeroizing<Vec<u8>>>>;
}

impl KeyVault for Secrets {
    fn seal<'a>(&'a self, place: &'a str, key: &'a [u8]) -> BoxFuture<'a, Result<Sealed>> {
        Box::pin(self.seal(place, key))
    }

    fn open<'a>(&'a self, place: &'a str, key: &'a Sealed) -> BoxFuture<'a, Result<Zeroizing<Vec<u8>>>> {
        Box::pin(self.open(place, key))
    }
}

/// The key of a run.
#[derive(Clone)]
pub(super) struct RunKey {
    place: String,
    key: DataKey,
    /// The key as the head of the run has it.
    pub sealed: Sealed,
}

impl fmt::Debug for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunKey").field("place", &self.place).finish_non_exhaustive()
    }
}

impl RunKey {
    /// A new key, encrypted by the vault.
    pub async fn new(vault: &dyn KeyVault, run: RunId) -> Result<Self> {
        let place = place_of(run);
        let (key, bytes) = DataKey::generate()?;
        let sealed = vault.seal(&place, &bytes).await?;
        Ok(Self { place, key, sealed })
    }

    pub async fn open_key(vault: &dyn KeyVault, run: RunId, sealed: Sealed) -> Result<Self> {
        let place = place_of(run);
        let key = DataKey::new(&vault.open(&place, &sealed).await?)?;
        Ok(Self { place, key, sealed })
    }

    /// Encrypts the masked parts of a value.
    fn seal(&self, value: &mut Value) -> Result<()> {
        let mut outcome = Ok(());
        change_strings(value, &mut |part| {
            if let Some(text) = masked_part(part) {
                match self.key.seal(&self.place, text.as_bytes()) {
                    Ok(sealed) => *part = Value::String(format!("{SEALED}{sealed}")),
                    Err(error) => outcome = Err(error),
                }
            }
        });
        outcome
    }

    /// Decrypts the parts of a value, which are masked again. A text that cannot be decrypted stays as it is.
    fn open(&self, value: &mut Value) {
        change_strings(value, &mut |part| {
            let sealed = part.as_str().and_then(|text| text.strip_prefix(SEALED));
            let opened = sealed.and_then(|sealed| self.key.open(&self.place, sealed).ok());
            if let Some(text) = opened.as_deref().and_then(|text| std::str::from_utf8(text).ok()) {
                *part = part_of_text(text);
            }
        });
    }
}

/// Decrypts the masked parts of a stored value. Without the key, they are hidden.
pub(super) fn open_or_hide(value: &mut Value, key: Option<&RunKey>) {
    match key {
        Some(key) => key.open(value),
        None => change_strings(value, &mut |part| {
            if part.as_str().is_some_and(|text| text.starts_with(SEALED)) {
                *part = HIDDEN.into();
            }
        }),
    }
}

pub(super) fn have_masked_parts(events: &[RunEvent]) -> bool {
    let is_masked =
        |event: &RunEvent| matches!(event.kind.value(), Some(RunValue::Value(value)) if has_masked_parts(value));
    events.iter().any(is_masked)
}

pub(super) fn seal_all(events: &mut [RunEvent], key: Option<&RunKey>) -> Result<()> {
    let Some(key) = key else { return Ok(()) };
    for event in events {
        if let Some(value) = event.kind.inline_value_mut() {
            key.seal(value)?;
        }
    }
    Ok(())
}

fn place_of(run: RunId) -> String {
    format!("run#{run}")
}
