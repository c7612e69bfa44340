//! The format of a backup: a tar file, whose last entry has the SHA-256 of all before it. `tar -xf` reads it too. It is not compressed:
//! a program of the user's choice can do that.

use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, Write};
use std::path::Path;

use domain::text::hex;
use ring::digest::{Context, SHA256};
use tar::{Archive, Builder, EntryType, Header};

use super::Contents;

/// The last entry.
const CHECKSUM: &str = "atelier-backup.sha256";
/// More than the first and the last entry have.
const MAX_TEXT_BYTES: u64 = 1 << 16;

pub struct Writer<W: Write> {
    tar: Builder<Hashed<W>>,
    contents: Contents,
}

/// Hashes what is written.
struct Hashed<W> {
    out: W,
    digest: Context,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Writer<W> {
    pub fn new(out: W) -> Self {
        let mut tar = Builder::new(Hashed { out, digest: Context::new(&SHA256) });
        tar.follow_symlinks(false);
        Self { tar, contents: Contents::default() }
    }

    pub fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        self.tar.append_data(&mut header, name, bytes)
    }

    /// Adds a file or a folder, and nothing if there is none.
    pub fn add(&mut self, folder: &Path, name: &str) -> io::Result<()> {
        self.add_path(&folder.join(name), Path::new(name))
    }

    fn add_path(&mut self, path: &Path, name: &Path) -> io::Result<()> {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let kind = found.file_type();
        if kind.is_dir() {
            self.tar.append_dir(name, path)?;
            let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
            entries.sort_by_key(fs::DirEntry::file_name);
            return entries.iter().try_for_each(|entry| self.add_path(&entry.path(), &name.join(entry.file_name())));
        }
        if kind.is_file() {
            return self.add_file(path, name);
        }
        if kind.is_symlink() {
            let mut header = Header::new_gnu();
            header.set_metadata(&found);
            header.set_size(0);
            return self.tar.append_link(&mut header, name, fs::read_link(path)?);
        }
        // Sockets and pipes belong to programs that run now.
        Ok(())
    }

    fn add_file(&mut self, path: &Path, name: &Path) -> io::Result<()> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let size = metadata.len();
        let mut header = Header::new_gnu();
        header.set_metadata(&metadata);
        // The program of a workbench may change the file meanwhile. The entry has the size that it had.
        let content = file.chain(io::repeat(0)).take(size);
        self.tar.append_data(&mut header, name, content)?;
        self.contents.files += 1;
        self.contents.bytes += size;
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<(Contents, W)> {
        let checksum = hex(self.tar.get_ref().digest.clone().finish().as_ref());
        self.add_bytes(CHECKSUM, checksum.as_bytes())?;
        let mut out = self.tar.into_inner()?.out;
        out.flush()?;
        Ok((self.contents, out))
    }
}

/// Checks that the file is whole, and returns the content of its first entry if that has the name `first`.
pub fn check(file: &File, first: &str) -> io::Result<Option<String>> {
    let mut archive = Archive::new(file);
    let (mut content, mut checksum) = (None, None);
    for (number, entry) in archive.entries_with_seek()?.enumerate() {
        let entry = entry?;
        let path = entry.path()?.into_owned();
        if number == 0 && path == Path::new(first) {
            content = Some(read_text(entry)?);
        } else if path == Path::new(CHECKSUM) {
            checksum = Some((entry.raw_header_position(), read_text(entry)?));
        }
    }
    let Some((length, expected)) = checksum else { return Err(invalid("its end is missing")) };
    let (mut file, mut digest) = (file, Context::new(&SHA256));
    file.rewind()?;
    let (mut hashed, mut buffer) = (file.take(length), vec![0; 1 << 20]);
    loop {
        match hashed.read(&mut buffer)? {
            0 => break,
            count => digest.update(&buffer[..count]),
        }
    }
    if hex(digest.finish().as_ref()) == expected { Ok(content) } else { Err(invalid("its checksum is wrong")) }
}

fn read_text(entry: impl Read) -> io::Result<String> {
    let mut text = String::new();
    entry.take(MAX_TEXT_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn invalid(cause: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, cause.into())
}

/// Unpacks the entries that are expected, and fails at others. The one with the name `first` counts for nothing.
pub fn unpack(file: &File, folder: &Path, first: &str, is_expected: impl Fn(&Path) -> bool) -> io::Result<Contents> {
    let mut from = file;
    from.rewind()?;
    let mut archive = Archive::new(BufReader::new(from));
    archive.set_preserve_permissions(true);
    let mut contents = Contents::default();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        if path == Path::new(CHECKSUM) {
            break;
        }
        let kind = entry.header().entry_type();
        if !is_expected(&path) || !matches!(kind, EntryType::Regular | EntryType::Directory | EntryType::Symlink) {
            return Err(invalid(format!("it has an unknown entry {}", path.display())));
        }
        if !entry.unpack_in(folder)? {
            return Err(invalid(format!("{} leads out of the folder", path.display())));
        }
        if kind == EntryType::Regular && path != Path::new(first) {
            contents.files += 1;
            contents.bytes += entry.size();
        }
    }
    Ok(contents)
}
