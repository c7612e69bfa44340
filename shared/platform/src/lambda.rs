//! The loop of a Lambda: it polls for an invocation, answers it, ends the work that goes on after the answer, and exports its
//! telemetry.

use lambda_runtime::layers::TracingLayer;
use lambda_runtime::tower::layer::layer_fn;
use lambda_runtime::tower::util::Then;
use lambda_runtime::{Error, LambdaInvocation, Runtime, Service};

use crate::Context;

/// Serves invocations until Lambda ends the process. The tasks of an invocation end and its telemetry is exported after its
/// response was sent, so the caller does not wait for them, and before the next poll, at which Lambda freezes the process.
pub async fn run<S>(runtime: Runtime<S>, context: &Context) -> Result<(), Error>
where
    S: Service<LambdaInvocation, Response = (), Error = Error>,
{
    let finishing = layer_fn(|service| {
        let (tasks, telemetry) = (context.tasks.clone(), context.telemetry.clone());
        Then::new(service, move |answered| async move {
            tasks.ended().await;
            telemetry.flush().await;
            answered
        })
    });
    runtime.layer(TracingLayer::new()).layer(finishing).run().await
}
