//! Request signatures of the embedded services. All users of the machine and pages in their browsers can reach the
//! ports, so only calls signed with the secret key of this start are accepted.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::BeforeTransmitInterceptorContextMut;
use aws_smithy_runtime_api::client::interceptors::{Intercept, SharedInterceptor, dyn_dispatch_hint};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::ConfigBag;
use local::services::{Endpoints, SecretKey};
use platform::aws::Aws;
use tests::TestApp;

/// Changes a request after it was signed.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    Body,
    Operation,
    Origin,
}

#[dyn_dispatch_hint]
impl Intercept for Change {
    fn name(&self) -> &'static str {
        "Change"
    }

    fn modify_before_transmit(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        match self {
            Self::Nothing => {}
            Self::Body => {
                let mut body = request.body().bytes().unwrap_or_default().to_vec();
                if let Some(first) = body.first_mut() {
                    *first = b' ';
                }
                *request.body_mut() = SdkBody::from(body);
            }
            Self::Operation => {
                let target = request.headers().get("x-amz-target").unwrap_or_default().replace("List", "Delete");
                request.headers_mut().insert("x-amz-target", target);
            }
            Self::Origin => {
                request.headers_mut().insert("origin", "https://page.example");
            }
        }
        Ok(())
    }
}

/// The address of each service, from the environment of a function process.
fn addresses(app: &TestApp) -> BTreeMap<&'static str, SocketAddr> {
    let environment: BTreeMap<_, _> = app.platform.environment_of("channels").into_iter().collect();
    let address = |name: &str| environment[name].trim_start_matches("http://").parse().unwrap();
    BTreeMap::from([
        ("dynamodb", address("AWS_ENDPOINT_URL_DYNAMODB")),
        ("awsim", address("AWS_ENDPOINT_URL_SQS")),
        ("s3", address("AWS_ENDPOINT_URL_S3")),
    ])
}

fn connect(app: &TestApp, secret_key: SecretKey) -> Aws {
    let address = addresses(app);
    let endpoints = Endpoints { dynamodb: address["dynamodb"], awsim: address["awsim"], s3: address["s3"], secret_key };
    Aws::local(endpoints.sdk_config())
}

/// The status of one call to each service, 200 on success.
async fn statuses(aws: &Aws) -> [(&'static str, u16); 4] {
    macro_rules! status {
        ($call:expr) => {
            match $call.send().await {
                Ok(_) => 200,
                Err(error) => error.raw_response().map_or(0, |response| response.status().as_u16()),
            }
        };
    }
    [
        ("dynamodb", status!(aws.dynamodb().list_tables().limit(3))),
        ("kms", status!(aws.kms().list_keys().limit(3))),
        ("sqs", status!(aws.sqs().list_queues().queue_name_prefix("x"))),
        ("s3", status!(aws.s3().list_buckets())),
    ]
}

#[tokio::test]
async fn only_calls_signed_with_the_key_of_this_start_reach_a_service() {
    let app = TestApp::start_over_http().await;
    let own = app.platform.context().aws;
    assert_eq!(statuses(&own).await.map(|(_, status)| status), [200; 4]);

    let other_start = TestApp::start_over_http().await;
    let environment: BTreeMap<_, _> = other_start.platform.environment_of("channels").into_iter().collect();
    let own_environment: BTreeMap<_, _> = app.platform.environment_of("channels").into_iter().collect();
    assert_ne!(environment["AWS_SECRET_ACCESS_KEY"], own_environment["AWS_SECRET_ACCESS_KEY"]);
    let stranger = connect(&app, SecretKey::generate().unwrap());
    assert_eq!(statuses(&stranger).await.map(|(_, status)| status), [403; 4]);
}

#[tokio::test]
async fn a_request_changed_after_signing_is_refused() {
    let app = TestApp::start_over_http().await;
    for (change, services) in [
        (Change::Nothing, [200, 200, 200, 200]),
        (Change::Body, [403, 403, 403, 200]),
        (Change::Operation, [403, 403, 403, 200]),
        (Change::Origin, [403; 4]),
    ] {
        let aws = app.platform.context().aws.with_interceptors([SharedInterceptor::new(change)]);
        let found = statuses(&aws).await;
        // The call that lists buckets has no body or operation to change.
        assert_eq!(found.map(|(_, status)| status), services, "{change:?}: {found:?}");
    }
}

#[tokio::test]
async fn unsigned_and_cross_origin_requests_are_refused() {
    let app = TestApp::start_over_http().await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for (service, address) in addresses(&app) {
        let unsigned =
            || http.post(format!("http://{address}/")).header("x-amz-target", "DynamoDB_20120810.ListTables");
        for (request, who) in [
            (unsigned().body("{}"), "unsigned"),
            (unsigned().header("origin", "https://page.example").body("{}"), "a page"),
            (unsigned().header("host", "page.example").body("{}"), "a rebound name"),
            (
                unsigned()
                    .header("authorization", "AWS4-HMAC-SHA256 Credential=atelier/20260101/us-east-1/kms/aws4_request")
                    .body("{}"),
                "half a signature",
            ),
            (http.get(format!("http://{address}/")), "a GET"),
            (
                http.request(reqwest::Method::OPTIONS, format!("http://{address}/"))
                    .header("origin", "https://page.example")
                    .header("access-control-request-method", "POST"),
                "a preflight",
            ),
        ] {
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            // S3 does not support this call, and answers 400 to an incomplete signature.
            let is_refused = status == 403 || (service == "s3" && matches!(status, 400 | 501));
            assert!(is_refused, "{service}: {who}: {status}");
            let allowing: Vec<_> =
                answer.headers().keys().filter(|name| name.as_str().starts_with("access-control")).collect();
            assert!(allowing.is_empty(), "{service}: {who}: {allowing:?}");
        }
    }
}
