//! The credentials of the demo accounts and the operator: stored API keys, and access tokens issued on demand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use domain::identity::Role;
use serde::{Deserialize, Serialize};

use crate::data_dir::write_private;
use crate::failure::Failure;
use crate::issuer::{Issuer, Subject};

const FILE: &str = "credentials.json";
/// The name of the operator at the issuer.
const OPERATOR: &str = "operator";
/// How long the access tokens are valid that `local credentials` and the start message print.
pub const TOKENS_VALID: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The file `credentials.json` of the data folder. It keeps the API keys, because the tables hold only their hashes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCredentials {
    pub base_url: String,
    pub users: BTreeMap<String, StoredUser>,
    pub operator: StoredUser,
    /// The demo models that were created before. One that the operator deleted is not created again.
    #[serde(default)]
    pub models: BTreeSet<String>,
    /// As `models`, for the demo risk categories.
    #[serde(default)]
    pub guard_categories: BTreeSet<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredUser {
    pub org: String,
    pub role: String,
    pub api_key: String,
}

/// The credentials that `local credentials` prints.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalCredentials {
    pub base_url: String,
    pub users: BTreeMap<String, UserCredentials>,
    pub operator: OperatorCredentials,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserCredentials {
    pub org: String,
    pub role: String,
    pub access_token: String,
    pub api_key: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatorCredentials {
    pub api_key: String,
    pub access_token: String,
}

impl StoredCredentials {
    pub fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let file = folder.join(FILE);
        let Ok(content) = fs::read(&file) else { return Ok(None) };
        let damaged =
            |error: serde_json::Error| Failure::Damaged { folder: folder.to_owned(), file, cause: error.to_string() };
        serde_json::from_slice(&content).map(Some).map_err(damaged)
    }

    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let content = serde_json::to_vec_pretty(self).unwrap_or_default();
        let written = write_private(&folder.join(FILE), &content);
        written.map_err(|cause| Failure::Folder { folder: folder.to_owned(), cause })
    }

    /// The demo users and the operator, as the issuer names them.
    pub fn persons(&self) -> Vec<Subject> {
        let users = self.users.iter().map(|(name, stored)| subject(name, stored));
        users.chain([subject(OPERATOR, &self.operator)]).collect()
    }

    /// Adds newly issued access tokens.
    pub fn with_tokens(&self, issuer: &Issuer) -> LocalCredentials {
        let token = |user: &str, stored: &StoredUser| issuer.token(&subject(user, stored), TOKENS_VALID);
        let users = self.users.iter().map(|(name, stored)| {
            let StoredUser { org, role, api_key } = stored.clone();
            (name.clone(), UserCredentials { access_token: token(name, stored), org, role, api_key })
        });
        LocalCredentials {
            base_url: self.base_url.clone(),
            users: users.collect(),
            operator: OperatorCredentials {
                api_key: self.operator.api_key.clone(),
                access_token: token(OPERATOR, &self.operator),
            },
        }
    }
}

fn subject(user: &str, stored: &StoredUser) -> Subject {
    let role = serde_json::from_value(stored.role.clone().into()).unwrap_or(Role::Member);
    Subject { user: user.to_owned(), org: stored.org.clone(), role }
}
