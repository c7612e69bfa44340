//! Tokens of EKS: a presigned URL of STS, with which the cluster authenticates the caller. Nothing is sent to STS here.

use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{Error, Result};

/// The time in which the URL can be used, as the AWS CLI sets it. The cluster accepts the token for 15 minutes all the same.
const VALID_FOR: Duration = Duration::from_secs(60);
const CLUSTER_HEADER: &str = "x-k8s-aws-id";

/// A token for a cluster. It is valid for 15 minutes.
pub fn token(cluster: &str, region: &str, credentials: Credentials, now: SystemTime) -> Result<String> {
    let host = format!("sts.{region}.{}", find_domain(region));
    let url = format!("https://{host}/?Action=GetCallerIdentity&Version=2011-06-15");
    let mut settings = SigningSettings::default();
    settings.signature_location = SignatureLocation::QueryParams;
    settings.expires_in = Some(VALID_FOR);
    let identity = credentials.into();
    let parameters = SigningParams::builder().identity(&identity).region(region).name("sts").time(now);
    let parameters = parameters.settings(settings).build().map_err(Error::internal)?.into();
    let headers = [("host", host.as_str()), (CLUSTER_HEADER, cluster)];
    let request = SignableRequest::new("GET", &url, headers.into_iter(), SignableBody::Bytes(&[]));
    let signed = sign(request.map_err(Error::internal)?, &parameters).map_err(Error::internal)?;
    let mut request = http::Request::get(&url).body(()).map_err(Error::internal)?;
    signed.into_parts().0.apply_to_request_http1x(&mut request);
    Ok(format!("k8s-aws-v1.{}", URL_SAFE_NO_PAD.encode(request.uri().to_string())))
}

/// The domain of the services in the partition of a region.
fn find_domain(region: &str) -> &'static str {
    if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The URL in a token of the cluster `labs`, at 2026-03-01T09:30:00Z.
    fn presigned_url(region: &str) -> String {
        let credentials = Credentials::new("AKIDEXAMPLE", "secret", Some("session".to_owned()), None, "test");
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_357_400);
        let token = token("labs", region, credentials, now).unwrap();
        let url = URL_SAFE_NO_PAD.decode(token.strip_prefix("k8s-aws-v1.").unwrap()).unwrap();
        String::from_utf8(url).unwrap()
    }

    #[test]
    fn a_token_is_a_presigned_url_that_names_the_cluster() {
        let url = presigned_url("eu-west-1");
        let (host, query) = url.split_once("/?").unwrap();
        assert_eq!(host, "https://sts.eu-west-1.amazonaws.com");
        let query: BTreeMap<&str, &str> = query.split('&').map(|pair| pair.split_once('=').unwrap()).collect();
        assert_eq!(query["Action"], "GetCallerIdentity");
        assert_eq!(query["X-Amz-Credential"], "AKIDEXAMPLE%2F20260301%2Feu-west-1%2Fsts%2Faws4_request");
        assert_eq!(query["X-Amz-Date"], "20260301T093000Z");
        assert_eq!(query["X-Amz-Expires"], "60");
        assert_eq!(query["X-Amz-Security-Token"], "session");
        assert_eq!(query["X-Amz-SignedHeaders"], "host%3Bx-k8s-aws-id");
        assert_eq!(query["X-Amz-Signature"], "a7b04ab4e8ff6f64525d2a8c0f565a056092f0b537c090601ab3e3158de77922");
    }

    /// The expected signatures were computed with `hmac` and `hashlib` of Python, by the steps of Signature Version 4 in the
    /// documentation of AWS: the canonical request with the signed headers and the hash of an empty body, the string to sign,
    /// and the derived key.
    #[test]
    fn a_region_in_china_has_another_domain() {
        let url = presigned_url("cn-north-1");
        assert!(url.starts_with("https://sts.cn-north-1.amazonaws.com.cn/?"), "{url}");
        let signature = url.split_once("X-Amz-Signature=").unwrap().1;
        let signature = signature.split_once('&').map_or(signature, |(signature, _)| signature);
        assert_eq!(signature, "938585fa84ecfd6ec54bb161ae93da17f03c7327973d9e8363aed3a1dc5ce964");
    }
}
