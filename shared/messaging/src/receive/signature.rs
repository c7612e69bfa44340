//! Verifies signatures and secret tokens in constant time.

use domain::time::Time;
use http::HeaderMap;
use ring::hmac::{HMAC_SHA256, Key, verify};
use subtle::ConstantTimeEq;

use super::ReceiveError;

/// How old a signed delivery may be. A clock that is ahead gets the same tolerance.
const TOLERANCE_S: u64 = 300;

/// The value of a header that must be present.
pub fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<&'a str, ReceiveError> {
    headers.get(name).and_then(|value| value.to_str().ok()).ok_or(ReceiveError::Unauthorized)
}

/// Reads a time in Unix seconds, which must be close to now. Refuses replays of old deliveries.
pub fn check_time(seconds: &str, now: Time) -> Result<i64, ReceiveError> {
    let seconds: i64 = seconds.parse().map_err(|_| ReceiveError::Unauthorized)?;
    if now.as_seconds().abs_diff(seconds) > TOLERANCE_S {
        return Err(ReceiveError::Unauthorized);
    }
    Ok(seconds)
}

/// Whether `signature` is the HMAC-SHA256 of the parts, one after the other.
pub fn is_signed(key: &[u8], parts: &[&[u8]], signature: &[u8]) -> bool {
    verify(&Key::new(HMAC_SHA256, key), &parts.concat(), signature).is_ok()
}

/// Compares a secret token. The time reveals only its length.
pub fn is_equal(given: &str, expected: &str) -> bool {
    given.as_bytes().ct_eq(expected.as_bytes()).into()
}
