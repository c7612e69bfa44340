//! Verifies AWS Signature Version 4 of calls to `POST /`, the form of all calls of DynamoDB, SQS and KMS.
//!
//! The signature covers the body, so it is not valid for another call. Its age is not checked, because the key is valid
//! only as long as the process runs.

use std::fmt::Write;

use domain::text::{from_hex, hex};
use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use ring::digest::{SHA256, digest};
use ring::hmac::{self, HMAC_SHA256};

use super::ACCESS_KEY;
use super::secret_key::SecretKey;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const TERMINATOR: &str = "aws4_request";
/// Headers that must be signed: without them, a signature would be valid for another operation or another service.
const MUST_BE_SIGNED: [&str; 3] = ["host", "x-amz-date", "x-amz-target"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the request is not signed")]
    Missing,
    #[error("the request's signature is incomplete")]
    Incomplete,
    #[error("the request's signature is wrong")]
    Wrong,
}

/// The fields of the header `Authorization`.
struct Authorization<'a> {
    access_key: &'a str,
    date: &'a str,
    region: &'a str,
    service: &'a str,
    signed_headers: &'a str,
    signature: Vec<u8>,
}

/// Checks that a request with this body was signed with the key. Compares in constant time.
pub fn verify(key: &SecretKey, parts: &Parts, body: &[u8]) -> Result<(), SignatureError> {
    let header = parts.headers.get(AUTHORIZATION).ok_or(SignatureError::Missing)?;
    let authorization = header.to_str().ok().and_then(Authorization::parse).ok_or(SignatureError::Incomplete)?;
    if parts.uri.path() != "/" || parts.uri.query().is_some() || authorization.access_key != ACCESS_KEY {
        return Err(SignatureError::Wrong);
    }
    let request = canonical_request(parts, authorization.signed_headers, body).ok_or(SignatureError::Incomplete)?;
    let time = single_value(&parts.headers, "x-amz-date").ok_or(SignatureError::Incomplete)?;
    let Authorization { date, region, service, .. } = authorization;
    if !time.starts_with(date) {
        return Err(SignatureError::Wrong);
    }
    let message = format!(
        "{ALGORITHM}\n{time}\n{date}/{region}/{service}/{TERMINATOR}\n{}",
        hex(digest(&SHA256, request.as_bytes()).as_ref())
    );
    let signing_key = [date, region, service, TERMINATOR]
        .into_iter()
        .fold(hmac::Key::new(HMAC_SHA256, format!("AWS4{}", key.reveal()).as_bytes()), |key, part| {
            hmac::Key::new(HMAC_SHA256, hmac::sign(&key, part.as_bytes()).as_ref())
        });
    hmac::verify(&signing_key, message.as_bytes(), &authorization.signature).map_err(|_| SignatureError::Wrong)
}

impl<'a> Authorization<'a> {
    fn parse(header: &'a str) -> Option<Self> {
        let fields = header.strip_prefix(ALGORITHM)?;
        let field = |name: &str| fields.split(',').find_map(|field| field.trim().strip_prefix(name));
        let mut scope = field("Credential=")?.split('/');
        let [access_key, date, region, service, TERMINATOR] = [(); 5].map(|()| scope.next().unwrap_or_default()) else {
            return None;
        };
        let signature = from_hex(field("Signature=")?)?;
        Some(Self { access_key, date, region, service, signed_headers: field("SignedHeaders=")?, signature })
    }
}

fn canonical_request(parts: &Parts, signed_headers: &str, body: &[u8]) -> Option<String> {
    if MUST_BE_SIGNED.iter().any(|name| !signed_headers.split(';').any(|signed| signed == *name)) {
        return None;
    }
    let mut request = format!("{}\n/\n\n", parts.method);
    for name in signed_headers.split(';') {
        let values = parts.headers.get_all(name).iter().map(|value| value.to_str().map(collapse_spaces));
        let values = values.collect::<Result<Vec<_>, _>>().ok().filter(|values| !values.is_empty())?;
        writeln!(request, "{name}:{}", values.join(",")).ok()?;
    }
    write!(request, "\n{signed_headers}\n{}", hex(digest(&SHA256, body).as_ref())).ok()?;
    Some(request)
}

fn single_value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn collapse_spaces(value: &str) -> String {
    value.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
