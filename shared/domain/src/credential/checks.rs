//! Validates the fields of credentials.

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use zeroize::Zeroizing;

use super::Credential;
use crate::{Error, Result, address, header, length};

const MAX_PART_CHARS: usize = 8_192;
const MAX_PLACE_CHARS: usize = 200;
const MAX_SCOPE_CHARS: usize = 1_000;
const MAX_BOT_TOKEN_CHARS: usize = 200;
const MAX_SECRET_TOKEN_CHARS: usize = 256;
const MAX_PHONE_NUMBER_ID_CHARS: usize = 32;

impl Credential {
    pub fn check(&self) -> Result<()> {
        let part = |field: &str, value: &str, most: usize, may_be_empty: bool| {
            if value.is_empty() && !may_be_empty {
                return Err(Error::invalid_body(field, "must not be empty"));
            }
            length::check_max_chars(field, value, most)?;
            // A line break would allow header injection.
            if value.chars().any(char::is_control) {
                return Err(Error::invalid_body(field, "must not hold control characters"));
            }
            Ok(())
        };
        let secret = |field: &str, value: &str| part(field, value, MAX_PART_CHARS, false);
        match self {
            Self::Bearer { token } => secret("token", token),
            Self::Basic { username, password } => {
                if username.contains(':') {
                    return Err(Error::invalid_body("username", "must not hold a colon"));
                }
                secret("username", username)?;
                part("password", password, MAX_PART_CHARS, true)
            }
            Self::Header { header, value } => {
                if let Some(problem) = header::problem(header) {
                    return Err(Error::invalid_body("header", problem));
                }
                part("header", header, MAX_PLACE_CHARS, false)?;
                secret("value", value)
            }
            Self::Query { parameter, value } => {
                part("parameter", parameter, MAX_PLACE_CHARS, false)?;
                secret("value", value)
            }
            Self::Oauth2ClientCredentials { token_url, client_id, client_secret, scope } => {
                address::check("tokenUrl", token_url)?;
                secret("clientId", client_id)?;
                secret("clientSecret", client_secret)?;
                part("scope", scope.as_deref().unwrap_or_default(), MAX_SCOPE_CHARS, true)
            }
            Self::Slack { bot_token, signing_secret } => {
                secret("botToken", bot_token)?;
                secret("signingSecret", signing_secret)
            }
            Self::Telegram { bot_token, secret_token } => {
                if !is_bot_token(bot_token) {
                    let problem = "must be the token that BotFather shows, such as 123456:ABC-DEF1234";
                    return Err(Error::invalid_body("botToken", problem));
                }
                if !(1..=MAX_SECRET_TOKEN_CHARS).contains(&secret_token.len()) || !is_url_safe(secret_token) {
                    let problem = "must have 1 to 256 characters of A-Z, a-z, 0-9, _ and -";
                    return Err(Error::invalid_body("secretToken", problem));
                }
                Ok(())
            }
            Self::Whatsapp { access_token, phone_number_id, app_secret, verify_token } => {
                secret("accessToken", access_token)?;
                if !(1..=MAX_PHONE_NUMBER_ID_CHARS).contains(&phone_number_id.len()) || !is_digits(phone_number_id) {
                    let problem = "must have only digits; it is the id of the phone number, not the number itself";
                    return Err(Error::invalid_body("phoneNumberId", problem));
                }
                secret("appSecret", app_secret)?;
                secret("verifyToken", verify_token)
            }
            Self::SignedHttp { url, secret } => {
                address::check("url", url)?;
                let problem = "must be `whsec_` and 24 to 64 bytes in base64";
                signing_key(secret).map(drop).ok_or_else(|| Error::invalid_body("secret", problem))
            }
        }
    }
}

/// The key of a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64.
pub fn signing_key(secret: &str) -> Option<Zeroizing<Vec<u8>>> {
    let text = secret.strip_prefix("whsec_")?.trim_end_matches('=');
    let key = Zeroizing::new(BASE64_STANDARD_NO_PAD.decode(text).ok()?);
    (24..=64).contains(&key.len()).then_some(key)
}

/// A token of Telegram: the number of the bot, a colon, and a secret. It is a part of URLs.
fn is_bot_token(text: &str) -> bool {
    let parts = text.split_once(':').filter(|_| text.len() <= MAX_BOT_TOKEN_CHARS);
    parts.is_some_and(|(bot, secret)| {
        (1..=20).contains(&bot.len()) && is_digits(bot) && !secret.is_empty() && is_url_safe(secret)
    })
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_digit())
}

fn is_url_safe(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'))
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
