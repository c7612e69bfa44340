//! Long Markdown for receivers that render it themselves. Only its code blocks are recognized, so that a part does not
//! end within one.

use super::document::Document;
use super::marks::Mark;

/// The line that opens a code block is repeated in the next part, so a longer one is no fence here.
const MAX_FENCE_CHARS: usize = 200;

pub fn read(markdown: &str) -> Document {
    let mut document = Document::default();
    // The open code block: its fence, and its mark.
    let mut block: Option<(&str, Mark)> = None;
    let mut is_first_line_of_block = false;
    for line in markdown.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let fence = fence(content);
        match (&block, fence) {
            (None, Some(_)) if content.chars().count() <= MAX_FENCE_CHARS => {
                block = fence.map(|fence| (fence, Mark::Block(content.into())));
                is_first_line_of_block = true;
            }
            (Some((open, _)), Some(fence)) if fence.starts_with(open) && content.trim() == fence => {
                if is_first_line_of_block && let Some((_, mark)) = &block {
                    // An empty block has a line, so that it stays visible.
                    document.push("\u{200B}", std::slice::from_ref(mark));
                }
                block = None;
                document.push(&line[content.len()..], &[]);
            }
            (Some((_, mark)), _) => {
                // The line break before the closing fence belongs to the fence.
                if !is_first_line_of_block {
                    document.push("\n", std::slice::from_ref(mark));
                }
                document.push(content, std::slice::from_ref(mark));
                is_first_line_of_block = false;
            }
            (None, _) => document.push(line, &[]),
        }
    }
    document
}

/// The fence of a line that opens or closes a code block.
fn fence(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    let sign = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.chars().take_while(|c| *c == sign).count();
    (line.len() - text.len() <= 3 && length >= 3).then(|| &text[..length])
}
