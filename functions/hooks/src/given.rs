//! What was given for each field of a form: a text or a file.

use domain::Result;
use domain::form::{Given, GivenFile};
use web::{Form, Part};

pub fn read_given(Form(parts): Form) -> Result<Vec<(String, Given)>> {
    parts.into_iter().map(|part| Ok((part.name.clone(), read_part(part)?))).collect()
}

fn read_part(part: Part) -> Result<Given> {
    if part.file_name.is_none() {
        return Ok(Given::Text(part.text()?.to_owned()));
    }
    let Part { file_name, content_type, content, .. } = part;
    Ok(Given::File(GivenFile { name: file_name.unwrap_or_default(), content_type, content: content.into() }))
}
