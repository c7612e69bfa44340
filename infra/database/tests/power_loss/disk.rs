//! A disk that loses what was not synced. It knows the synced content of each file, and the changes since then; after a power
//! loss, each change is there, missing or torn, and a later one may be there without an earlier one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;

/// What a disk writes as a whole.
const SECTOR_BYTES: usize = 512;

/// The number of the last transaction of each writer that was acknowledged.
pub type Acknowledged = Arc<[AtomicU64]>;

/// The files of one folder.
pub struct Disk {
    files: BTreeMap<String, DiskFile>,
    random: Rng,
    acknowledged: Acknowledged,
    /// The power fails at one of this many changes.
    losses_every: u32,
    losses: Vec<PowerLoss>,
}

/// What a power loss left, and what had been acknowledged before.
pub struct PowerLoss {
    files: BTreeMap<String, Vec<u8>>,
    pub acknowledged: Vec<u64>,
}

#[derive(Default)]
struct DiskFile {
    synced: Vec<u8>,
    changes: Vec<DiskChange>,
}

pub enum DiskChange {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate(usize),
}

impl Disk {
    pub fn new(seed: u64, acknowledged: Acknowledged, losses_every: u32) -> Self {
        let random = Rng::with_seed(seed);
        Self { files: BTreeMap::new(), random, acknowledged, losses_every, losses: Vec::new() }
    }

    pub fn change(&mut self, file: &str, change: DiskChange) {
        self.files.entry(file.to_owned()).or_default().changes.push(change);
        self.maybe_lose_power();
    }

    /// The number of changes of a file since its last sync.
    pub fn count_changes(&self, file: &str) -> usize {
        self.files.get(file).map_or(0, |file| file.changes.len())
    }

    pub fn sync(&mut self, file: &str) {
        // The power may fail just before the sync.
        self.maybe_lose_power();
        let file = self.files.entry(file.to_owned()).or_default();
        for change in file.changes.drain(..) {
            change.apply(&mut file.synced);
        }
    }

    /// SQLite syncs the folder when it deletes a journal.
    pub fn delete(&mut self, file: &str) {
        self.files.remove(file);
    }

    /// The power losses until now, and one that loses all that is not synced now.
    pub fn take_losses(&mut self) -> Vec<PowerLoss> {
        self.lose_power(Fate::AllLost);
        std::mem::take(&mut self.losses)
    }

    /// Notes what the disk would have if the power failed now. The database goes on.
    fn maybe_lose_power(&mut self) {
        if self.losses_every > 0 && self.random.u32(0..self.losses_every) == 0 {
            let fate = Fate::ALL[self.random.usize(0..Fate::ALL.len())];
            self.lose_power(fate);
        }
    }

    fn lose_power(&mut self, fate: Fate) {
        let acknowledged = self.acknowledged.iter().map(|last| last.load(Ordering::SeqCst)).collect();
        let random = &mut self.random;
        let files = self.files.iter().map(|(name, file)| (name.clone(), file.after_loss(fate, random)));
        let files = files.collect();
        self.losses.push(PowerLoss { files, acknowledged });
    }
}

/// What happens to the changes that were not synced.
#[derive(Clone, Copy)]
enum Fate {
    AllLost,
    AllKept,
    /// Each is kept, lost or torn.
    Mixed,
}

impl Fate {
    const ALL: [Self; 5] = [Self::AllLost, Self::AllKept, Self::Mixed, Self::Mixed, Self::Mixed];
}

impl DiskFile {
    fn after_loss(&self, fate: Fate, random: &mut Rng) -> Vec<u8> {
        let mut content = self.synced.clone();
        for change in &self.changes {
            match (fate, random.u8(0..4)) {
                (Fate::AllLost, _) | (Fate::Mixed, 0) => {}
                (Fate::Mixed, 1) => change.tear(&mut content, random),
                _ => change.apply(&mut content),
            }
        }
        content
    }
}

impl DiskChange {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write { offset, bytes } => {
                let end = offset + bytes.len();
                content.resize(content.len().max(end), 0);
                content[*offset..end].copy_from_slice(bytes);
            }
            Self::Truncate(length) => content.resize(*length, 0),
        }
    }

    /// Writes some sectors only.
    fn tear(&self, content: &mut Vec<u8>, random: &mut Rng) {
        let Self::Write { offset, bytes } = self else { return };
        let first = offset / SECTOR_BYTES;
        for sector in first..=(offset + bytes.len()) / SECTOR_BYTES {
            let from = (sector * SECTOR_BYTES).max(*offset);
            let to = ((sector + 1) * SECTOR_BYTES).min(offset + bytes.len());
            if from < to && random.bool() {
                Self::Write { offset: from, bytes: bytes[from - offset..to - offset].to_vec() }.apply(content);
            }
        }
    }
}

impl PowerLoss {
    /// Writes the files that are left to a folder, and returns the path of the database.
    pub fn restore_to(&self, folder: &Path, database: &str) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        for (name, content) in &self.files {
            std::fs::write(folder.join(name), content).unwrap();
        }
        folder.join(database)
    }
}
