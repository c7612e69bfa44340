//! The response header `Retry-After`.

use std::time::Duration;

use http::HeaderMap;
use http::header::RETRY_AFTER;
use jiff::Timestamp;
use jiff::fmt::rfc2822;

use domain::time::Time;

/// A longer wait can only come from a wrong clock.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the server asks to wait before the next attempt: a number of seconds, or the time until an HTTP date.
pub fn retry_after(headers: &HeaderMap, now: Time) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let until = |date: Timestamp| Duration::try_from(date.duration_since(now.into())).unwrap_or_default();
    let wait = seconds.or_else(|| Some(until(rfc2822::parse(text).ok()?.timestamp())))?;
    Some(wait.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_seconds_and_as_a_date() {
        let now = Time::from_millis(784_111_747_000);
        let read = |text: &str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
            retry_after(&headers, now)
        };
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read(" 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(read("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(read("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(read("99999999"), Some(MAX_RETRY_AFTER));
        assert_eq!(read("Sat, 06 Nov 2094 08:00:00 GMT"), Some(MAX_RETRY_AFTER));
        for unknown in ["-1", "soon", "1e300", "NaN", ""] {
            assert_eq!(read(unknown), None, "{unknown}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
