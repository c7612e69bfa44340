//! The cookie of a session: host-only, so no other host gets it, not even the labs on hosts below the platform's.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::http::header::{COOKIE, HeaderMap, HeaderValue};

use crate::base_url::BaseUrl;
use domain::Error;
use domain::session::{MAX_AGE, SessionCookie};

pub const SESSION_COOKIE: &str = "svc_session";

/// The next cookie of the session of a request, which its response sets. A request without this extension gets none.
#[derive(Clone, Default)]
pub(crate) struct NextCookie(Arc<OnceLock<HeaderValue>>);

impl NextCookie {
    pub fn set(&self, header: HeaderValue) {
        self.0.get_or_init(|| header);
    }

    pub fn get(&self) -> Option<&HeaderValue> {
        self.0.get()
    }
}

/// The header that sets the cookie of a session.
pub fn set_session(cookie: &SessionCookie, base_url: &BaseUrl) -> domain::Result<HeaderValue> {
    set_cookie(SESSION_COOKIE, &cookie.reveal(), "/", MAX_AGE, base_url)
}

/// The header that deletes the cookie of a session.
pub fn clear_session(base_url: &BaseUrl) -> domain::Result<HeaderValue> {
    set_cookie(SESSION_COOKIE, "", "/", Duration::ZERO, base_url)
}

/// The header that sets a host-only cookie, which scripts cannot read, and which other sites send only with a navigation.
pub fn set_cookie(
    name: &str,
    value: &str,
    path: &str,
    max_age: Duration,
    base_url: &BaseUrl,
) -> domain::Result<HeaderValue> {
    let secure = if is_loopback(base_url) { "" } else { "; Secure" };
    let text = format!("{name}={value}; Path={path}; Max-Age={}; HttpOnly; SameSite=Lax{secure}", max_age.as_secs());
    let mut header = HeaderValue::try_from(text).map_err(Error::internal)?;
    header.set_sensitive(true);
    Ok(header)
}

/// Browsers send secure cookies to this machine only by HTTPS, which `local` does not speak.
pub fn is_loopback(BaseUrl(base_url): &BaseUrl) -> bool {
    let authority = base_url.as_deref().and_then(|url| url.strip_prefix("http://"));
    let host = authority.and_then(|rest| rest.split(['/', '?']).next()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

/// The value of a cookie. None if the request has several of this name: another host of the domain may have set one of them.
pub fn find<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).into_iter().map(HeaderValue::as_bytes);
    let cookies = lines.flat_map(|line| line.split(|byte| *byte == b';')).map(<[u8]>::trim_ascii);
    // Other cookies may have any bytes.
    let cookies = cookies.filter_map(|cookie| std::str::from_utf8(cookie).ok()?.split_once('='));
    let mut values = cookies.filter(|(found, _)| found.trim() == name).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(base_url: &str) -> String {
        let base_url = BaseUrl(Some(base_url.to_owned()).filter(|url| !url.is_empty()));
        let header = set_cookie("name", "value", "/", Duration::from_secs(60), &base_url).unwrap();
        header.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_cookie_is_secure_except_on_this_machine() {
        let plain = "name=value; Path=/; Max-Age=60; HttpOnly; SameSite=Lax";
        for base_url in ["http://127.0.0.1:9000", "http://localhost", "http://[::1]:80/stage"] {
            assert_eq!(header(base_url), plain);
        }
        for base_url in ["", "https://127.0.0.1", "http://127.0.0.1.example.com", "https://api.example.com/v1"] {
            assert_eq!(header(base_url), format!("{plain}; Secure"));
        }
    }

    #[test]
    fn one_cookie_is_found_among_others_and_two_are_ambiguous() {
        let find_in = |lines: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(COOKIE, HeaderValue::from_bytes(line).unwrap());
            }
            find(&headers, "a").map(str::to_owned)
        };
        assert_eq!(find_in(&["x=gr\u{fc}n; a=1; aa=2".as_bytes(), b"b=\xff"]), Some("1".to_owned()));
        assert_eq!(find_in(&[b"\xff=1; a=1=2"]), Some("1=2".to_owned()));
        assert_eq!(find_in(&[b"a=1", b"a=2"]), None);
        assert_eq!(find_in(&[b"aa=1"]), None);
    }
}
