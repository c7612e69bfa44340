//! The loop of a Lambda: it polls for an invocation, answers it, and exports its telemetry.

use lambda_runtime::layers::TracingLayer;
use lambda_runtime::tower::layer::layer_fn;
use lambda_runtime::tower::util::Then;
use lambda_runtime::{Error, LambdaInvocation, Runtime, Service};

use crate::telemetry::Telemetry;

/// Serves invocations until Lambda ends the process. The telemetry of an invocation is exported after its response was
/// sent, so the caller does not wait for it, and before the next poll, at which Lambda freezes the process.
pub async fn run<S>(runtime: Runtime<S>, telemetry: &Telemetry) -> Result<(), Error>
where
    S: Service<LambdaInvocation, Response = (), Error = Error>,
{
    let exporting = layer_fn(|service| {
        let telemetry = telemetry.clone();
        Then::new(service, move |answered| async move {
            telemetry.flush().await;
            answered
        })
    });
    runtime.layer(TracingLayer::new()).layer(exporting).run().await
}
