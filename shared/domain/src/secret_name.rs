//! Detection of secrets by the names of fields and headers: `X-Api-Key`, `access_token`, `clientSecret`.

/// Words that occur only in names of secrets.
const WORDS: [&str; 24] = [
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "jwt",
    "key",
    "keys",
    "oauth",
    "pass",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pwd",
    "secret",
    "secrets",
    "sig",
    "signature",
    "token",
];
/// Endings of compound words such as `accesstoken`.
const ENDINGS: [&str; 11] = [
    "accesskey",
    "apikey",
    "authkey",
    "authorization",
    "cookie",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "signature",
    "token",
];

/// Whether a field of this name holds a secret, which belongs in a credential.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    // `genericAuthType` is a type, and an idempotency key is not a credential.
    let is_other = words.last().is_some_and(|word| word == "type") || words.iter().any(|word| word == "idempotency");
    let is_known = |word: &String| WORDS.contains(&word.as_str()) || ENDINGS.iter().any(|end| word.ends_with(end));
    !is_other && words.iter().any(is_known)
}

/// Splits a name into lower-case words at digits, punctuation and capital letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut before, mut chars) = (' ', name.chars().peekable());
    while let Some(c) = chars.next() {
        let is_begun =
            c.is_uppercase() && (!before.is_uppercase() || chars.peek().is_some_and(|next| next.is_lowercase()));
        match words.last_mut() {
            Some(word) if c.is_alphabetic() && !is_begun => word.extend(c.to_lowercase()),
            _ => words.push(c.to_lowercase().filter(|c| c.is_alphabetic()).collect()),
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognized_by_name() {
        for name in [
            "Authorization",
            "Proxy-Authorization",
            "Cookie",
            "X-Api-Key",
            "api_key",
            "apikey",
            "XAPIKEY",
            "apiKey",
            "APIKey",
            "token",
            "access_token",
            "accesstoken",
            "token2",
            "X-Auth",
            "OAuth2Token",
            "client_secret",
            "clientSecret",
            "signature",
            "sig",
            "key",
            "password",
            "pwd",
            "Ocp-Apim-Subscription-Key",
            "X-Amz-Security-Token",
            "sessionKey",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "",
            "accept",
            "author",
            "keyword",
            "monkey",
            "max_tokens",
            "tokenize",
            "page",
            "Idempotency-Key",
            "genericAuthType",
            "authentication",
            "design",
            "compass",
            "user",
            "ключи",
            "X-Request-Id",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
