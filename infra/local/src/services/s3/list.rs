//! The objects of a bucket in the order of their keys.

use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Component, Path};

use s3s::dto::{Object, Timestamp};

pub struct Page {
    pub objects: Vec<Object>,
    pub has_more: bool,
}

/// Lists the first `size` objects whose keys begin with a prefix and come after another key. It reads only the folders that can have
/// such objects.
pub fn list(bucket: &Path, prefix: &str, after: &str, size: usize) -> io::Result<Page> {
    let mut walk = Walk { bucket, prefix, after, objects: Vec::new(), wanted: size + 1 };
    let folder = prefix.rfind('/').map_or("", |end| &prefix[..=end]);
    if is_within_bucket(folder) {
        walk.visit(folder)?;
    }
    let mut objects = walk.objects;
    let has_more = objects.len() > size;
    objects.truncate(size);
    Ok(Page { objects, has_more })
}

/// Whether a key has no part such as `..`, which leads elsewhere.
pub fn is_within_bucket(key: &str) -> bool {
    Path::new(key).components().all(|part| matches!(part, Component::Normal(_)))
}

struct Walk<'a> {
    bucket: &'a Path,
    prefix: &'a str,
    after: &'a str,
    objects: Vec<Object>,
    wanted: usize,
}

impl Walk<'_> {
    /// Visits a folder. Its key is empty, or ends with a slash.
    fn visit(&mut self, folder: &str) -> io::Result<()> {
        let Some(entries) = unless_gone(std::fs::read_dir(self.bucket.join(folder)))? else { return Ok(()) };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            // Keys are text, and a folder's name counts with its slash: `a.txt` comes before `a/b`.
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let is_folder = entry.file_type()?.is_dir();
            let key = format!("{folder}{name}{}", if is_folder { "/" } else { "" });
            if self.may_have(&key, is_folder) {
                found.push((key, is_folder, entry));
            }
        }
        found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        for (key, is_folder, entry) in found {
            if self.objects.len() == self.wanted {
                break;
            }
            if is_folder {
                self.visit(&key)?;
            } else if let Some(metadata) = unless_gone(DirEntry::metadata(&entry))? {
                self.objects.push(object(key, &metadata)?);
            }
        }
        Ok(())
    }

    /// Whether the list has the object, or may have one of the folder.
    fn may_have(&self, key: &str, is_folder: bool) -> bool {
        let begins = key.starts_with(self.prefix) || (is_folder && self.prefix.starts_with(key));
        begins && (key > self.after || (is_folder && self.after.starts_with(key)))
    }
}

fn object(key: String, metadata: &Metadata) -> io::Result<Object> {
    Ok(Object {
        key: Some(key),
        last_modified: Some(Timestamp::from(metadata.modified()?)),
        size: i64::try_from(metadata.len()).ok(),
        ..Object::default()
    })
}

/// None if the file or the folder does not exist: another request may have deleted it, and what a prefix names may be no folder.
pub fn unless_gone<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        read => read.map(Some),
    }
}
