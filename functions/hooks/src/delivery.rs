//! A delivery of a messaging provider. Its signature is verified before the handler sees its messages.

use auth::{admit_owner, refused};
use axum::extract::{FromRequest, FromRequestParts, Request};
use domain::id::CredentialId;
use domain::messaging::MessagingProvider;
use domain::workflow::WorkflowState;
use domain::{Error, Refusal};
use messaging::{InboundRequest, ReceiveError, Received};
use store::inboxes::CalledInbox;
use store::threads::Inbox;
use web::{ApiError, Path, RawBody, Result};

use crate::Stores;

/// A delivery whose signature is that of the account with the credential in the path.
pub struct SignedDelivery {
    pub inbox: Inbox,
    pub received: Received,
}

impl FromRequest<Stores> for SignedDelivery {
    type Rejection = ApiError;

    async fn from_request(request: Request, stores: &Stores) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let Path(id): Path<CredentialId> = Path::from_request_parts(&mut parts, stores).await?;
        let headers = parts.headers.clone();
        // The body is read last: a caller who names no inbox must not keep a connection with one.
        let called = stores.inboxes.find(id).await?;
        let RawBody(body) = RawBody::from_request(Request::from_parts(parts, body), stores).await?;
        let request = InboundRequest { headers: &headers, body: &body };
        let received = messaging::receive(&called.credential, &request, stores.clock.now()).map_err(refusal)?;
        let inbox = admit_inbox(stores, id, called)?;
        Ok(Self { inbox, received })
    }
}

/// The inbox, if the owner may run workflows and the workflow is in use.
fn admit_inbox(stores: &Stores, id: CredentialId, called: CalledInbox) -> Result<Inbox> {
    let CalledInbox { account, workflow_id, credential, workflow, owner } = called;
    let gone = || Error::NotFound { kind: "credential" };
    let provider = MessagingProvider::of(credential.r#type()).ok_or_else(gone)?;
    let owner = admit_owner(owner, stores.clock.now())?;
    workflow.filter(|workflow| workflow.state != WorkflowState::Archived).ok_or_else(gone)?;
    let retention = owner.plan.run_retention;
    Ok(Inbox { credential: id, provider, account, workflow: workflow_id, retention })
}

pub fn refusal(error: ReceiveError) -> Error {
    match error {
        ReceiveError::Unauthorized => refused(Refusal::Signature, "a delivery with a wrong signature"),
        ReceiveError::Malformed(problem) => Error::invalid_body("", problem),
    }
}
