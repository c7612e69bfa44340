//! Executes a program in a context of its own, which is freed afterwards.

use engine::script::SourceForm;
use rquickjs::context::EvalOptions;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Function, Object, Promise, Value};
use serde_json::Map;

use crate::limits::{LimitKind, Limits};
use crate::outcome::{Outcome, ScriptError, SyntaxProblem, Thrown};
use crate::sandbox::Sandbox;
use crate::source::{self, FIRST_LINE, read_syntax_problem};
use crate::text::{SOURCE_NAME, find_position, replace_lone_surrogates};
use crate::wording::reword;

/// A program with its input.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub source: &'a str,
    pub form: SourceForm,
    /// The global variables. The script gets copies, which it may change.
    pub globals: &'a Map<String, serde_json::Value>,
    /// The time that the script sees, in milliseconds since 1970. The local time zone is UTC.
    pub now_ms: i64,
    /// The seed of the random numbers. They are not secret.
    pub seed: u64,
    /// What a script that works on items sees beside the variables.
    pub view: Option<&'a serde_json::Value>,
    pub limits: Limits,
}

/// The memory and the steps that an execution used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub peak_bytes: usize,
    pub work: u64,
}

/// Executes a program.
pub fn execute(request: &Request<'_>) -> Result<Outcome, ScriptError> {
    execute_measured(request).0
}

/// Executes a program, and also returns what it used.
pub fn execute_measured(request: &Request<'_>) -> (Result<Outcome, ScriptError>, Usage) {
    // Only memory is needed for a context.
    let Ok(sandbox) = Sandbox::open() else { return (refuse(LimitKind::Memory), Usage::default()) };
    let result = execute_in(&sandbox, request);
    (result, Usage { peak_bytes: sandbox.budget().peak_bytes(), work: sandbox.budget().work() })
}

/// Executes a program in a sandbox, which cannot be used again.
pub fn execute_in(sandbox: &Sandbox, request: &Request<'_>) -> Result<Outcome, ScriptError> {
    if request.source.len() > request.limits.source_bytes {
        return refuse(LimitKind::Source);
    }
    let result = sandbox.with(|ctx| Execution { ctx, request, sandbox }.run());
    result.unwrap_or_else(|error| Err(ScriptError::Engine(error.to_string())))
}

fn refuse(kind: LimitKind) -> Result<Outcome, ScriptError> {
    Err(ScriptError::Limit { kind, console: Vec::new(), work: 0 })
}

/// Why a script gave no value, before its console is added.
enum Failure {
    Syntax(SyntaxProblem),
    Thrown(ThrownValue),
    Unsettled,
    Result(String),
    Engine(rquickjs::Error),
}

impl From<rquickjs::Error> for Failure {
    fn from(error: rquickjs::Error) -> Self {
        Self::Engine(error)
    }
}

/// What the prelude reads from a thrown value.
struct ThrownValue {
    name: String,
    message: String,
    stack: String,
}

/// One run of a program in a context.
struct Execution<'a, 'js> {
    ctx: Ctx<'js>,
    request: &'a Request<'a>,
    sandbox: &'a Sandbox,
}

impl<'js> Execution<'_, 'js> {
    fn run(&self) -> Result<Outcome, ScriptError> {
        let result = self.evaluate();
        let budget = self.sandbox.budget();
        let (console, work) = (self.sandbox.session().take_console(), budget.work());
        // A script that reached a limit fails, whatever it did afterwards.
        if let Some(kind) = budget.stopped() {
            return Err(ScriptError::Limit { kind, console, work });
        }
        match result {
            Ok(value) => Ok(Outcome { value, console, work }),
            Err(Failure::Syntax(problem)) => Err(ScriptError::Syntax(problem)),
            Err(Failure::Thrown(ThrownValue { name, message, stack })) => {
                let position = find_position(&stack, FIRST_LINE);
                Err(ScriptError::Thrown(Box::new(Thrown { name, message, position, console, work })))
            }
            Err(Failure::Unsettled) => Err(ScriptError::Unsettled { console }),
            Err(Failure::Result(message)) => Err(ScriptError::Result { message, console }),
            Err(Failure::Engine(error)) => Err(ScriptError::Engine(error.to_string())),
        }
    }

    fn evaluate(&self) -> Result<serde_json::Value, Failure> {
        let Self { ctx, request, .. } = self;
        let prelude = self.sandbox.host(ctx)?;
        self.sandbox.session().begin(&request.limits, request.now_ms, request.seed);
        self.sandbox.arm(&request.limits);
        let globals = ctx.globals();
        for (name, value) in request.globals {
            globals.set(name.as_str(), ctx.json_parse(value.to_string())?)?;
        }
        let items = match request.view {
            Some(view) => {
                let library = self.sandbox.items(ctx)?;
                let source = request.source.to_owned();
                let reword = move |message: String, stack: String| reword(&message, &stack, &source).into_owned();
                library.set("reword", Function::new(ctx.clone(), reword)?)?;
                Some((library, ctx.json_parse(view.to_string())?))
            }
            None => None,
        };
        self.sandbox.begin()?;
        let mut options = EvalOptions::default();
        (options.strict, options.filename) = (false, Some(SOURCE_NAME.to_owned()));
        let Ok(script) = ctx.eval_with_options::<Function, _>(source::wrap(request.form, request.source), options)
        else {
            return Err(Failure::Syntax(read_syntax_problem(ctx, request.source)));
        };
        let (promise, end_timer) = match items {
            None => (script.call::<_, Promise>(()), None),
            Some((library, view)) => {
                let end_timer = library.get::<_, Function>("endTimer")?;
                (library.get::<_, Function>("run")?.call((view, script)), Some(end_timer))
            }
        };
        let Ok(promise) = promise else {
            return Err(Failure::Thrown(self.describe(&prelude, ctx.catch())));
        };
        let go_on = || -> Result<bool, Failure> {
            if ctx.execute_pending_job() {
                return Ok(true);
            }
            // Nothing else can happen: the next timer ends.
            match &end_timer {
                Some(end_timer) if promise.state() == PromiseState::Pending => {
                    end_timer.call(()).map_err(|_| Failure::Thrown(self.describe(&prelude, ctx.catch())))
                }
                _ => Ok(false),
            }
        };
        while self.sandbox.budget().charge(1) && go_on()? {}
        match promise.state() {
            PromiseState::Pending => Err(Failure::Unsettled),
            PromiseState::Rejected => {
                let _: Option<rquickjs::Result<Value>> = promise.result();
                Err(Failure::Thrown(self.describe(&prelude, ctx.catch())))
            }
            PromiseState::Resolved => match promise.result::<Value>() {
                Some(Ok(value)) => self.read_result(&prelude, value),
                _ => Err(Failure::Unsettled),
            },
        }
    }

    /// Renders the result as JSON, with the function that the prelude captured before the script ran.
    fn read_result(&self, prelude: &Object<'js>, value: Value<'js>) -> Result<serde_json::Value, Failure> {
        let render: Function = prelude.get("render")?;
        let Ok(text) = render.call::<_, Option<String>>((value,)) else {
            let ThrownValue { name, message, .. } = self.describe(prelude, self.ctx.catch());
            let message = if name.is_empty() { message } else { format!("{name}: {message}") };
            return Err(Failure::Result(message));
        };
        let text = text.unwrap_or_else(|| "null".to_owned());
        if text.len() > self.request.limits.output_bytes {
            self.sandbox.budget().stop(LimitKind::Output);
            return Ok(serde_json::Value::Null);
        }
        let parsed = serde_json::from_str(&text).or_else(|_| serde_json::from_str(&replace_lone_surrogates(&text)));
        parsed.map_err(|error| Failure::Result(error.to_string()))
    }

    fn describe(&self, prelude: &Object<'js>, thrown: Value<'js>) -> ThrownValue {
        let parts = prelude.get("describe").and_then(|describe: Function| describe.call::<_, Vec<String>>((thrown,)));
        let mut parts = parts.unwrap_or_default().into_iter();
        let mut next = || parts.next().unwrap_or_default();
        let (name, message, stack) = (next(), next(), next());
        ThrownValue { name, message: reword(&message, &stack, self.request.source).into_owned(), stack }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a program, and returns the number of blocks that its runtime still has when its context is freed.
    fn count_blocks_after(source: &str) -> usize {
        let limits = Limits { steps: 100_000, memory_bytes: 8 << 20, ..Limits::default() };
        let globals = Map::new();
        let request =
            Request { source, form: SourceForm::Body, globals: &globals, now_ms: 0, seed: 0, view: None, limits };
        let mut sandbox = Sandbox::open().unwrap();
        drop(execute_in(&sandbox, &request));
        sandbox.close_context()
    }

    /// Otherwise each execution would leak its runtime.
    #[test]
    fn executions_leave_no_blocks() {
        let empty = Sandbox::count_empty_blocks().unwrap();
        for source in [
            "return 1",
            "throw new Error('x')",
            "let x = ;",
            "for (;;) {}",
            "const all = []; for (;;) all.push([1])",
            "return await new Promise(() => {})",
            "for (;;) queueMicrotask(() => {})",
            "for (;;) { Promise.resolve({ then(f) { f(1) } }).then(() => 1); Promise.reject(2).finally(() => 1) }",
            "return { toJSON() { queueMicrotask(() => {}); return 1 } }",
            "const all = []; for (;;) all.push(new Promise(() => { for (;;) {} }))",
            "const go = async () => { for (;;) await 1 }; await go()",
            "class A { #x = 1 } globalThis.a = new A(); Symbol.for('s'); return 'b'.repeat(1000).match(/(?<n>b)/g)",
            "return new URL('http://a?b=c').searchParams.get('b') + structuredClone(new Map([[1, {}]])).size",
            "const cycle = {}; cycle.cycle = cycle; function* g() { yield cycle } const i = g(); i.next(); globalThis.i = i",
        ] {
            let blocks = count_blocks_after(source);
            assert!(blocks <= empty, "{source}: {blocks} blocks, an empty runtime has {empty}");
        }
    }
}
