//! Writes WAV files, for the development model and for tests.

use bytes::Bytes;

/// The samples in a second.
pub const SAMPLE_RATE: u32 = 24_000;

/// A WAV file with one channel of 16-bit samples.
pub fn wav(samples: &[i16]) -> Bytes {
    const FRAME: u16 = 2;
    let data = samples.len() as u32 * u32::from(FRAME);
    let mut file = Vec::with_capacity(44 + data as usize);
    let mut add = |part: &[u8]| file.extend_from_slice(part);
    add(b"RIFF");
    add(&(36 + data).to_le_bytes());
    add(b"WAVEfmt ");
    add(&16u32.to_le_bytes());
    // PCM, with one channel.
    add(&1u16.to_le_bytes());
    add(&1u16.to_le_bytes());
    add(&SAMPLE_RATE.to_le_bytes());
    add(&(SAMPLE_RATE * u32::from(FRAME)).to_le_bytes());
    add(&FRAME.to_le_bytes());
    add(&16u16.to_le_bytes());
    add(b"data");
    add(&data.to_le_bytes());
    samples.iter().for_each(|sample| add(&sample.to_le_bytes()));
    file.into()
}
