//! The ways to authenticate at a service. Each names a type of credential, and says where its parts come from.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A way to authenticate at a service. `type` is the type of the credential.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Authentication {
    /// A token in the header `Authorization`
    Bearer {
        /// Where the token comes from
        description: String,
    },
    /// A user name and a password
    Basic {
        /// What the user name is, such as `the e-mail address of the account`
        username: String,
        /// What the password is
        password: String,
        description: String,
    },
    /// A header with a key
    Header {
        header: String,
        /// The value of the header, with the key as `{key}`
        value: String,
        description: String,
    },
    /// A query parameter with a key
    Query { parameter: String, description: String },
    /// OAuth 2 in which a person consents in the browser
    #[serde(rename_all = "camelCase")]
    Oauth2AuthorizationCode {
        /// The page that asks the person; it can contain settings of the service
        authorization_url: String,
        token_url: String,
        /// The scopes that the operations need
        scopes: Vec<String>,
        /// The text between two scopes in the authorization URL
        #[serde(default = "space")]
        scope_separator: String,
        /// Further query parameters of the authorization URL, such as `access_type=offline`
        #[serde(default)]
        #[schema(value_type = BTreeMap<String, String>)]
        authorize_parameters: IndexMap<String, String>,
        description: String,
    },
    /// OAuth 2 with the credentials of a client, without a person
    #[serde(rename_all = "camelCase")]
    Oauth2ClientCredentials {
        token_url: String,
        #[serde(default)]
        scopes: Vec<String>,
        description: String,
    },
    /// No credential
    None { description: String },
}

fn space() -> String {
    " ".to_owned()
}

#[cfg(test)]
impl Authentication {
    /// The URLs, which can contain settings of the service.
    pub fn urls(&self) -> Vec<&str> {
        match self {
            Self::Oauth2AuthorizationCode { authorization_url, token_url, .. } => vec![authorization_url, token_url],
            Self::Oauth2ClientCredentials { token_url, .. } => vec![token_url],
            Self::Bearer { .. } | Self::Basic { .. } | Self::Header { .. } | Self::Query { .. } | Self::None { .. } => {
                Vec::new()
            }
        }
    }
}
