//! Calls of the embedded services by this process: the SDK hands its requests to the services without a socket. It signs them
//! as always, but only S3 checks that, because it also gets presigned URLs.

use std::fmt;

use aws_config::{Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use axum::Router;
use http::header::HOST;
use http::uri::{PathAndQuery, Uri};
use http::{HeaderValue, Request};
use http_body_util::BodyExt;
use platform::aws::Aws;
use tower::ServiceExt;

use super::s3::EmbeddedS3;
use super::{ACCESS_KEY, REGION, SecretKey};

const DYNAMODB_HOST: &str = "dynamodb.local";
/// SQS and KMS.
const AWSIM_HOST: &str = "awsim.local";
/// The host that presigned URLs are signed for.
pub const S3_HOST: &str = "s3.local";

/// The services, by the host names that the SDK calls.
#[derive(Clone)]
pub struct InProcessServices {
    pub dynamodb: Router,
    pub awsim: Router,
    pub s3: EmbeddedS3,
}

impl fmt::Debug for InProcessServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcessServices").finish_non_exhaustive()
    }
}

impl InProcessServices {
    pub fn aws(&self, secret_key: &SecretKey) -> Aws {
        Aws::embedded(sdk_config(secret_key).service_config(Hosts), SharedHttpClient::new(self.clone()))
    }

    async fn answer(self, request: HttpRequest) -> Result<HttpResponse, BoxError> {
        let mut request = request.try_into_http1x()?;
        let host = request.uri().host().unwrap_or_default().to_owned();
        // What a client sends over a connection.
        request.headers_mut().insert(HOST, HeaderValue::from_str(&host)?);
        let target = request.uri().path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
        *request.uri_mut() = Uri::from(target);
        let response = match host.as_str() {
            S3_HOST => self.s3.call(request.map(s3s::Body::http_body)).await?.map(SdkBody::from_body_1_x),
            AWSIM_HOST => answer_whole(self.awsim, request).await?,
            DYNAMODB_HOST => answer_whole(self.dynamodb, request).await?,
            other => return Err(format!("no embedded service has the host {other}").into()),
        };
        Ok(HttpResponse::try_from(response)?)
    }
}

/// The regular configuration of an SDK client, without the addresses of the services.
pub fn sdk_config(secret_key: &SecretKey) -> aws_types::sdk_config::Builder {
    let credentials = Credentials::from_keys(ACCESS_KEY, secret_key.reveal(), None);
    SdkConfig::builder()
        .region(Region::from_static(REGION))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
}

/// Answers with a body in memory. Only objects of S3 are streamed.
async fn answer_whole(router: Router, request: Request<SdkBody>) -> Result<http::Response<SdkBody>, BoxError> {
    let (parts, body) = router.oneshot(request.map(axum::body::Body::new)).await?.into_parts();
    Ok(http::Response::from_parts(parts, SdkBody::from(body.collect().await?.to_bytes())))
}

impl HttpConnector for InProcessServices {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let services = self.clone();
        HttpConnectorFuture::new(async move {
            services.answer(request).await.map_err(|error| ConnectorError::other(error, None))
        })
    }
}

impl HttpClient for InProcessServices {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

/// The URL of each service, in the place of `AWS_ENDPOINT_URL_<SERVICE>`.
#[derive(Debug)]
struct Hosts;

impl LoadServiceConfig for Hosts {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let host = match key.service_id() {
            "DynamoDB" => DYNAMODB_HOST,
            "SQS" | "KMS" => AWSIM_HOST,
            "S3" => S3_HOST,
            _ => return None,
        };
        (key.env() == "AWS_ENDPOINT_URL").then(|| format!("http://{host}"))
    }
}
