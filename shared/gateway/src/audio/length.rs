//! The length of an audio file. It is what a transcription costs, unless the provider reports another one.

use std::io::Cursor;

use lofty::config::ParseOptions;
use lofty::file::{AudioFile, FileType};
use lofty::probe::Probe;
use lofty::properties::FileProperties;

use domain::usage::UsageSource;

/// Speech is hardly ever compressed further, at 6 kbit/s.
const LEAST_BYTES_PER_S: u64 = 750;
/// The usual size of compressed speech, at 32 kbit/s.
const USUAL_BYTES_PER_S: u64 = 4_000;
/// Compressed audio has at most 512 kbit/s. A file with more has been given a wrong length, or has pictures, too.
const MOST_COMPRESSED_BYTES_PER_S: u64 = 64_000;
/// The part of a file that may be headers.
const HEADER_BYTES: u64 = 1_024;
const MS_PER_S: u64 = 1_000;

/// What a file says about its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioLength {
    /// The length in its headers. None if the format is unknown, or has no length.
    stated_ms: Option<u64>,
    /// The most bytes that a second of this format has. A stated length that is too short for them was forged.
    most_bytes_per_s: u64,
    bytes: u64,
}

impl AudioLength {
    pub fn of(content: &[u8]) -> Self {
        let (stated_ms, most_bytes_per_s) = read(content).filter(|(ms, _)| *ms > 0).unzip();
        Self {
            stated_ms,
            most_bytes_per_s: most_bytes_per_s.unwrap_or(MOST_COMPRESSED_BYTES_PER_S),
            bytes: content.len() as u64,
        }
    }

    /// The maximum length that a provider may find.
    pub fn greatest_ms(&self) -> u64 {
        self.plausible_ms().unwrap_or_else(|| self.ms_at(LEAST_BYTES_PER_S))
    }

    /// The length to charge if the provider reports none.
    pub fn likely_ms(&self) -> (u64, UsageSource) {
        match self.plausible_ms() {
            Some(ms) => (ms, UsageSource::Counted),
            None => (self.ms_at(USUAL_BYTES_PER_S), UsageSource::Estimated),
        }
    }

    /// The length in the headers, but not one that is too short for the size of the file.
    fn plausible_ms(&self) -> Option<u64> {
        let least = self.bytes.saturating_sub(HEADER_BYTES) * MS_PER_S / self.most_bytes_per_s;
        self.stated_ms.map(|ms| ms.max(least))
    }

    fn ms_at(&self, bytes_per_s: u64) -> u64 {
        (self.bytes * MS_PER_S).div_ceil(bytes_per_s)
    }
}

/// The length in the headers, and the most bytes that a second has.
fn read(content: &[u8]) -> Option<(u64, u64)> {
    let options = ParseOptions::new().read_tags(false).read_cover_art(false);
    let probe = Probe::new(Cursor::new(content)).options(options).guess_file_type().ok()?;
    let is_lossless = matches!(probe.file_type()?, FileType::Wav | FileType::Aiff | FileType::Flac);
    let file = probe.read().ok()?;
    let audio = file.properties();
    let most_bytes = uncompressed_bytes_per_s(audio).filter(|_| is_lossless).unwrap_or(MOST_COMPRESSED_BYTES_PER_S);
    Some((u64::try_from(audio.duration().as_millis()).ok()?, most_bytes))
}

fn uncompressed_bytes_per_s(audio: &FileProperties) -> Option<u64> {
    let (rate, channels, bits) = (audio.sample_rate()?, audio.channels()?, audio.bit_depth()?);
    let bytes = u64::from(rate) * u64::from(channels) * u64::from(bits) / 8;
    (bytes > 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::wav::wav;

    #[test]
    fn the_headers_of_a_wav_file_have_its_length() {
        let length = AudioLength::of(&wav(&[0; 12_000]));
        assert_eq!((length.greatest_ms(), length.likely_ms()), (500, (500, UsageSource::Counted)));
    }

    #[test]
    fn a_file_of_an_unknown_format_is_bounded_by_its_size() {
        let length = AudioLength::of(&[7; 7_500]);
        assert_eq!((length.greatest_ms(), length.likely_ms()), (10_000, (1_875, UsageSource::Estimated)));
        assert_eq!(AudioLength::of(b"").greatest_ms(), 0);
    }

    /// A frame of MPEG-1, layer III, with 128 kbit/s and 44,100 Hz: 417 bytes, and 1,152 samples.
    #[test]
    fn the_frames_of_an_mp3_file_have_its_length() {
        let mut frame = vec![0xff, 0xfb, 0x90, 0x64];
        frame.resize(417, 0);
        let file = frame.repeat(100);
        let (ms, source) = AudioLength::of(&file).likely_ms();
        assert!((2_550..2_650).contains(&ms), "{ms}");
        assert_eq!(source, UsageSource::Counted);
    }

    #[test]
    fn a_length_that_is_too_short_for_the_size_is_not_trusted() {
        let bytes = HEADER_BYTES + 640_000;
        let forged = AudioLength { stated_ms: Some(1), most_bytes_per_s: MOST_COMPRESSED_BYTES_PER_S, bytes };
        assert_eq!((forged.greatest_ms(), forged.likely_ms().0), (10_000, 10_000));
        // A FLAC file of one mono channel with 16,000 Hz and 16 bits, which states 16 samples: a millisecond.
        let mut flac = b"fLaC\x80\0\0\x22\x10\0\x10\0".to_vec();
        flac.extend([0; 6]);
        flac.extend([0x03, 0xe8, 0x00, 0xf0, 0, 0, 0, 16]);
        flac.extend([0; 16]);
        assert_eq!(AudioLength::of(&flac).likely_ms().0, 1);
        // With these frames, it has at least two seconds.
        flac.extend([7; 64_000 + HEADER_BYTES as usize]);
        assert_eq!(AudioLength::of(&flac).greatest_ms(), 2_001);
    }
}
