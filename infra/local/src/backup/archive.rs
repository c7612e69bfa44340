//! The format of a backup: a tar file, compressed by gzip, whose checksum tells whether it is complete. `tar -xzf` reads it too.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType};

use super::Contents;

pub struct Writer<W: Write> {
    tar: Builder<GzEncoder<W>>,
    contents: Contents,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W) -> Self {
        let mut tar = Builder::new(GzEncoder::new(out, Compression::fast()));
        tar.follow_symlinks(false);
        Self { tar, contents: Contents::default() }
    }

    pub fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut header = tar::Header::new_gnu();
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
            let mut header = tar::Header::new_gnu();
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
        let mut header = tar::Header::new_gnu();
        header.set_metadata(&metadata);
        // The program of a workbench may change the file meanwhile. The entry has the size that it had.
        let content = file.chain(io::repeat(0)).take(size);
        self.tar.append_data(&mut header, name, content)?;
        self.contents.files += 1;
        self.contents.bytes += size;
        Ok(())
    }

    pub fn finish(self) -> io::Result<(Contents, W)> {
        let mut out = self.tar.into_inner()?.finish()?;
        out.flush()?;
        Ok((self.contents, out))
    }
}

/// Reads the bytes of the first entry if it has this name.
pub fn read_first(from: impl Read, name: &str) -> io::Result<Option<Vec<u8>>> {
    let mut archive = Archive::new(GzDecoder::new(from));
    let Some(entry) = archive.entries()?.next() else { return Ok(None) };
    let entry = entry?;
    if entry.path()? != Path::new(name) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    entry.take(1 << 16).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Unpacks the entries whose first folders are `expected`. The end of the file is read too, so that a part of a backup is no backup.
pub fn unpack(from: impl Read, folder: &Path, expected: impl Fn(&Path) -> bool) -> io::Result<Contents> {
    let mut archive = Archive::new(GzDecoder::new(from));
    archive.set_preserve_mtime(true);
    archive.set_preserve_permissions(true);
    let mut contents = Contents::default();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let kind = entry.header().entry_type();
        if !expected(&path) || !matches!(kind, EntryType::Regular | EntryType::Directory | EntryType::Symlink) {
            return Err(io::Error::new(ErrorKind::InvalidData, format!("it has an unknown entry {}", path.display())));
        }
        if !entry.unpack_in(folder)? {
            return Err(io::Error::new(ErrorKind::InvalidData, format!("{} leads out of the folder", path.display())));
        }
        if kind == EntryType::Regular {
            contents.files += 1;
            contents.bytes += entry.size();
        }
    }
    io::copy(&mut archive.into_inner(), &mut io::sink())?;
    Ok(contents)
}
