//! The source of a program, which is the body of an async function or a single expression.

use engine::script::SourceForm;
use rquickjs::{Ctx, Exception};

use crate::memory::compile;
use crate::outcome::SyntaxProblem;
use crate::text::find_position;

/// The text around a source. The source begins a line of its own, so its columns are those of the user.
struct Wrapper {
    before: &'static str,
    after: &'static str,
}

/// The lines before the source.
const WRAPPER_LINES: u32 = 1;

/// The first wrapper is the one that runs. A source that closes it and opens another one does not fit the other ones,
/// because they go on with different tokens.
const fn wrappers(form: SourceForm) -> &'static [Wrapper] {
    match form {
        SourceForm::Body => &[
            Wrapper { before: "(async function () {\n", after: "\n})" },
            Wrapper { before: "({ async script() {\n", after: "\n} })" },
            Wrapper { before: "(function () { async function script() {\n", after: "\n} })" },
        ],
        SourceForm::Expression => &[
            Wrapper { before: "(async function () { return (\n", after: "\n) })" },
            Wrapper { before: "(async function () { return [\n", after: "\n] })" },
        ],
    }
}

/// Compiles a source in all wrappers.
pub fn check(form: SourceForm, ctx: &Ctx<'_>, source: &str) -> Result<(), SyntaxProblem> {
    wrappers(form).iter().try_for_each(|wrapper| wrapper.check(ctx, source))
}

/// The source of the function that runs.
pub fn wrap(form: SourceForm, source: &str) -> String {
    wrappers(form)[0].wrap(source)
}

impl Wrapper {
    fn wrap(&self, source: &str) -> String {
        [self.before, source, self.after].concat()
    }

    fn check(&self, ctx: &Ctx<'_>, source: &str) -> Result<(), SyntaxProblem> {
        if compile(ctx, &self.wrap(source)) { Ok(()) } else { Err(read_syntax_problem(ctx, source)) }
    }
}

/// Reads the pending exception as an error of syntax. A position after the source, such as that of a brace that is missing
/// at its end, becomes the end of the source.
pub fn read_syntax_problem(ctx: &Ctx<'_>, source: &str) -> SyntaxProblem {
    let exception = ctx.catch().into_object().and_then(Exception::from_object);
    let message = exception.as_ref().and_then(Exception::message).filter(|message| !message.is_empty());
    let position = exception.and_then(|exception| find_position(&exception.stack()?, WRAPPER_LINES + 1));
    let last_line = source.split('\n').count() as u32;
    let end = (last_line, source.rsplit('\n').next().map_or(0, |line| line.chars().count() as u32) + 1);
    let (line, column) = position.map_or((1, 1), |position| (position.line, position.column));
    let (line, column) = if line > last_line { end } else { (line, column) };
    SyntaxProblem {
        message: message.unwrap_or_else(|| "The source is nested too deeply. Simplify it.".to_owned()),
        line,
        column,
    }
}

/// The first line of the user's source in the positions of the engine.
pub const FIRST_LINE: u32 = WRAPPER_LINES + 1;
