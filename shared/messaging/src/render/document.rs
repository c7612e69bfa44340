//! A text with formatting: its characters, each with marks.

use super::marks::Mark;

#[derive(Default)]
pub struct Document {
    pub atoms: Vec<Atom>,
    stacks: Vec<Vec<Mark>>,
}

#[derive(Clone, Copy)]
pub struct Atom {
    pub char: char,
    /// The index of its marks.
    stack: usize,
}

impl Document {
    pub fn push(&mut self, text: &str, marks: &[Mark]) {
        if self.stacks.last().is_none_or(|last| last != marks) {
            self.stacks.push(marks.to_vec());
        }
        let stack = self.stacks.len() - 1;
        // Providers refuse control characters or show them as boxes.
        let shown = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
        self.atoms.extend(shown.map(|char| Atom { char, stack }));
    }

    pub fn marks(&self, atom: Atom) -> &[Mark] {
        &self.stacks[atom.stack]
    }

    pub fn has_same_marks(&self, one: Atom, other: Atom) -> bool {
        one.stack == other.stack
    }

    pub fn is_in_block(&self, atom: Atom) -> bool {
        matches!(self.marks(atom), [Mark::Block(_), ..])
    }

    /// The marks of a line break before the next text: a quote continues only if the previous text is in it, too.
    pub fn continued_quote(&self, next: &[Mark]) -> Vec<Mark> {
        let is_quoted = self.atoms.last().is_some_and(|last| self.marks(*last).first() == Some(&Mark::Quote));
        if is_quoted { next.to_vec() } else { Vec::new() }
    }

    /// Removes the innermost mark, which is a link, from the end of the text.
    pub fn remove_link(&mut self, start: usize) {
        let Some(last) = self.atoms.last() else { return };
        let mut marks = self.marks(*last).to_vec();
        marks.pop();
        self.stacks.push(marks);
        let stack = self.stacks.len() - 1;
        self.atoms[start..].iter_mut().for_each(|atom| atom.stack = stack);
    }

    /// Removes the line break at the end of a code block.
    pub fn remove_last_line_break(&mut self) {
        self.atoms.pop_if(|atom| atom.char == '\n');
    }

    /// Whether the text ends with a line break, or is empty.
    pub fn ends_line(&self) -> bool {
        self.atoms.last().is_none_or(|atom| atom.char == '\n')
    }
}
