//! How much work reading a file is, without a clock: what it allocates, counted in this thread alone. The most that is
//! held at once is memory; all of it together grows with the work.

use allocation_counter::measure;

use super::super::{Imported, read};

const MOST_HELD_BYTES: u64 = 64 * 1024 * 1024;
/// Of a small file.
const MOST_ALLOCATED_BYTES: u64 = 100 * 1024 * 1024;
const MOST_ALLOCATIONS: u64 = 700_000;

/// The refusal, or what was read; within several times the work of a small file.
pub fn read_within(times: u64, text: &str) -> Result<Imported, String> {
    let mut answer = None;
    let used = measure(|| answer = Some(read(text).map_err(|error| error.to_string())));
    let start: String = text.chars().take(60).collect();
    assert!(used.bytes_max < MOST_HELD_BYTES, "{} MB held for {start}", used.bytes_max >> 20);
    assert!(used.bytes_total < times * MOST_ALLOCATED_BYTES, "{} MB allocated for {start}", used.bytes_total >> 20);
    assert!(used.count_total < times * MOST_ALLOCATIONS, "{} allocations for {start}", used.count_total);
    answer.unwrap()
}
