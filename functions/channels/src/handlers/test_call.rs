//! Handler for credential test calls: a user checks a credential before a workflow depends on it.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, Request};
use domain::Error;
use domain::address;
use domain::credential::Credential;
use domain::id::{CredentialId, WorkflowId};
use domain::messaging::MessagingProvider;
use outbound::{CallError, OutboundError, RequestTimeouts};
use web::builder::test_call::{TestCallError, TestCallOutcome};
use web::builder::{Data, Editor, ErrorResponses, NotFound, NotJson, NotPermitted};
use web::{OptionalJson, Path, Result};

use crate::Stores;
use crate::dto::test_call::{TestIn, TestMethod, TestOut, to_test_call_error};

/// Timeouts of a test call. They are short because a user waits, and API Gateway ends a request after 29 seconds.
const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(1),
    total: Duration::from_secs(10),
};

/// Test an outbound credential
///
/// Calls the URL with the credential, as an HTTP node would, or only requests a token. The result contains the status
/// of the answer, and neither its headers nor its body. A credential of a messaging provider is tested by a call of its
/// provider that sends no message.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}/test", tag = "channels",
    params(
        ("id" = Uuid, Path, description = "The workflow"),
        ("credential_id" = Uuid, Path, description = "The credential"),
    ),
    request_body = Option<TestIn>,
    responses(
        (status = 200, description = "The result of the test call", body = Data<TestOut>),
        NotFound<(WorkflowId, CredentialId)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn test_credential(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path((id, credential_id)): Path<(WorkflowId, CredentialId)>,
    OptionalJson(TestIn { url, method }): OptionalJson<TestIn>,
) -> Result<Data<TestOut>> {
    stores.workflows.get_header(access.account, id).await?;
    let credential = stores.credentials.open(access.account, id, credential_id).await?;
    if MessagingProvider::of(credential.r#type()).is_some() {
        if url.is_some() {
            let problem = "a credential of this type is tested at its provider; remove the URL";
            return Err(Error::invalid_body("url", problem).into());
        }
        return Ok(Data { data: test_account(&stores, credential_id, &credential).await?.into() });
    }
    let request = url.map(|url| request(&url, method)).transpose()?;
    let has_token =
        matches!(credential, Credential::Oauth2ClientCredentials { .. } | Credential::Oauth2AuthorizationCode { .. });
    if request.is_none() && !has_token {
        return Err(Error::invalid_body("url", "is required to test a credential of this type").into());
    }
    let tested = TestCallOutcome::run(async {
        match make_call(&stores, credential_id, &credential, request).await {
            Ok(status) => Ok((status, None)),
            // The platform had no free connection. This failure is not caused by the credential.
            Err(CallError::Outbound(OutboundError::Exhausted)) => {
                Err(Error::busy("no connection is free for a test call"))
            }
            Err(error) => Ok((None, Some(to_test_call_error(&error)))),
        }
    });
    Ok(Data { data: tested.await?.into() })
}

/// Tests the account at a messaging provider.
async fn test_account(stores: &Stores, id: CredentialId, credential: &Credential) -> Result<TestCallOutcome> {
    let tested = TestCallOutcome::run(async {
        let error = stores.messenger.test(id, credential).await.err();
        Ok((None, error.map(|error| TestCallError { code: error.code().to_owned(), message: error.to_string() })))
    });
    Ok(tested.await?)
}

/// Makes the call and returns the status of the answer, or `None` if only a token was requested.
async fn make_call(
    stores: &Stores,
    id: CredentialId,
    credential: &Credential,
    request: Option<Request<Bytes>>,
) -> std::result::Result<Option<u16>, CallError> {
    let Some(request) = request else {
        stores.calls.token(id, credential, &TIMEOUTS).await?;
        return Ok(None);
    };
    let answer = stores.calls.send(request, Some((id, credential)), &TIMEOUTS).await?;
    Ok(Some(answer.status.as_u16()))
}

fn request(url: &str, method: TestMethod) -> Result<Request<Bytes>> {
    address::check("url", url)?;
    let method = match method {
        TestMethod::Get => Method::GET,
        TestMethod::Head => Method::HEAD,
        TestMethod::Post => Method::POST,
    };
    let request = Request::builder().method(method).uri(url).body(Bytes::new());
    request.map_err(|_| Error::invalid_body("url", "is not a URL").into())
}
