//! Calls of MCP servers: of their tools, and of other methods such as those of resources. Each takes a slot of a lease like a call of a
//! model, so the limits of requests apply to both together. It costs nothing, and is in the log of calls.
//!
//! A process that only passes on calls of tools has no `Gateway`, and links no provider.

use std::time::Instant;

use auth::ApiCaller;
use domain::Result;
use domain::catalog::Pricing;
use domain::lease::CallLimits;
use domain::ledger::CallOrigin;
use domain::mcp_server::{SERVER_PREFIX, TOOL_PROVIDER};
use domain::time::{Clock, Time};
use domain::usage::{Tokens, UsageSource};
use platform::Context;
use platform::telemetry::attributes::{GEN_AI_OPERATION_NAME, GEN_AI_TOOL_NAME, MCP_METHOD_NAME, MCP_SERVER};
use platform::telemetry::metrics::Metric;
use platform::telemetry::{Span, SpanKind, Telemetry};

use crate::leases::{CallUsage, LeasePools, LeaseSlot, Priced, QuotaLeft, SlotRequest, Taken};
use crate::routing::Served;
use crate::{GatewayCaller, shortage_error};

/// The outcome of a call that was answered, in the metrics.
const OK: &str = "ok";

/// Takes slots for calls of tools. A process creates one, because it holds the leases.
#[derive(Clone)]
pub struct ToolCalls {
    leases: LeasePools,
    clock: Clock,
    telemetry: Telemetry,
}

/// What a client calls at a server.
pub enum Called {
    Tool(String),
    /// Another method, such as `resources/read`.
    Method(String),
}

impl Called {
    fn method(&self) -> &str {
        match self {
            Self::Tool(_) => "tools/call",
            Self::Method(method) => method,
        }
    }

    /// The name in the log of calls.
    fn name(&self) -> &str {
        match self {
            Self::Tool(name) | Self::Method(name) => name,
        }
    }
}

/// A call in flight. It must be ended.
pub struct ToolCall {
    slot: LeaseSlot,
    origin: CallOrigin,
    served: Served,
    first_at: Option<Time>,
    span: Span,
    began: Instant,
    clock: Clock,
    telemetry: Telemetry,
}

impl ToolCalls {
    pub fn new(context: &Context) -> Result<Self> {
        let (clock, telemetry) = (context.clock.clone(), context.telemetry.clone());
        Ok(Self { leases: LeasePools::new(context)?, clock, telemetry })
    }

    /// Takes a slot for a call, or refuses it with the limit that is reached.
    pub async fn begin(
        &self,
        caller: &ApiCaller,
        origin: CallOrigin,
        server: &str,
        called: &Called,
    ) -> Result<ToolCall> {
        let GatewayCaller { payer, call: origin, .. } =
            GatewayCaller::new(caller, CallOrigin { is_tool: true, ..origin }, None);
        let name = format!("{SERVER_PREFIX}{server}");
        let model = Priced { name: &name, pricing: Pricing::default(), version: 0 };
        let need = CallLimits::default();
        let taken = self.leases.take(SlotRequest { payer: &payer, model, need, labels: &origin.labels }).await?;
        let slot = match taken {
            Taken::Slot(slot) => slot,
            Taken::Short(shortage) => return Err(shortage_error(shortage, &need, self.clock.now())),
        };
        let span = self.start_span(server, called);
        let served = Served::first(TOOL_PROVIDER, &format!("{server}/{}", called.name()));
        let (clock, telemetry) = (self.clock.clone(), self.telemetry.clone());
        Ok(ToolCall { slot, origin, served, first_at: None, span, began: Instant::now(), clock, telemetry })
    }

    fn start_span(&self, server: &str, called: &Called) -> Span {
        let mut span = match called {
            Called::Tool(tool) => self.telemetry.start_span(SpanKind::Client, format_args!("tools/call {tool}")),
            Called::Method(method) => self.telemetry.start_span(SpanKind::Client, format_args!("{method}")),
        };
        if !span.is_recording() {
            return span;
        }
        span.set(MCP_METHOD_NAME, called.method().to_owned());
        span.set(MCP_SERVER, server.to_owned());
        if let Called::Tool(tool) = called {
            span.set(GEN_AI_OPERATION_NAME, "execute_tool");
            span.set(GEN_AI_TOOL_NAME, tool.clone());
        }
        span
    }
}

impl ToolCall {
    pub fn quota_left(&self) -> QuotaLeft {
        self.slot.quota_left()
    }

    /// Sends the request as part of the call, so that the server can continue the trace.
    pub async fn send<T>(&self, request: impl Future<Output = T>) -> T {
        self.span.scope(request).await
    }

    /// The server has begun to answer with a stream.
    pub fn begin_stream(&mut self) {
        self.origin.is_streamed = true;
        self.first_at.get_or_insert_with(|| self.clock.now());
    }

    /// Ends a call that may have reached its server, and counts it. `error` is the code of what ended it, or of the error of the
    /// tool.
    pub async fn end(mut self, error: Option<&str>) -> Result<()> {
        self.measure(error);
        let charge = self.slot.price_call(self.usage(error));
        self.slot.record(&charge).await?;
        self.slot.close_if_finished().await;
        Ok(())
    }

    /// Ends a call that no server answered. It counts toward no limit, and the log of calls has it.
    pub async fn end_unserved(mut self, error: &str) {
        self.measure(Some(error));
        self.slot.put_back();
        self.slot.log_uncharged(self.usage(Some(error))).await;
        self.slot.close_if_finished().await;
    }

    fn measure(&mut self, error: Option<&str>) {
        if let Some(error) = error {
            self.span.fail(error.to_owned());
        }
        self.telemetry.count(Metric::ToolCalls, &[error.unwrap_or(OK)], 1);
        self.telemetry.observe(Metric::ToolCallSeconds, &[], self.began.elapsed());
    }

    fn usage(&self, error: Option<&str>) -> CallUsage {
        let nothing = (Tokens::default(), UsageSource::Counted);
        let usage = CallUsage::of_tokens(&self.origin, None, self.served.clone(), nothing);
        CallUsage { first_chunk_at: self.first_at, error: error.map(str::to_owned), ..usage }
    }
}
