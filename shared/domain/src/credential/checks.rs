//! Validates the fields of credentials.

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use zeroize::Zeroizing;

use super::{Credential, consent};
use crate::{Error, Result, address, header, schema};

impl Credential {
    pub fn check(&self) -> Result<()> {
        schema::check(self)?;
        match self {
            Self::Header { header, .. } => match header::problem(header) {
                Some(problem) => Err(Error::invalid_body("header", problem.en)),
                None => Ok(()),
            },
            Self::Oauth2ClientCredentials { token_url, .. } => address::check("tokenUrl", token_url),
            Self::Oauth2AuthorizationCode { .. } => consent::check(self),
            Self::SignedHttp { url, secret } => {
                address::check("url", url)?;
                let problem = "must be `whsec_` and 24 to 64 bytes in base64";
                signing_key(secret).map(drop).ok_or_else(|| Error::invalid_body("secret", problem))
            }
            _ => Ok(()),
        }
    }
}

/// The key of a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64.
pub fn signing_key(secret: &str) -> Option<Zeroizing<Vec<u8>>> {
    let text = secret.strip_prefix("whsec_")?.trim_end_matches('=');
    let key = Zeroizing::new(BASE64_STANDARD_NO_PAD.decode(text).ok()?);
    (24..=64).contains(&key.len()).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credential::CredentialType;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn a_credential_of_signed_http_is_read_by_its_old_name() {
        let stored = |name: &str| serde_json::json!({"type": name, "url": "https://a.example", "secret": "whsec_x"});
        let read = |name: &str| serde_json::from_value::<Credential>(stored(name)).unwrap();
        assert_eq!(serde_json::to_value(read("signed_http")).unwrap(), stored("http"));
        let old: CredentialType = serde_json::from_value("signed_http".into()).unwrap();
        assert_eq!((old, old.to_string().as_str()), (read("http").r#type(), "http"));
    }

    #[test]
    fn messaging_credentials_are_checked_by_field() {
        let slack = |bot_token, signing_secret| Credential::Slack {
            bot_token: text(bot_token),
            signing_secret: text(signing_secret),
        };
        let telegram = |bot_token, secret_token: &str| Credential::Telegram {
            bot_token: text(bot_token),
            secret_token: text(secret_token),
        };
        let whatsapp = |phone_number_id| Credential::Whatsapp {
            access_token: text("EAAG"),
            phone_number_id: text(phone_number_id),
            app_secret: text("secret"),
            verify_token: text("verify"),
        };
        let signed = |url, secret: &str| Credential::SignedHttp { url: text(url), secret: text(secret) };
        let url = "https://chat.example.com/messages";
        let key = |bytes: usize| format!("whsec_{}", BASE64_STANDARD_NO_PAD.encode(vec![7; bytes]));
        for valid in [
            slack("xoxb-1", "s"),
            telegram("1:a-_Z", &"s".repeat(256)),
            whatsapp("106540352242922"),
            signed(url, &key(24)),
            signed(url, &key(64)),
            signed(url, &format!("{}==", key(25))),
        ] {
            assert!(valid.check().is_ok(), "{:?}", valid.check());
        }
        for (invalid, field) in [
            (slack("", "s"), "botToken"),
            (slack("xoxb-1", "a\nb"), "signingSecret"),
            (telegram("1", "s"), "botToken"),
            (telegram("a:b", "s"), "botToken"),
            (telegram("1:b/../c", "s"), "botToken"),
            (telegram("1:b", ""), "secretToken"),
            (telegram("1:b", "a.b"), "secretToken"),
            (telegram("1:b", &"s".repeat(257)), "secretToken"),
            (whatsapp("+34600"), "phoneNumberId"),
            (whatsapp(""), "phoneNumberId"),
            (signed("ftp://chat.example.com", &key(24)), "url"),
            (signed(url, &key(23)), "secret"),
            (signed(url, &key(65)), "secret"),
            (signed(url, &key(24)[6..]), "secret"),
            (signed(url, "whsec_***"), "secret"),
        ] {
            let error = invalid.check().unwrap_err().to_string();
            assert!(error.starts_with(field), "{error}");
        }
    }

    #[test]
    fn debug_output_shows_only_the_type() {
        let credential = Credential::Slack { bot_token: text("xoxb-1"), signing_secret: text("s3cret") };
        assert_eq!(format!("{credential:?}"), "Credential(Slack)");
    }
}
