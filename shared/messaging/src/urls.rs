//! The base URLs of the providers' APIs.

use platform::config::{Config, SLACK_API_URL, TELEGRAM_API_URL, WHATSAPP_API_URL};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderUrls {
    pub slack: String,
    pub telegram: String,
    pub whatsapp: String,
}

impl ProviderUrls {
    pub fn from_config(config: &Config) -> Self {
        let url = |name: &str, default: &str| config.optional(name).unwrap_or(default).trim_end_matches('/').to_owned();
        Self {
            slack: url(SLACK_API_URL, "https://slack.com/api"),
            telegram: url(TELEGRAM_API_URL, "https://api.telegram.org"),
            whatsapp: url(WHATSAPP_API_URL, "https://graph.facebook.com/v23.0"),
        }
    }
}
