//! As much of a report as an answer can hold. A Lambda sends at most 6 MiB, in which the answer is a text within JSON:
//! the largest graph that a draft may have takes 4 MiB of it, so that the report has less than two.

use serde::Serialize;

use super::loose::clipped;
use super::{NodeReport, Reconnect, Report};

const MAX_ORIGINALS_BYTES: usize = 1024 * 1024;
const MAX_WHYS_BYTES: usize = 512 * 1024;
const MAX_RECONNECT_BYTES: usize = 256 * 1024;
/// What is told of a node in any case.
const LEAST_WHY_CHARS: usize = 80;

/// Leaves out what is over, and says so where it was.
pub fn hold(report: &mut Report) {
    let (mut originals, mut whys) = (MAX_ORIGINALS_BYTES, MAX_WHYS_BYTES);
    for NodeReport { why, original, .. } in &mut report.nodes {
        if original.as_ref().is_some_and(|original| !takes(&mut originals, original)) {
            *original = None;
            why.push_str("; how it was is left out: the report would be too long");
        }
        if !takes(&mut whys, why) {
            *why = format!("{}; more is left out: the report would be too long", clipped(why, LEAST_WHY_CHARS));
        }
    }
    let mut left = MAX_RECONNECT_BYTES;
    let whole = report.reconnect.len();
    report.reconnect.retain(|Reconnect { node_id, what }| takes(&mut left, &(node_id, what)));
    let more = whole - report.reconnect.len();
    if let (1.., Some(last)) = (more, report.reconnect.last()) {
        let (node_id, what) =
            (last.node_id.clone(), format!("{more} more, which are left out: the report would be too long"));
        report.reconnect.push(Reconnect { node_id, what });
    }
}

/// Whether there is so much left, which is then taken.
fn takes(left: &mut usize, part: &impl Serialize) -> bool {
    let json = serde_json::to_string(part).unwrap_or_default();
    // Both are escaped once more where the answer is a text.
    let size = json.len() + json.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    let after = left.checked_sub(size);
    *left = after.unwrap_or(*left);
    after.is_some()
}
