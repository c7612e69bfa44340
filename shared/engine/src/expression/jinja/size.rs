//! Limits the size of tags before parsing: the parser of minijinja recurses over chains that its own limit does not
//! count.

use domain::translated;
use minijinja::machinery::{Token, tokenize};

use super::super::{SyntaxError, TextPosition};
use super::syntax_problem;

/// The maximum number of tokens in one tag, `{{ … }}` or `{% … %}`.
const MAX_TAG: usize = 500;
const MAX_ELIFS: usize = 100;

pub fn check(text: &str) -> Result<(), SyntaxError> {
    let (mut words, mut elifs) = (0, 0);
    for token in tokenize(text, false, Default::default()) {
        let (token, span) = token.map_err(|error| syntax_problem(&error, text))?;
        words += 1;
        match token {
            Token::VariableStart | Token::BlockStart | Token::TemplateData(_) => words = 0,
            Token::Ident("elif") => elifs += 1,
            _ => {}
        }
        let at = TextPosition { line: span.start_line.into(), column: u32::from(span.start_col) + 1 };
        if words > MAX_TAG {
            let message = translated!(
                "more than {MAX_TAG} tokens in one tag; split it",
                "más de {MAX_TAG} tokens en una etiqueta; divídala"
            );
            return Err(SyntaxError::new(at, message));
        }
        if elifs > MAX_ELIFS {
            let message = translated!(
                "more than {MAX_ELIFS} elif branches; use fewer",
                "más de {MAX_ELIFS} ramas elif; use menos"
            );
            return Err(SyntaxError::new(at, message));
        }
    }
    Ok(())
}
