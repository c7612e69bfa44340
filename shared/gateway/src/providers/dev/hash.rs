//! The hash that chooses features and shapes.

/// FNV-1a with a final mix. It is the same in every build, which the standard library's hash does not guarantee.
pub fn hash(bytes: &[u8]) -> u64 {
    let mixed = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    (mixed ^ (mixed >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}
