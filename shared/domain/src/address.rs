//! Validation of the URLs of other systems that the platform calls.

use std::borrow::Cow;

use http::Uri;
use http::uri::Authority;

use crate::language::Translated;
use crate::{Error, Result};

const MAX_CHARS: usize = 2_000;

pub const INVALID: Translated = Translated::new(
    "must be a valid URL that begins with http:// or https://",
    "debe ser una URL válida que empiece por http:// o https://",
);

/// Checks that `url` is an absolute HTTP URL without credentials.
pub fn check(field: &str, url: &str) -> Result<()> {
    match problem(url) {
        Some(problem) => Err(Error::invalid_body(field, problem.en)),
        None => Ok(()),
    }
}

/// The reason why a URL cannot be called, or `None`.
pub fn problem(url: &str) -> Option<Translated> {
    if url.len() > MAX_CHARS {
        return Some(Translated::new("at most 2000 characters", "como máximo 2000 caracteres"));
    }
    if !url.is_ascii() {
        return Some(Translated::new(
            "must be ASCII; percent-encode other characters",
            "debe ser ASCII; codifique los demás caracteres con %",
        ));
    }
    let parsed: Option<Uri> = url.parse().ok();
    let is_web = |uri: &Uri| matches!(uri.scheme_str(), Some("http" | "https"));
    let Some(authority) = parsed.filter(is_web).and_then(|uri| uri.into_parts().authority) else {
        return Some(INVALID);
    };
    if authority.host().is_empty() {
        return Some(Translated::new("must be a URL with a host", "debe ser una URL con un host"));
    }
    if !has_valid_port(&authority) {
        return Some(Translated::new(
            "must be a URL with a port from 1 to 65535",
            "debe ser una URL con un puerto de 1 a 65535",
        ));
    }
    if authority.as_str().contains('@') {
        return Some(Translated::new(
            "must not hold a user or password; keep them in a credential",
            "no debe llevar usuario ni contraseña; guárdelos en una credencial",
        ));
    }
    url.contains('#').then_some(Translated::new("must not have a fragment", "no debe tener fragmento"))
}

/// A URL whose path and query have spaces, quotes and other characters that must be encoded, as browsers encode it.
pub fn encode(url: &str) -> Cow<'_, str> {
    let (start, rest) = url.split_at(origin(url).len());
    let is_unsafe = |c: char| !c.is_ascii_graphic() || matches!(c, '"' | '<' | '>' | '^' | '`');
    if !rest.contains(is_unsafe) {
        return url.into();
    }
    let mut encoded = start.to_owned();
    for c in rest.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')) {
        match is_unsafe(c) {
            true => encoded.extend(c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("%{byte:02X}"))),
            false => encoded.push(c),
        }
    }
    encoded.into()
}

/// The scheme, host and port of a URL: the text before its path.
pub fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |end| host + end);
    &url[..end]
}

/// Whether the port is missing or valid. The `http` crate treats an invalid port as missing, so the default port would
/// be called.
pub fn has_valid_port(authority: &Authority) -> bool {
    let after_host = authority.as_str().rsplit('@').next().and_then(|host| host.strip_prefix(authority.host()));
    match after_host {
        None | Some("" | ":") => true,
        Some(_) => authority.port_u16().is_some_and(|port| port != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_a_url_cannot_have_are_encoded() {
        for (url, encoded) in [
            ("https://x.io/a?b=c%20d&e={f}|g", "https://x.io/a?b=c%20d&e={f}|g"),
            ("https://x.io/a b/\u{e9}?q=Ada \"A\"", "https://x.io/a%20b/%C3%A9?q=Ada%20%22A%22"),
            ("https://x.io/a\n/b?<c>", "https://x.io/a/b?%3Cc%3E"),
            ("https://b\u{fc}cher.example/a", "https://b\u{fc}cher.example/a"),
            ("not a url", "not a url"),
        ] {
            assert_eq!(encode(url), encoded);
        }
    }

    #[test]
    fn the_origin_of_a_url_ends_before_its_path() {
        for url in
            ["https://a.example:81", "https://a.example:81/b", "https://a.example:81?c=/", "https://a.example:81#d"]
        {
            assert_eq!(origin(url), "https://a.example:81");
        }
        assert_eq!(origin("https://a.example.evil.example/a.example"), "https://a.example.evil.example");
    }

    #[test]
    fn invalid_urls_are_refused_with_the_reason() {
        for sound in [
            "https://a.example",
            "http://127.0.0.1:9000/x?y=z",
            "https://[2001:db8::1]/",
            "http://[::1]:65535/",
            "http://a.example:/",
            "HTTPS://a.example",
        ] {
            assert_eq!(problem(sound), None, "{sound}");
        }
        let long = format!("https://a.example/{}", "x".repeat(2_000));
        for (url, why) in [
            ("", "begins"),
            ("a.example", "begins"),
            ("/path", "begins"),
            ("ftp://a.example", "begins"),
            ("https://a b", "begins"),
            ("http://", "begins"),
            ("https://:443/", "host"),
            ("http://a.example:99999/", "65535"),
            ("http://[::1]:65536/", "65535"),
            ("http://a.example:0/", "65535"),
            ("https://u:p@a.example", "credential"),
            ("https://a.example/#x", "fragment"),
            (&long, "2000"),
            ("https://a.example/niño", "percent-encode"),
        ] {
            assert!(problem(url).is_some_and(|problem| problem.en.contains(why)), "{url}: {:?}", problem(url));
        }
    }
}
