//! Takes the place of the package `crc-fast`, which the AWS SDK uses for checksums of objects in S3.
//!
//! That package has tables for 50 checksums, which add 0.7 MB to every function. S3 knows three of them.

/// The checksums that S3 knows, with the names of `crc-fast`.
#[derive(Clone, Copy, Debug)]
pub enum CrcAlgorithm {
    Crc32IsoHdlc,
    Crc32Iscsi,
    Crc64Nvme,
}

/// The checksum of bytes that come in parts.
#[derive(Clone, Debug)]
pub struct Digest(State);

#[derive(Clone, Debug)]
enum State {
    Crc32(crc32fast::Hasher),
    Crc32c(u32),
    /// All bits are inverted until the end.
    Crc64(u64),
}

impl Digest {
    #[must_use]
    pub fn new(algorithm: CrcAlgorithm) -> Self {
        Self(match algorithm {
            CrcAlgorithm::Crc32IsoHdlc => State::Crc32(crc32fast::Hasher::new()),
            CrcAlgorithm::Crc32Iscsi => State::Crc32c(0),
            CrcAlgorithm::Crc64Nvme => State::Crc64(!0),
        })
    }

    pub fn update(&mut self, data: &[u8]) {
        match &mut self.0 {
            State::Crc32(hasher) => hasher.update(data),
            State::Crc32c(checksum) => *checksum = crc32c::crc32c_append(*checksum, data),
            State::Crc64(remainder) => {
                for byte in data {
                    let [lowest, ..] = remainder.to_le_bytes();
                    *remainder = CRC64[usize::from(lowest ^ byte)] ^ (*remainder >> 8);
                }
            }
        }
    }

    #[must_use]
    pub fn finalize(&self) -> u64 {
        match &self.0 {
            State::Crc32(hasher) => u64::from(hasher.clone().finalize()),
            State::Crc32c(checksum) => u64::from(*checksum),
            State::Crc64(remainder) => !remainder,
        }
    }
}

/// What each value of a byte does to the remainder of CRC-64/NVME.
const CRC64: [u64; 256] = {
    /// Its polynomial, with the lowest bit first.
    const POLYNOMIAL: u64 = 0x9a6c_9329_ac4b_c9b5;
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            remainder = if remainder & 1 == 1 { (remainder >> 1) ^ POLYNOMIAL } else { remainder >> 1 };
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_their_definitions() {
        // The check values of the catalogue of CRC algorithms, which are the checksums of these digits.
        for (algorithm, check) in [
            (CrcAlgorithm::Crc32IsoHdlc, 0xcbf4_3926),
            (CrcAlgorithm::Crc32Iscsi, 0xe306_9283),
            (CrcAlgorithm::Crc64Nvme, 0xae8b_1486_0a79_9888),
        ] {
            let mut whole = Digest::new(algorithm);
            whole.update(b"123456789");
            assert_eq!(whole.finalize(), check, "{algorithm:?}");
            let mut parts = Digest::new(algorithm);
            for part in [&b""[..], b"1234", b"5", b"6789"] {
                parts.update(part);
            }
            assert_eq!(parts.finalize(), check, "{algorithm:?} in parts");
        }
    }
}
