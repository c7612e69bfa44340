//! Reads what a browser sends for a form into typed values.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value, json};

use super::{FormField, FormFieldType, FormPage};
use crate::language::Translated;
use crate::translated;

const MAX_TEXT_BYTES: usize = 64 * 1024;
/// In base64, a file of this size is a value.
const MAX_FILE_BYTES: usize = 512 * 1024;
/// The maximum length of an email address (RFC 5321).
const MAX_EMAIL_CHARS: usize = 254;

/// What was given for a field.
#[derive(Clone, Debug)]
pub enum Given {
    Text(String),
    File(GivenFile),
}

#[derive(Clone, Debug)]
pub struct GivenFile {
    pub name: String,
    pub content_type: Option<String>,
    pub content: Vec<u8>,
}

/// The problem of each wrong field, by its name.
pub type Problems = Vec<(String, Translated<String>)>;

impl FormPage {
    /// The values of the fields. Names that the page does not have are ignored, because browsers and their extensions add some.
    pub fn read(&self, given: &[(String, Given)]) -> Result<Map<String, Value>, Problems> {
        let (mut values, mut problems) = (Map::new(), Vec::new());
        for field in &self.fields {
            let named = given.iter().filter(|(name, _)| *name == field.name).map(|(_, given)| given);
            match field.read(&named.collect::<Vec<_>>()) {
                Ok(value) => drop(values.insert(field.name.clone(), value)),
                Err(problem) => problems.push((field.name.clone(), problem)),
            }
        }
        if problems.is_empty() { Ok(values) } else { Err(problems) }
    }

    /// The page with the texts of its link as initial values.
    #[must_use]
    pub fn with_prefilled(mut self, given: &[(String, Given)]) -> Self {
        for field in &mut self.fields {
            if let Some(value) = field.shown_again(given) {
                field.value = Some(value);
            }
        }
        self
    }

    /// The page with the texts that were sent in place of all initial values, so that nobody types them again.
    #[must_use]
    pub fn with_sent(mut self, given: &[(String, Given)]) -> Self {
        for field in &mut self.fields {
            field.value = field.shown_again(given);
        }
        self
    }
}

impl FormField {
    /// The texts that were given, as the initial value of the field.
    fn shown_again(&self, given: &[(String, Given)]) -> Option<Value> {
        let named = given.iter().filter(|(name, _)| *name == self.name);
        let mut texts = named.filter_map(|(_, given)| match given {
            Given::Text(text) => Some(text.as_str()),
            Given::File(_) => None,
        });
        let first = texts.next()?;
        Some(match self.r#type {
            FormFieldType::Boolean => Value::Bool(is_checked(first)),
            FormFieldType::Choices => [first].into_iter().chain(texts).map(Value::from).collect(),
            FormFieldType::File => return None,
            _ => first.into(),
        })
    }
}

impl<V> FormField<V> {
    /// What is wrong with a text for the field.
    pub fn text_problem(&self, text: &str) -> Option<Translated<String>> {
        self.read(&[&Given::Text(text.to_owned())]).err()
    }

    fn read(&self, given: &[&Given]) -> Result<Value, Translated<String>> {
        let value = match (self.r#type, given) {
            (FormFieldType::Choices, given) => self.read_choices(given)?,
            (_, []) => self.r#type.empty(),
            (_, [given]) => self.read_one(given)?,
            _ => return Err(translated!("was sent twice", "se envió dos veces")),
        };
        if self.required && value == self.r#type.empty() {
            return Err(match self.r#type {
                FormFieldType::Boolean => translated!("must be checked", "debe marcarse"),
                FormFieldType::Choice | FormFieldType::Choices => translated!("choose an option", "elija una opción"),
                FormFieldType::File => translated!("choose a file", "elija un archivo"),
                _ => translated!("must be filled in", "debe rellenarse"),
            });
        }
        Ok(value)
    }

    fn read_one(&self, given: &Given) -> Result<Value, Translated<String>> {
        let text = match given {
            Given::File(file) if self.r#type == FormFieldType::File => return read_file(file),
            // A browser without a chosen file may send an empty text.
            Given::Text(text) if self.r#type == FormFieldType::File && text.is_empty() => return Ok(Value::Null),
            Given::Text(text) if self.r#type != FormFieldType::File => text,
            Given::Text(_) => return Err(translated!("must be a file", "debe ser un archivo")),
            Given::File(_) => {
                return Err(translated!("must be a text, not a file", "debe ser un texto, no un archivo"));
            }
        };
        if text.len() > MAX_TEXT_BYTES {
            return Err(translated!("is too long", "es demasiado largo"));
        }
        match self.r#type {
            FormFieldType::Boolean => Ok(Value::Bool(is_checked(text))),
            // Browsers send lines as CR LF.
            FormFieldType::LongText => Ok(filled(&text.replace("\r\n", "\n"))),
            FormFieldType::Text | FormFieldType::Hidden => Ok(filled(text)),
            _ if text.trim().is_empty() => Ok(Value::Null),
            FormFieldType::Number => read_number(text.trim()),
            FormFieldType::Email => read_email(text.trim()),
            FormFieldType::Date => read_date(text.trim()),
            FormFieldType::Choice => self.read_choice(text),
            FormFieldType::Choices | FormFieldType::File => Ok(Value::Null),
        }
    }

    fn read_choices(&self, given: &[&Given]) -> Result<Value, Translated<String>> {
        let mut chosen = Vec::new();
        for given in given {
            let Given::Text(text) = given else {
                return Err(translated!("must be a text, not a file", "debe ser un texto, no un archivo"));
            };
            let choice = self.read_choice(text)?;
            if !chosen.contains(&choice) {
                chosen.push(choice);
            }
        }
        Ok(Value::Array(chosen))
    }

    fn read_choice(&self, text: &str) -> Result<Value, Translated<String>> {
        match self.has_option(text) {
            true => Ok(text.into()),
            false => Err(translated!("choose one of the options", "elija una de las opciones")),
        }
    }
}

fn is_checked(text: &str) -> bool {
    !matches!(text, "" | "false")
}

/// A text of spaces counts as not filled in.
fn filled(text: &str) -> Value {
    if text.trim().is_empty() { Value::Null } else { text.into() }
}

fn read_number(text: &str) -> Result<Value, Translated<String>> {
    let number = text.parse::<i64>().map(Number::from).ok();
    let number = number.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64));
    number
        .map(Value::Number)
        .ok_or_else(|| translated!("must be a number, such as 12.5", "debe ser un número, como 12.5"))
}

/// Checks only the form of an address. Only a message can show whether it exists.
fn read_email(text: &str) -> Result<Value, Translated<String>> {
    let is_printable = |part: &str| !part.is_empty() && part.chars().all(|c| !c.is_whitespace() && !c.is_control());
    let is_address = text.rsplit_once('@').is_some_and(|(user, host)| {
        is_printable(user)
            && is_printable(host)
            && !user.contains('@')
            && !host.starts_with('.')
            && !host.ends_with('.')
    });
    match is_address && text.chars().count() <= MAX_EMAIL_CHARS {
        true => Ok(text.into()),
        false => Err(translated!(
            "must be an email address, such as ana@example.com",
            "debe ser una dirección de correo, como ana@example.com"
        )),
    }
}

fn read_date(text: &str) -> Result<Value, Translated<String>> {
    let is_date = text.len() == "2026-03-02".len() && text.parse::<jiff::civil::Date>().is_ok();
    match is_date {
        true => Ok(text.into()),
        false => Err(translated!("must be a day, such as 2026-03-02", "debe ser un día, como 2026-03-02")),
    }
}

impl GivenFile {
    /// The file as a value of a run.
    pub fn to_value(&self) -> Value {
        let content_type = self.content_type.as_deref().unwrap_or("application/octet-stream");
        json!({"base64": STANDARD.encode(&self.content), "contentType": content_type, "name": self.name})
    }
}

fn read_file(file: &GivenFile) -> Result<Value, Translated<String>> {
    let GivenFile { name, content, .. } = file;
    // A browser sends a field without a chosen file as an empty file without a name.
    if name.is_empty() && content.is_empty() {
        return Ok(Value::Null);
    }
    if content.len() > MAX_FILE_BYTES {
        let limit = MAX_FILE_BYTES / 1024;
        return Err(translated!(
            "has more than {limit} KiB; choose a smaller file",
            "tiene más de {limit} KiB; elija un archivo más pequeño"
        ));
    }
    Ok(file.to_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> FormPage {
        let fields = json!([
            {"name": "name", "type": "text", "required": true},
            {"name": "story", "type": "long_text"},
            {"name": "email", "type": "email", "required": true},
            {"name": "age", "type": "number"},
            {"name": "born", "type": "date"},
            {"name": "size", "type": "choice", "options": ["S", "M"]},
            {"name": "extras", "type": "choices", "options": ["salt", "oil"]},
            {"name": "terms", "type": "boolean", "required": true},
            {"name": "photo", "type": "file"},
            {"name": "campaign", "type": "hidden"},
        ]);
        FormPage { fields: serde_json::from_value(fields).unwrap(), ..FormPage::default() }
    }

    fn texts(given: &[(&str, &str)]) -> Vec<(String, Given)> {
        given.iter().map(|(name, text)| ((*name).to_owned(), Given::Text((*text).to_owned()))).collect()
    }

    #[test]
    fn answers_become_typed_values() {
        let mut given = texts(&[
            ("name", " Ana "),
            ("story", "a\r\nb"),
            ("email", " ana@example.com "),
            ("age", "9007199254740993"),
            ("born", "2000-02-29"),
            ("size", "M"),
            ("extras", "oil"),
            ("extras", "salt"),
            ("extras", "oil"),
            ("terms", "on"),
            ("campaign", "may"),
            ("unknown", "x"),
        ]);
        let photo =
            GivenFile { name: "a.png".to_owned(), content_type: Some("image/png".to_owned()), content: vec![1] };
        given.push(("photo".to_owned(), Given::File(photo)));
        assert_eq!(
            Value::Object(page().read(&given).unwrap()),
            json!({
                "name": " Ana ", "story": "a\nb", "email": "ana@example.com", "age": 9_007_199_254_740_993_i64,
                "born": "2000-02-29", "size": "M", "extras": ["oil", "salt"], "terms": true, "campaign": "may",
                "photo": {"base64": "AQ==", "contentType": "image/png", "name": "a.png"},
            })
        );
    }

    #[test]
    fn fields_that_are_not_filled_in_have_an_empty_value() {
        let given =
            texts(&[("name", "A"), ("email", "a@b"), ("terms", "on"), ("age", ""), ("size", ""), ("photo", "")]);
        let values = page().read(&given).unwrap();
        for (name, expected) in
            [("age", Value::Null), ("size", Value::Null), ("photo", Value::Null), ("story", Value::Null)]
        {
            assert_eq!(values[name], expected, "{name}");
        }
        assert_eq!(values["extras"], json!([]));
        // Every value fits the schema that expressions rely on: each name is there.
        assert_eq!(values.len(), page().fields.len());
    }

    #[test]
    fn all_wrong_fields_are_named_at_once() {
        let mut given = texts(&[
            ("name", "  "),
            ("email", "ana@"),
            ("age", "NaN"),
            ("born", "2001-02-29"),
            ("size", "XL"),
            ("extras", "x"),
            ("campaign", "1"),
            ("campaign", "2"),
            ("photo", "text"),
        ]);
        let file = GivenFile { name: "a".to_owned(), content_type: None, content: vec![0; 3] };
        given.push(("story".to_owned(), Given::File(file)));
        let problems = page().read(&given).unwrap_err();
        let names: Vec<_> = problems.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["name", "story", "email", "age", "born", "size", "extras", "terms", "photo", "campaign"]);
        let large = GivenFile { name: "a".to_owned(), content_type: None, content: vec![0; MAX_FILE_BYTES + 1] };
        let problem = read_file(&large).unwrap_err();
        assert!(problem.en.contains("512 KiB"), "{problem:?}");
    }

    #[test]
    fn given_texts_are_shown_again() {
        let given = texts(&[("name", "Ana"), ("extras", "oil"), ("size", "XL")]);
        let value = |page: &FormPage, name: &str| {
            page.fields.iter().find(|field| field.name == name).and_then(|field| field.value.clone())
        };
        let mut page = page();
        page.fields[3].value = Some(json!(7));
        let prefilled = page.clone().with_prefilled(&given);
        assert_eq!(value(&prefilled, "name"), Some(json!("Ana")));
        assert_eq!(value(&prefilled, "extras"), Some(json!(["oil"])));
        assert_eq!(value(&prefilled, "age"), Some(json!(7)), "the link does not name it");
        let sent = page.with_sent(&given);
        assert_eq!((value(&sent, "size"), value(&sent, "age")), (Some(json!("XL")), None));
    }
}
