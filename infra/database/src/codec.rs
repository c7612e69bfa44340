//! Items as bytes. An item is stored without its key, which the columns of its row hold.
//!
//! A value is a tag and its content. A length is a varint, and a text is its length and its UTF-8 bytes.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use tables::Key;
use tables::item::Item;

use crate::error::{Error, Result};

/// The version of the format: the first byte of each item.
const VERSION: u8 = 1;

const TEXT: u8 = b'S';
const NUMBER: u8 = b'N';
const BYTES: u8 = b'B';
const TRUE: u8 = b'T';
const FALSE: u8 = b'F';
const NULL: u8 = b'0';
const LIST: u8 = b'L';
const MAP: u8 = b'M';
const TEXTS: u8 = b's';
const NUMBERS: u8 = b'n';
const BLOBS: u8 = b'b';

/// The bytes of an item without its key.
pub fn encode(item: &Item) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(512);
    bytes.push(VERSION);
    let fields = || item.iter().filter(|(name, _)| *name != Key::PK && *name != Key::SK);
    put_length(&mut bytes, fields().count());
    for (name, value) in fields() {
        put_text(&mut bytes, name.as_bytes());
        put_value(&mut bytes, value)?;
    }
    Ok(bytes)
}

/// The item with its key.
pub fn decode(key: Key, bytes: &[u8]) -> Result<Item> {
    let mut reader = Reader(bytes);
    if reader.byte()? != VERSION {
        return Err(Error::Damaged("the format of an item is unknown"));
    }
    let count = reader.length()?;
    // Each field takes a byte at least, so a damaged count allocates little.
    let mut item = Item::with_capacity(count.min(bytes.len()) + 2);
    item.insert(Key::PK.to_owned(), AttributeValue::S(key.pk));
    item.insert(Key::SK.to_owned(), AttributeValue::S(key.sk));
    for _ in 0..count {
        item.insert(reader.text()?, reader.value()?);
    }
    Ok(item)
}

fn put_length(bytes: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
}

fn put_text(bytes: &mut Vec<u8>, text: &[u8]) {
    put_length(bytes, text.len());
    bytes.extend_from_slice(text);
}

fn put_texts<'a>(bytes: &mut Vec<u8>, tag: u8, texts: impl ExactSizeIterator<Item = &'a [u8]>) {
    bytes.push(tag);
    put_length(bytes, texts.len());
    texts.for_each(|text| put_text(bytes, text));
}

fn put_value(bytes: &mut Vec<u8>, value: &AttributeValue) -> Result<()> {
    let mut tagged = |tag, content: &[u8]| {
        bytes.push(tag);
        put_text(bytes, content);
    };
    match value {
        AttributeValue::S(text) => tagged(TEXT, text.as_bytes()),
        AttributeValue::N(number) => tagged(NUMBER, number.as_bytes()),
        AttributeValue::B(blob) => tagged(BYTES, blob.as_ref()),
        AttributeValue::Bool(is_true) => bytes.push(if *is_true { TRUE } else { FALSE }),
        AttributeValue::Null(_) => bytes.push(NULL),
        AttributeValue::L(items) => {
            bytes.push(LIST);
            put_length(bytes, items.len());
            for item in items {
                put_value(bytes, item)?;
            }
        }
        AttributeValue::M(fields) => {
            bytes.push(MAP);
            put_length(bytes, fields.len());
            for (name, field) in fields {
                put_text(bytes, name.as_bytes());
                put_value(bytes, field)?;
            }
        }
        AttributeValue::Ss(texts) => put_texts(bytes, TEXTS, texts.iter().map(String::as_bytes)),
        AttributeValue::Ns(numbers) => put_texts(bytes, NUMBERS, numbers.iter().map(String::as_bytes)),
        AttributeValue::Bs(blobs) => put_texts(bytes, BLOBS, blobs.iter().map(AsRef::as_ref)),
        _ => return Err(Error::invalid("the type of a value is unknown")),
    }
    Ok(())
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().ok_or(Error::Damaged("an item is cut off"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn length(&mut self) -> Result<usize> {
        let mut length = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let byte = self.byte()?;
            length |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(length);
            }
        }
        Err(Error::Damaged("a length in an item is too large"))
    }

    fn bytes(&mut self) -> Result<&'b [u8]> {
        let length = self.length()?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(Error::Damaged("an item is cut off"))?;
        self.0 = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<String> {
        let text = std::str::from_utf8(self.bytes()?).map_err(|_| Error::Damaged("a text in an item is no UTF-8"))?;
        Ok(text.to_owned())
    }

    /// As many values as the length says. Each takes a byte at least, so a damaged length allocates little.
    fn many<T>(&mut self, read: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.length()?;
        let mut found = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            found.push(read(self)?);
        }
        Ok(found)
    }

    fn value(&mut self) -> Result<AttributeValue> {
        Ok(match self.byte()? {
            TEXT => AttributeValue::S(self.text()?),
            NUMBER => AttributeValue::N(self.text()?),
            BYTES => AttributeValue::B(Blob::new(self.bytes()?)),
            TRUE => AttributeValue::Bool(true),
            FALSE => AttributeValue::Bool(false),
            NULL => AttributeValue::Null(true),
            LIST => AttributeValue::L(self.many(Self::value)?),
            MAP => AttributeValue::M(self.many(|reader| Ok((reader.text()?, reader.value()?)))?.into_iter().collect()),
            TEXTS => AttributeValue::Ss(self.many(Self::text)?),
            NUMBERS => AttributeValue::Ns(self.many(Self::text)?),
            BLOBS => AttributeValue::Bs(self.many(|reader| Ok(Blob::new(reader.bytes()?)))?),
            _ => return Err(Error::Damaged("the type of a value in an item is unknown")),
        })
    }
}
