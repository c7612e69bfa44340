//! Splits a document into parts: at the last paragraph that fits, or else at a line, a word or a character.

use super::MAX_PARTS;
use super::dialects::Dialect;
use super::document::{Atom, Document};
use super::marks::Mark;

/// Shows that the rest of the text was cut.
const CUT: char = '…';
/// The maximum number of characters that a break moves back so that it does not divide an emoji or an accented letter.
const MAX_JOINED: usize = 16;

pub fn split(document: &Document, dialect: &dyn Dialect) -> Vec<String> {
    let atoms = &document.atoms;
    let (mut parts, mut at) = (Vec::new(), skip_blank(document, 0));
    while at < atoms.len() && parts.len() < MAX_PARTS {
        let end = find_end(document, dialect, at);
        let next = skip_blank(document, end);
        let is_cut = parts.len() + 1 == MAX_PARTS && next < atoms.len();
        let part = write(document, dialect, &atoms[at..end], is_cut);
        // A part without visible text would be refused.
        if atoms[at..end].iter().any(|atom| !atom.char.is_whitespace()) {
            parts.push(part);
        }
        at = next;
    }
    parts
}

/// The end of the part that starts at `start`.
fn find_end(document: &Document, dialect: &dyn Dialect, start: usize) -> usize {
    let atoms = &document.atoms;
    // One unit is left for the sign that the rest was cut.
    let limit = dialect.limit() - 1;
    let (mut length, mut closing) = (0, 0);
    let (mut paragraph, mut line, mut word) = (start, start, start);
    let mut scratch = String::new();
    for at in start..atoms.len() {
        let atom = atoms[at];
        match atom.char {
            '\n' if atoms.get(at + 1).is_some_and(|next| next.char == '\n') => paragraph = at,
            '\n' => line = at,
            ' ' | '\t' => word = at,
            _ => {}
        }
        scratch.clear();
        let previous = if at == start { None } else { Some(atoms[at - 1]) };
        if previous.is_none_or(|previous| !document.has_same_marks(previous, atom)) {
            let before = previous.map_or(&[][..], |previous| document.marks(previous));
            write_change(dialect, before, document.marks(atom), &mut scratch);
            closing = document.marks(atom).iter().map(|mark| dialect.length(&dialect.close(mark))).sum();
        }
        dialect.write(atom.char, document.marks(atom), &mut scratch);
        length += dialect.length(&scratch);
        if length + closing > limit {
            // An early break would leave a short part.
            let half = start + (at - start) / 2;
            let boundary = [paragraph, line, word].into_iter().find(|boundary| *boundary > half);
            return boundary.unwrap_or_else(|| whole_character(atoms, at)).max(start + 1);
        }
    }
    atoms.len()
}

/// Moves a break back to the start of the character that a reader sees.
fn whole_character(atoms: &[Atom], at: usize) -> usize {
    const JOINER: char = '\u{200D}';
    let is_joined = |at: usize| {
        let continues = matches!(atoms[at].char, JOINER | '\u{300}'..='\u{36F}' | '\u{FE0E}' | '\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}');
        at > 0 && (continues || atoms[at - 1].char == JOINER)
    };
    let start = (at.saturating_sub(MAX_JOINED)..=at).rev().find(|&start| !is_joined(start));
    start.unwrap_or(at)
}

/// Skips the line breaks and the spaces at the start of a part, except for the indentation of code.
fn skip_blank(document: &Document, start: usize) -> usize {
    let mut next = start;
    for (at, atom) in document.atoms.iter().enumerate().skip(start) {
        match atom.char {
            '\n' => next = at + 1,
            ' ' | '\t' if document.is_in_block(*atom) => {}
            ' ' | '\t' => next = at + 1,
            _ => break,
        }
    }
    next
}

fn write(document: &Document, dialect: &dyn Dialect, atoms: &[Atom], is_cut: bool) -> String {
    let end = atoms.iter().rposition(|atom| !atom.char.is_whitespace()).map_or(0, |last| last + 1);
    let (mut text, mut open): (String, &[Mark]) = (String::new(), &[]);
    for atom in &atoms[..end] {
        let marks = document.marks(*atom);
        write_change(dialect, open, marks, &mut text);
        dialect.write(atom.char, marks, &mut text);
        open = marks;
    }
    if is_cut {
        text.push(CUT);
    }
    write_change(dialect, open, &[], &mut text);
    text
}

/// Closes and opens marks between two characters.
fn write_change(dialect: &dyn Dialect, before: &[Mark], after: &[Mark], text: &mut String) {
    let same = before.iter().zip(after).take_while(|(before, after)| before == after).count();
    for mark in before[same..].iter().rev() {
        text.push_str(&dialect.close(mark));
    }
    for mark in &after[same..] {
        text.push_str(&dialect.open(mark));
    }
}
