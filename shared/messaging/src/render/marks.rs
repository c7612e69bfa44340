//! The formatting of a character: the marks around it, the outermost first.

use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    Quote,
    Bold,
    Italic,
    Strike,
    /// The URL.
    Link(Rc<str>),
    Code,
    /// A code block with its language, which may be empty.
    Block(Rc<str>),
}

/// The marks that are open while Markdown is read. Markdown may nest equal marks, which count once.
#[derive(Default)]
pub struct OpenMarks {
    marks: Vec<Mark>,
    /// How many further times a mark was opened within itself, in the order of `marks`.
    repeated: Vec<usize>,
}

impl OpenMarks {
    pub fn open(&mut self, mark: Mark) {
        match self.position(&mark) {
            Some(at) => self.repeated[at] += 1,
            None => {
                self.marks.push(mark);
                self.repeated.push(0);
            }
        }
    }

    /// Closes the mark of the same kind.
    pub fn close(&mut self, mark: &Mark) {
        match self.position(mark) {
            Some(at) if self.repeated[at] > 0 => self.repeated[at] -= 1,
            Some(at) => {
                self.marks.remove(at);
                self.repeated.remove(at);
            }
            None => {}
        }
    }

    fn position(&self, mark: &Mark) -> Option<usize> {
        self.marks.iter().position(|open| std::mem::discriminant(open) == std::mem::discriminant(mark))
    }

    /// The marks of the next character. The providers know no formatting within code blocks and within links.
    pub fn effective(&self) -> Vec<Mark> {
        if let Some(block) = self.marks.iter().find(|mark| matches!(mark, Mark::Block(_))) {
            return vec![block.clone()];
        }
        let link = self.marks.iter().position(|mark| matches!(mark, Mark::Link(_)));
        self.marks[..link.map_or(self.marks.len(), |link| link + 1)].to_vec()
    }

    /// The marks of a line break between blocks: only a quote continues over it.
    pub fn quote(&self) -> Vec<Mark> {
        self.marks.iter().filter(|mark| **mark == Mark::Quote).cloned().collect()
    }
}
