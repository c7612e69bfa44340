//! The position of some work in its trace, in memory and as the header `traceparent` of W3C Trace Context.

use tokio::task::futures::TaskLocalFuture;

/// The name of the header, and of the attribute of a message.
pub const TRACEPARENT: &str = "traceparent";

const SAMPLED: u8 = 1;

tokio::task_local! {
    static CURRENT: Option<TraceContext>;
}

/// A span of a trace, as the parent of other spans. `tracestate` is not passed on: it belongs to the tracing systems of the
/// caller, and the receivers here are vendors of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    pub(super) trace_id: u128,
    pub(super) span_id: u64,
    /// Whether the spans of the trace are exported.
    pub(super) is_sampled: bool,
}

impl TraceContext {
    /// The span that the current task works for.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(|context| *context).ok().flatten()
    }

    /// Reads a `traceparent`. A malformed one is ignored, as the standard demands.
    pub fn read(traceparent: &str) -> Option<Self> {
        let mut fields = traceparent.split('-');
        let version: u8 = read_hex(fields.next()?, 2)?.try_into().ok()?;
        let trace_id = read_hex(fields.next()?, 32)?;
        let span_id: u64 = read_hex(fields.next()?, 16)?.try_into().ok()?;
        let flags: u8 = read_hex(fields.next()?, 2)?.try_into().ok()?;
        // Later versions may have more fields.
        let is_known = version != 0xff && (version > 0 || fields.next().is_none());
        let is_sampled = flags & SAMPLED != 0;
        (is_known && trace_id != 0 && span_id != 0).then_some(Self { trace_id, span_id, is_sampled })
    }

    /// The id of the trace, as tracing systems show it.
    pub fn trace_id(&self) -> String {
        format!("{:032x}", self.trace_id)
    }

    pub fn traceparent(&self) -> String {
        format!("00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, u8::from(self.is_sampled))
    }
}

/// Reads lowercase hexadecimal digits.
fn read_hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    u128::from_str_radix(text, 16).ok().filter(|_| is_hex)
}

/// Runs work as part of a span.
pub(super) fn scope<F: Future>(context: Option<TraceContext>, work: F) -> TaskLocalFuture<Option<TraceContext>, F> {
    CURRENT.scope(context, work)
}

/// Lets work stay part of the current span when it is spawned as a task of its own.
pub fn carry<F: Future>(work: F) -> TaskLocalFuture<Option<TraceContext>, F> {
    scope(TraceContext::current(), work)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_traceparent_is_read_and_written_back() {
        let context = TraceContext::read(HEADER).unwrap();
        assert!(context.is_sampled);
        assert_eq!(context.traceparent(), HEADER);
        let unsampled = HEADER.replace("-01", "-00");
        assert_eq!(TraceContext::read(&unsampled).unwrap().traceparent(), unsampled);
        // The flag of random trace ids, and a later version with another field.
        assert!(TraceContext::read(&HEADER.replace("-01", "-03")).unwrap().is_sampled);
        assert_eq!(TraceContext::read(&format!("{}-more", HEADER.replace("00-", "01-"))), Some(context));
    }

    #[test]
    fn a_malformed_traceparent_is_ignored() {
        let zeros = "0".repeat(32);
        for wrong in [
            "",
            "00",
            &HEADER.to_uppercase(),
            &HEADER[..54],
            &format!("{HEADER}-more"),
            &HEADER.replace("00-", "ff-"),
            &HEADER.replace("0af7651916cd43dd8448eb211c80319c", &zeros),
            &HEADER.replace("b7ad6b7169203331", &zeros[..16]),
            &HEADER.replace("-b7", "-+7"),
            &HEADER.replace("-01", "-0é"),
        ] {
            assert_eq!(TraceContext::read(wrong), None, "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_spawned_task_stays_in_the_span_only_if_it_is_carried() {
        let context = TraceContext::read(HEADER);
        let (carried, other) = scope(context, async {
            let carried = tokio::spawn(carry(async { TraceContext::current() }));
            (carried.await.unwrap(), tokio::spawn(async { TraceContext::current() }).await.unwrap())
        })
        .await;
        assert_eq!((carried, other, TraceContext::current()), (context, None, None));
    }
}
