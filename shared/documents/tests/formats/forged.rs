//! Files that no honest program writes, made of their parts.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compress, Compression, FlushCompress};

/// A file with these objects, numbered from 1. The first one is the catalogue.
pub fn pdf(objects: &[String]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let start = file.len();
    let entries: String = offsets.iter().map(|offset| format!("{offset:010} 00000 n \n")).collect();
    let size = objects.len() + 1;
    file.extend(
        format!(
            "xref\n0 {size}\n0000000000 65535 f \n{entries}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF"
        )
        .bytes(),
    );
    file
}

pub fn sheet(dimension: &str, rows: &str) -> Vec<u8> {
    format!(r#"<worksheet><dimension ref="{dimension}"/><sheetData>{rows}</sheetData></worksheet>"#).into_bytes()
}

pub enum Part {
    Plain(Vec<u8>),
    /// A beginning, and this many megabytes of spaces.
    Bomb(Vec<u8>, usize),
}

pub fn workbook(sheet: &[u8], strings: &[u8]) -> Vec<u8> {
    workbook_of(sheet, Part::Plain(strings.to_vec()))
}

pub fn workbook_of(sheet: &[u8], strings: Part) -> Vec<u8> {
    const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let book = format!(
        r#"<workbook xmlns:r="{RELATIONS}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>"#
    );
    let relations = format!(
        r#"<Relationships><Relationship Id="r1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#
    );
    let package = format!(
        r#"<Relationships><Relationship Id="r1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
    );
    zip(&[
        ("_rels/.rels", Part::Plain(package.into_bytes())),
        ("xl/workbook.xml", Part::Plain(book.into_bytes())),
        ("xl/_rels/workbook.xml.rels", Part::Plain(relations.into_bytes())),
        ("xl/worksheets/sheet1.xml", Part::Plain(sheet.to_vec())),
        ("xl/sharedStrings.xml", strings),
    ])
}

/// A ZIP file. Its checksums are right, except those of bombs, which nobody reads to the end.
fn zip(parts: &[(&str, Part)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, part) in parts {
        let (packed, checksum, size) = match part {
            Part::Plain(bytes) => (deflate(bytes), crc32fast::hash(bytes), bytes.len()),
            Part::Bomb(start, megabytes) => (deflate_bomb(start, *megabytes), 0, start.len() + (megabytes << 20)),
        };
        let mut entry = Vec::new();
        for half in [20_u16, 0, 8, 0, 0] {
            entry.extend(half.to_le_bytes());
        }
        for word in [checksum, packed.len() as u32, size as u32] {
            entry.extend(word.to_le_bytes());
        }
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend(0_u16.to_le_bytes());
        let offset = file.len() as u32;
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&entry);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.bytes());
        file.extend(b"PK\x03\x04");
        file.extend(entry);
        file.extend(name.bytes());
        file.extend(packed);
    }
    let (start, count) = (file.len() as u32, parts.len() as u16);
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    file.extend([(directory.len() as u32).to_le_bytes(), start.to_le_bytes()].concat());
    file.extend([0, 0]);
    file
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A block that ends at a whole byte can be repeated.
pub fn deflate_bomb(start: &[u8], megabytes: usize) -> Vec<u8> {
    let block = |bytes: &[u8]| {
        let mut packed = Vec::with_capacity(64 << 10);
        Compress::new(Compression::best(), false).compress_vec(bytes, &mut packed, FlushCompress::Full).unwrap();
        packed
    };
    let mut packed = block(start);
    packed.extend(block(&vec![b' '; 1 << 20]).repeat(megabytes));
    packed.extend(deflate(b""));
    packed
}
