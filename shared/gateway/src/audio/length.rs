//! The length of an audio file. It is what a transcription costs, unless the provider reports another one.

use std::io::Cursor;

use lofty::config::ParseOptions;
use lofty::file::{AudioFile, FileType};
use lofty::probe::Probe;

use domain::usage::UsageSource;

/// Speech is hardly ever compressed further, at 6 kbit/s.
const LEAST_BYTES_PER_S: u64 = 750;
/// The usual size of compressed speech, at 32 kbit/s.
const USUAL_BYTES_PER_S: u64 = 4_000;
/// Compressed audio has at most 512 kbit/s. A file with more has been given a wrong length, or has pictures, too.
const MOST_COMPRESSED_BYTES_PER_S: u64 = 64_000;
const MS_PER_S: u64 = 1_000;

/// What a file says about its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioLength {
    /// The length in its headers. None if the format is unknown, or has no length.
    stated_ms: Option<u64>,
    is_compressed: bool,
    bytes: u64,
}

impl AudioLength {
    pub fn of(content: &[u8]) -> Self {
        let stated = read(content).filter(|(ms, _)| *ms > 0);
        Self {
            stated_ms: stated.map(|(ms, _)| ms),
            is_compressed: stated.is_none_or(|(_, is_compressed)| is_compressed),
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
        let least = if self.is_compressed { self.ms_at(MOST_COMPRESSED_BYTES_PER_S) } else { 0 };
        self.stated_ms.map(|ms| ms.max(least))
    }

    fn ms_at(&self, bytes_per_s: u64) -> u64 {
        (self.bytes * MS_PER_S).div_ceil(bytes_per_s)
    }
}

/// The length in the headers, and whether the audio is compressed with losses.
fn read(content: &[u8]) -> Option<(u64, bool)> {
    let options = ParseOptions::new().read_tags(false).read_cover_art(false);
    let probe = Probe::new(Cursor::new(content)).options(options).guess_file_type().ok()?;
    let is_compressed = !matches!(probe.file_type()?, FileType::Wav | FileType::Aiff | FileType::Flac);
    let length = probe.read().ok()?.properties().duration();
    Some((u64::try_from(length.as_millis()).ok()?, is_compressed))
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
        let forged = AudioLength { stated_ms: Some(1), is_compressed: true, bytes: 640_000 };
        assert_eq!((forged.greatest_ms(), forged.likely_ms().0), (10_000, 10_000));
    }
}
