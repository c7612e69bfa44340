//! The setup: writes what a declaration asks for, part by part, with the same rules, conditions and audit entries as the
//! single routes. Everything is validated before the first write. A part that is as declared is not written, so a
//! repetition changes nothing, and one after a crash completes the rest.

mod catalog;
mod key;
mod people;
mod provider;

use domain::Result;
use domain::body_problems::Problems;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use web::gateway::Operator;

use crate::Stores;
use crate::dto::setup::{SetupIn, SetupOut};

/// What writes need: the stores, and who asks for them.
#[derive(Clone, Copy)]
struct Setup<'a> {
    stores: &'a Stores,
    operator: &'a Operator,
}

/// Sets the platform up. `base_url` is the platform's own, for the call to paste.
pub async fn set_up(stores: &Stores, operator: &Operator, base_url: Option<String>, body: SetupIn) -> Result<SetupOut> {
    body.check()?;
    let setup = Setup { stores, operator };
    let mut problems = Problems::default();
    let SetupIn { organization, user, plan, key, credits, provider, models, aliases } = body;
    let mut out = SetupOut::default();
    let listing = stores.catalog.read().await?;
    let catalog = catalog::read(setup, listing, (provider, models, aliases), &mut out, &mut problems).await?;
    // After the catalog, because a plan may need a guard model that this setup declares.
    let people = people::Declared { organization, user, plan, credits };
    let people = people::read(setup, people, &catalog.listing, &mut problems).await?;
    let key = match (key, &people) {
        // A key of an invalid user is not examined.
        (Some(key), Some(people)) if people.account().is_some() => {
            let read = key::read(setup, key, people, &catalog.listing).await;
            problems.take_within("key", read)
        }
        _ => None,
    };
    problems.finish()?;
    if let Some(people) = people {
        people.write(setup, &catalog.listing, &mut out).await?;
    }
    if let Some(key) = key {
        out.secret = key.write(setup, &mut out).await?;
    }
    catalog.write(setup, &mut out).await?;
    out.curl = catalog.callable.as_ref().map(|model| curl(base_url.as_deref(), out.secret.as_deref(), model));
    Ok(out)
}

/// The declared fields over the stored ones. A field that was not sent keeps its value.
fn merged<T: Serialize + DeserializeOwned>(before: &T, declared: &T) -> Result<T> {
    let mut document = serde_json::to_value(before).map_err(domain::Error::internal)?;
    let mut patch = serde_json::to_value(declared).map_err(domain::Error::internal)?;
    if let Value::Object(fields) = &mut patch {
        fields.retain(|_, value| !value.is_null());
    }
    json_patch::merge(&mut document, &patch);
    domain::json::read(document)
}

fn curl(base_url: Option<&str>, secret: Option<&str>, model: &str) -> String {
    let base_url = base_url.unwrap_or("$ATELIER_URL");
    let secret = secret.unwrap_or("$ATELIER_KEY");
    let body = json!({"model": model, "messages": [{"role": "user", "content": "Hello"}]});
    // Names of models have no quotes, so the single quotes around the body hold.
    format!("curl -s {base_url}/gateway/v1/chat/completions -H \"Authorization: Bearer {secret}\" --json '{body}'")
}
