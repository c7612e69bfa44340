//! Tables. No provider has them, so they become text with aligned columns, in a code block.

/// Wider columns are not aligned.
const MAX_COLUMN_CHARS: usize = 30;

#[derive(Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn start_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub fn start_cell(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.push(String::new());
        }
    }

    /// The text of the current cell.
    pub fn cell(&self) -> &str {
        self.rows.last().and_then(|row| row.last()).map(String::as_str).unwrap_or_default()
    }

    pub fn write_text(&mut self, text: &str) {
        if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut()) {
            cell.push_str(&text.replace('\n', " "));
        }
    }

    /// The lines of the table. The first row is its header.
    pub fn write(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let chars = |row: &Vec<String>, column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.rows.iter().map(|row| chars(row, column)).max().unwrap_or_default().min(MAX_COLUMN_CHARS)
            })
            .collect();
        let mut lines: Vec<String> = self.rows.iter().map(|row| write_row(row, &widths)).collect();
        if lines.len() > 1 {
            let rule: Vec<_> = widths.iter().map(|width| "-".repeat((*width).max(1))).collect();
            lines.insert(1, rule.join("-+-"));
        }
        lines.join("\n")
    }
}

fn write_row(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).map(|(cell, &width)| format!("{cell:width$}"));
    cells.collect::<Vec<_>>().join(" | ").trim_end().to_owned()
}
