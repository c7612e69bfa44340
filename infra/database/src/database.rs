//! The database: its connections, and the group commit of its writes.
//!
//! Writes wait in one queue. The caller that finds no other one at work commits all that wait in one transaction of SQLite,
//! its own among them, and answers each. Under load, a commit is thus shared. A lone caller waits for nobody.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::available_parallelism;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use tables::Key;
use tables::item::Item;
use tables::outcome::WriteOutcome;
use tables::query::{QueryResult, TableIndex, TableQuery};
use tables::write::Write;
use tokio::sync::oneshot;
use tokio::task::yield_now;

use crate::commit::{Job, Kind, commit};
use crate::error::{Error, Result};
use crate::log_file;
use crate::reads::{self, Page, Scan, SortBound};
use crate::schema::{TableSchema, Tables};
use crate::tokens::Tokens;
use crate::units::{self, item_size};
use crate::upgrade;
use crate::writes::{Consumed, Written};

/// The most writes that share a commit, so that none waits long.
const MAX_GROUP: usize = 256;
/// The size of the pages of a new file. A commit writes whole pages, and most of what it changes in them is small: with
/// pages of 4096 bytes, it writes 2.6 times as many bytes, and a read takes hardly less.
const PAGE_BYTES: u32 = 1024;
/// How long writers wait for reads when the log begins anew. A backup by another process reads for seconds, and is not waited for:
/// the log grows meanwhile.
const WAIT_FOR_READS: Duration = Duration::from_millis(50);
/// How many statements a connection keeps prepared.
const STATEMENTS: usize = 256;

pub struct Options {
    /// The file; without one, the data is in memory.
    pub file: Option<PathBuf>,
    /// Whether the file has data. Then one without tables is damaged.
    pub is_used: bool,
    /// Whether each commit waits for the disk. Otherwise a commit survives the process, but not a power failure.
    pub waits_for_disk: bool,
    /// Whether writes report the units that they consume.
    pub count_units: bool,
}

struct Shared {
    tables: Tables,
    /// In memory, the writer is the only reader too: SQLite gives others no consistent view.
    writer: Arc<Mutex<Connection>>,
    readers: Vec<Arc<Mutex<Connection>>>,
    next_reader: AtomicUsize,
    waiting: Mutex<Vec<Job>>,
    /// Held by the caller that commits.
    committing: Mutex<Tokens>,
    /// The connection that merges the log beside the writer.
    maintainer: Arc<Mutex<Connection>>,
    file: Option<PathBuf>,
    waits_for_disk: bool,
}

#[derive(Clone)]
pub struct Database(Arc<Shared>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Database {
    /// Opens the database, and creates the tables and indexes that are missing.
    pub fn open(options: Options, schemas: impl IntoIterator<Item = TableSchema>) -> Result<Self> {
        let Options { file, is_used, waits_for_disk, count_units } = options;
        let connect = || -> Result<Connection> {
            let connection = match &file {
                None => Connection::open_in_memory()?,
                Some(file) => {
                    let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                    match log_file::register() {
                        Some(name) => Connection::open_with_flags_and_vfs(file, flags, name)?,
                        None => Connection::open_with_flags(file, flags)?,
                    }
                }
            };
            connection.set_prepared_statement_cache_capacity(STATEMENTS);
            if file.is_some() {
                connection.execute_batch(&format!("PRAGMA page_size = {PAGE_BYTES}; PRAGMA journal_mode = WAL;"))?;
            }
            connection.execute_batch(match waits_for_disk {
                true => "PRAGMA synchronous = FULL;",
                false => "PRAGMA synchronous = NORMAL;",
            })?;
            // The log is merged beside the calls, not by a commit.
            connection.execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -4000;")?;
            Ok(connection)
        };
        let writer = connect()?;
        writer.busy_timeout(WAIT_FOR_READS)?;
        let tables = Tables::new(schemas, count_units);
        if is_used && !upgrade::has_tables(&writer)? {
            return Err(Error::Damaged("it holds no tables"));
        }
        upgrade::create(&writer, &tables)?;
        let writer = Arc::new(Mutex::new(writer));
        let maintainer = if file.is_some() { Arc::new(Mutex::new(connect()?)) } else { writer.clone() };
        let mut readers = Vec::new();
        if file.is_some() {
            for _ in 0..available_parallelism().map_or(2, usize::from).clamp(2, 16) {
                let reader = connect()?;
                reader.execute_batch("PRAGMA query_only = ON;")?;
                readers.push(Arc::new(Mutex::new(reader)));
            }
        } else {
            readers.push(writer.clone());
        }
        Ok(Self(Arc::new(Shared {
            tables,
            writer,
            readers,
            next_reader: AtomicUsize::new(0),
            waiting: Mutex::default(),
            committing: Mutex::default(),
            maintainer,
            file,
            waits_for_disk,
        })))
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.0.tables
    }

    /// The item, and the units that the read consumed.
    pub fn get(&self, table: &str, key: &Key) -> Result<(Option<Item>, f64)> {
        let table = self.0.tables.get(table)?;
        let found = self.read(|connection| reads::get(connection, table, key))?.map(|stored| stored.item);
        let units = units::read(found.as_ref().map_or(0, item_size), true);
        Ok((found, units))
    }

    /// The items that exist under these keys, and the units that the reads consumed.
    pub fn batch_get(&self, table: &str, keys: &[Key]) -> Result<(Vec<Item>, f64)> {
        let table = self.0.tables.get(table)?;
        self.read(|connection| {
            let (mut items, mut consumed) = (Vec::with_capacity(keys.len()), 0.0);
            for key in keys {
                let found = reads::get(connection, table, key)?.map(|stored| stored.item);
                consumed += units::read(found.as_ref().map_or(0, item_size), true);
                items.extend(found);
            }
            Ok((items, consumed))
        })
    }

    /// One page, and the units that its read consumed.
    pub fn query(&self, table: &str, query: &TableQuery) -> Result<(QueryResult, f64)> {
        let (page, units) = self.query_between(table, query, &[])?;
        Ok((page.found, units))
    }

    /// One page of the items whose sort keys are within all bounds, and the units that its read consumed.
    pub(crate) fn query_between(&self, table: &str, query: &TableQuery, bounds: &[SortBound]) -> Result<(Page, f64)> {
        let table = self.0.tables.get(table)?;
        let page = self.read(|connection| reads::query(connection, table, query, bounds))?;
        let is_consistent = !matches!(query.index, Some(TableIndex::Global { .. }));
        let units = units::read(page.bytes, is_consistent);
        Ok((page, units))
    }

    /// One page of the whole table, and the units that its read consumed.
    pub(crate) fn scan(&self, table: &str, scan: &Scan) -> Result<(Page, f64)> {
        let table = self.0.tables.get(table)?;
        let page = self.read(|connection| reads::scan(connection, table, scan))?;
        let units = units::read(page.bytes, true);
        Ok((page, units))
    }

    /// Carries out all writes or none, and returns when they are stored.
    pub async fn write(&self, writes: Vec<Write>, kind: Kind) -> Result<(WriteOutcome, Consumed)> {
        let Written { refused, consumed, .. } = self.write_reporting(writes, kind).await?;
        let first = refused.into_iter().next().map(|(_, refused)| refused);
        Ok((first.map_or(WriteOutcome::Written, WriteOutcome::Refused), consumed))
    }

    /// Like [`Database::write`], and reports each refused write and each item.
    pub(crate) async fn write_reporting(&self, writes: Vec<Write>, kind: Kind) -> Result<Written> {
        let (outcome, answer) = oneshot::channel();
        lock(&self.0.waiting).push(Job { writes, kind, outcome });
        if self.0.waits_for_disk {
            let database = self.clone();
            tokio::task::spawn_blocking(move || database.commit_waiting());
        } else {
            // The other tasks that are ready may add their writes. On one core, each commit would otherwise have one write.
            yield_now().await;
            self.commit_waiting();
        }
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Commits what waits, unless another caller is at it: that one commits this too.
    fn commit_waiting(&self) {
        if !self.commit_group() || lock(&self.0.waiting).is_empty() {
            return;
        }
        // The caller's own write is done. What has arrived since then must not make it wait.
        let database = self.clone();
        let rest = move || while database.commit_group() && !lock(&database.0.waiting).is_empty() {};
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if self.0.waits_for_disk => drop(runtime.spawn_blocking(rest)),
            Ok(runtime) => drop(runtime.spawn(async move { rest() })),
            Err(_) => rest(),
        }
    }

    /// Commits one group. Returns false if another caller commits.
    fn commit_group(&self) -> bool {
        let mut tokens = match self.0.committing.try_lock() {
            Ok(tokens) => tokens,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let jobs: Vec<Job> = {
            let mut waiting = lock(&self.0.waiting);
            let size = waiting.len().min(MAX_GROUP);
            // A caller that was dropped before its turn has written nothing.
            waiting.drain(..size).filter(|job| !job.outcome.is_closed()).collect()
        };
        if !jobs.is_empty() {
            self.with_writer(|connection| commit(connection, &self.0.tables, &mut tokens, jobs));
        }
        true
    }

    pub(crate) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let readers = &self.0.readers;
        let first = self.0.next_reader.fetch_add(1, Ordering::Relaxed);
        let at = |offset: usize| &readers[(first + offset) % readers.len()];
        let free = (0..readers.len()).find_map(|offset| at(offset).try_lock().ok());
        read(&free.unwrap_or_else(|| lock(at(0))))
    }

    pub(crate) fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// Uses a connection that neither reads nor writes items.
    pub(crate) fn with_maintainer<T>(&self, use_it: impl FnOnce(&Connection) -> T) -> T {
        use_it(&lock(&self.0.maintainer))
    }

    /// A text that [`Database::set_tag`] has stored.
    pub fn tag(&self, name: &str) -> Result<Option<String>> {
        self.read(|connection| upgrade::tag(connection, name))
    }

    /// Stores a text about the whole database.
    pub fn set_tag(&self, name: &str, text: &str) -> Result<()> {
        self.with_writer(|connection| upgrade::set_tag(connection, name, text))
    }

    pub(crate) fn with_writer<T>(&self, use_it: impl FnOnce(&Connection) -> T) -> T {
        use_it(&lock(&self.0.writer))
    }
}
