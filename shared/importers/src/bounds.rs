//! Keeps a report small enough for one response. A Lambda response has at most 6 MiB, and its body is a JSON string
//! inside that. The largest graph takes 4 MiB, which leaves less than two for the report.

use serde::Serialize;

use super::lenient::truncate;
use super::{NodeReport, Reconnect, Report};

const MAX_ORIGINALS_BYTES: usize = 1024 * 1024;
const MAX_WHYS_BYTES: usize = 512 * 1024;
const MAX_RECONNECT_BYTES: usize = 256 * 1024;
/// How much of a node's reason is always kept.
const LEAST_WHY_CHARS: usize = 80;

/// Removes everything over the limits, and leaves a note in its place.
pub fn limit_report(report: &mut Report) {
    let (mut originals, mut whys) = (MAX_ORIGINALS_BYTES, MAX_WHYS_BYTES);
    for NodeReport { why, original, .. } in &mut report.nodes {
        if original.as_ref().is_some_and(|original| !charge(&mut originals, original)) {
            *original = None;
            why.push_str("; the original is left out, because the report would be too long");
        }
        if !charge(&mut whys, why) {
            *why = format!(
                "{}; the rest is left out, because the report would be too long",
                truncate(why, LEAST_WHY_CHARS)
            );
        }
    }
    let mut left = MAX_RECONNECT_BYTES;
    let whole = report.reconnect.len();
    report.reconnect.retain(|Reconnect { node_id, what }| charge(&mut left, &(node_id, what)));
    let more = whole - report.reconnect.len();
    if let (1.., Some(last)) = (more, report.reconnect.last()) {
        let (node_id, what) =
            (last.node_id.clone(), format!("{more} more are left out, because the report would be too long"));
        report.reconnect.push(Reconnect { node_id, what });
    }
}

/// Charges `part` to what is left. False, and nothing is charged, when there is not enough.
fn charge(left: &mut usize, part: &impl Serialize) -> bool {
    let json = serde_json::to_string(part).unwrap_or_default();
    // Both are escaped once more, because the body is a JSON string itself.
    let size = json.len() + json.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    let after = left.checked_sub(size);
    *left = after.unwrap_or(*left);
    after.is_some()
}
