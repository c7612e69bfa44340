//! Writes XLSX: one sheet. A text is never a formula there.

use domain::run::StepError;
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};

use super::grid::{Cell, Grid};
use super::{invalid, too_large};

const DEFAULT_SHEET: &str = "Sheet1";

pub fn write(grid: &Grid<'_>, sheet: Option<&str>) -> Result<Vec<u8>, StepError> {
    let name = sheet.map(str::trim).filter(|name| !name.is_empty()).unwrap_or(DEFAULT_SHEET);
    let mut worksheet = Worksheet::new();
    worksheet.set_name(name).map_err(|_| {
        invalid("format.sheet", "is not a name for a sheet; use at most 31 characters without [ ] : * ? / \\")
    })?;
    let mut row = 0;
    if let Some(names) = &grid.header {
        let bold = Format::new().set_bold();
        for (column, name) in names.iter().enumerate() {
            worksheet.write_string_with_format(row, to_column(column)?, *name, &bold).map_err(explain)?;
        }
        row += 1;
    }
    for cells in &grid.rows {
        for (column, cell) in cells.iter().enumerate() {
            write_cell(&mut worksheet, row, to_column(column)?, cell).map_err(explain)?;
        }
        row += 1;
    }
    let mut workbook = Workbook::new();
    workbook.push_worksheet(worksheet);
    workbook.save_to_buffer().map_err(explain)
}

fn write_cell(sheet: &mut Worksheet, row: u32, column: u16, cell: &Cell<'_>) -> Result<(), XlsxError> {
    match cell {
        Cell::Empty => return Ok(()),
        Cell::Bool(value) => sheet.write_boolean(row, column, *value)?,
        Cell::Number(number) => sheet.write_number(row, column, *number)?,
        Cell::Text(text) => sheet.write_string(row, column, text.as_ref())?,
    };
    Ok(())
}

fn to_column(index: usize) -> Result<u16, StepError> {
    index.try_into().map_err(|_| explain(XlsxError::RowColumnLimitError))
}

fn explain(error: XlsxError) -> StepError {
    match error {
        XlsxError::MaxStringLengthExceeded => {
            too_large("a text is longer than the 32,767 characters that fit in a cell")
        }
        XlsxError::RowColumnLimitError => too_large("a sheet has at most 1,048,576 rows and 16,384 columns"),
        _ => invalid("data", "cannot be written as XLSX"),
    }
}
