//! Reads what a killed process left in `SQLite`'s write-ahead log (WAL), before `SQLite` recovers it silently.
//!
//! The format is that of <https://www.sqlite.org/fileformat2.html#the_write_ahead_log> and
//! <https://www.sqlite.org/walformat.html>.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
const MAX_PAGE_BYTES: u32 = 65_536;
const LITTLE_ENDIAN_SUMS: u32 = 0x377f_0682;
const BIG_ENDIAN_SUMS: u32 = 0x377f_0683;

/// The content of the log, in pages of the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalContent {
    /// Pages of complete transactions.
    pub pages: u32,
    pub transactions: u32,
    pub loss: Option<Loss>,
}

/// Why the log does not hold all acknowledged transactions. `SQLite` would drop them without a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The index of the log (`-shm`) counts so many pages more than the log holds.
    Pages(u32),
    /// There is no index, and the log is not as `SQLite` writes it.
    Unknown,
}

/// Counts what is left in the log of a database that no process has open.
pub fn inspect(database: &Path) -> io::Result<WalContent> {
    let beside = |suffix: &str| database.with_file_name(format!("{}{suffix}", file_name(database)));
    let log = match File::open(beside("-wal")) {
        Ok(log) => Log::read(BufReader::new(log))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Log::default(),
        Err(error) => return Err(error),
    };
    let index = fs::read(beside("-shm")).ok().and_then(|index| WalIndex::read(&index));
    let loss = match index {
        Some(index) if log.salt.is_none_or(|salt| salt == index.salt) => {
            let lost = index.pages.saturating_sub(log.pages.max(index.copied));
            (lost > 0).then_some(Loss::Pages(lost))
        }
        Some(_) => None,
        None => log.is_damaged.then_some(Loss::Unknown),
    };
    Ok(WalContent { pages: log.pages, transactions: log.transactions, loss })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[derive(Default)]
struct Log {
    salt: Option<[u8; 8]>,
    pages: u32,
    transactions: u32,
    /// The header or a page has a wrong checksum.
    is_damaged: bool,
}

impl Log {
    /// Reads the log up to the first wrong checksum, as `SQLite` does.
    fn read(mut log: impl Read) -> io::Result<Self> {
        let mut header = [0; HEADER_BYTES];
        if !fill_buffer(&mut log, &mut header)? {
            return Ok(Self::default());
        }
        let (magic, page_bytes) = (word(&header, 0), word(&header, 8));
        let is_big_endian = magic == BIG_ENDIAN_SUMS;
        let is_log = is_big_endian || magic == LITTLE_ENDIAN_SUMS;
        let mut sums = Checksum { is_big_endian, sums: (0, 0) };
        sums.add(&header[..24]);
        if !is_log || page_bytes > MAX_PAGE_BYTES || sums.sums != (word(&header, 24), word(&header, 28)) {
            return Ok(Self { is_damaged: true, ..Self::default() });
        }
        let salt: [u8; 8] = header[16..24].try_into().unwrap_or_default();
        let (mut found, mut frames) = (Self { salt: Some(salt), ..Self::default() }, 0);
        let mut frame = vec![0; FRAME_HEADER_BYTES + page_bytes as usize];
        while fill_buffer(&mut log, &mut frame)? {
            sums.add(&frame[..8]);
            sums.add(&frame[FRAME_HEADER_BYTES..]);
            // The rest belongs to an earlier use of the file.
            if frame[8..16] != salt {
                break;
            }
            if sums.sums != (word(&frame, 16), word(&frame, 20)) {
                found.is_damaged = true;
                break;
            }
            frames += 1;
            let is_commit = word(&frame, 4) != 0;
            if is_commit {
                found.pages = frames;
                found.transactions += 1;
            }
        }
        Ok(found)
    }
}

/// The header of the log's index. The index is a file, so it survives a kill.
struct WalIndex {
    salt: [u8; 8],
    /// Pages in the log.
    pages: u32,
    /// Pages that checkpoints have copied into the database.
    copied: u32,
}

impl WalIndex {
    fn read(bytes: &[u8]) -> Option<Self> {
        let native = |at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        // Two copies of the header come first, then the state of the checkpoint.
        let is_whole = bytes.get(..48)? == bytes.get(48..96)? && bytes.get(12) == Some(&1);
        let salt = bytes.get(32..40)?.try_into().ok()?;
        is_whole.then_some(Self { salt, pages: native(16)?, copied: native(96)? })
    }
}

/// The log's running checksum.
struct Checksum {
    is_big_endian: bool,
    sums: (u32, u32),
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let read = |at: usize| {
                let word = word(pair, at);
                if self.is_big_endian { word } else { word.swap_bytes() }
            };
            let (first, second) = (read(0), read(4));
            self.sums.0 = self.sums.0.wrapping_add(first).wrapping_add(self.sums.1);
            self.sums.1 = self.sums.1.wrapping_add(second).wrapping_add(self.sums.0);
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_be_bytes)
}

/// Fills `buffer`; false if the reader ends before.
fn fill_buffer(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
