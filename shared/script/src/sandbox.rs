//! The context in which a program runs, and what is measured about contexts once in each process.

use std::mem;
use std::rc::Rc;
use std::sync::OnceLock;

use rquickjs::context::intrinsic::{Date, Eval, Json, MapSet, Promise, Proxy, RegExp, RegExpCompiler, TypedArrays};
use rquickjs::{Context, Ctx, Function, Object, Persistent, Runtime};

use crate::budget::Budget;
use crate::host::{Session, create_host};
use crate::items;
use crate::limits::{LimitKind, Limits};
use crate::memory::{Bytecode, Heap, HeapAllocator, Meter, PollCounter, find_poll_counter};

/// The stack that the engine may use. It must be well below that of the thread, which is at least 2 MiB.
const STACK_BYTES: usize = 512 << 10;

/// The jobs that may wait when a script ends. A job needs more than a hundred bytes.
const MAX_JOBS: usize = 1_000_000;

/// The source of the prelude: the guards of native functions, and the globals that the engine does not have.
const PRELUDE: [(&str, &str); 11] = [
    ("guards", include_str!("prelude/guards.js")),
    ("json", include_str!("prelude/json.js")),
    ("globals", include_str!("prelude/globals.js")),
    ("urls", include_str!("prelude/urls.js")),
    ("buffer", include_str!("prelude/buffer.js")),
    ("locales", include_str!("prelude/intl/locales.js")),
    ("patterns", include_str!("prelude/intl/patterns.js")),
    ("dates", include_str!("prelude/intl/dates.js")),
    ("numbers", include_str!("prelude/intl/numbers.js")),
    ("lists", include_str!("prelude/intl/lists.js")),
    ("luxon", include_str!("prelude/luxon/globals.js")),
];

/// The build of luxon 3.7.2 for browsers. It defines the variable `luxon`.
const LUXON: &str = include_str!("prelude/luxon/luxon.min.js");

/// A context for one program.
pub struct Sandbox {
    /// The object with the functions that the host and the prelude share.
    host: Option<Persistent<Object<'static>>>,
    /// The library of scripts that work on items, if it is loaded.
    items: Option<Persistent<Object<'static>>>,
    context: Option<Context>,
    runtime: Option<Runtime>,
    heap: Rc<Heap>,
    budget: Rc<Budget>,
    session: Rc<Session>,
}

impl Sandbox {
    /// A context in which the prelude was evaluated.
    pub fn open() -> rquickjs::Result<Self> {
        let facts = EngineFacts::get()?;
        let mut sandbox = Self::create()?;
        sandbox.host = Some(sandbox.with(|ctx| sandbox.evaluate_prelude(&ctx, &facts.prelude))??);
        Ok(sandbox)
    }

    /// A context in which the library of scripts that work on items is loaded, too.
    pub fn open_with_items() -> rquickjs::Result<Self> {
        let mut sandbox = Self::open()?;
        sandbox.items = Some(sandbox.with(|ctx| load_items(&ctx).map(|items| Persistent::save(&ctx, items)))??);
        Ok(sandbox)
    }

    fn create() -> rquickjs::Result<Self> {
        type Intrinsics = (Date, Eval, RegExpCompiler, RegExp, Json, Proxy, MapSet, TypedArrays, Promise);
        let budget = Rc::new(Budget::new());
        let heap = Heap::new(Rc::clone(&budget) as Rc<dyn Meter>);
        let runtime = Runtime::new_with_alloc(HeapAllocator(Rc::clone(&heap)))?;
        runtime.set_max_stack_size(STACK_BYTES);
        let handler = Rc::clone(&budget);
        runtime.set_interrupt_handler(Some(Box::new(move || handler.poll())));
        let context = Context::custom::<Intrinsics>(&runtime)?;
        budget.collector().attach(&context);
        let session = Session::new();
        Ok(Self { host: None, items: None, context: Some(context), runtime: Some(runtime), heap, budget, session })
    }

    fn context(&self) -> rquickjs::Result<&Context> {
        self.context.as_ref().ok_or(rquickjs::Error::Unknown)
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Starts to enforce the limits.
    pub fn arm(&self, limits: &Limits) {
        self.budget.arm(limits);
    }

    /// Starts to count the steps.
    pub fn begin(&self) -> rquickjs::Result<()> {
        self.budget.begin(&PollCounter::find(self.context()?, EngineFacts::get()?.counter_offset));
        Ok(())
    }

    pub fn with<R>(&self, work: impl FnOnce(Ctx<'_>) -> R) -> rquickjs::Result<R> {
        Ok(self.context()?.with(work))
    }

    /// The object with the functions that the host and the prelude share.
    pub fn host<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Object<'js>> {
        self.host.clone().ok_or(rquickjs::Error::Unknown)?.restore(ctx)
    }

    fn evaluate_prelude(&self, ctx: &Ctx<'_>, prelude: &[Bytecode]) -> rquickjs::Result<Persistent<Object<'static>>> {
        let host = create_host(ctx, &self.budget, &self.session)?;
        host.set("loadLuxon", Function::new(ctx.clone(), load_luxon)?)?;
        for part in prelude {
            part.evaluate(ctx)?.get::<Function>()?.call::<_, ()>((host.clone(),))?;
        }
        Ok(Persistent::save(ctx, host))
    }

    /// The library of scripts that work on items.
    pub fn items<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Object<'js>> {
        match &self.items {
            Some(library) => library.clone().restore(ctx),
            None => load_items(ctx),
        }
    }

    /// The blocks that a runtime has after its context was freed.
    #[cfg(test)]
    pub fn count_empty_blocks() -> rquickjs::Result<usize> {
        Ok(EngineFacts::get()?.empty_blocks)
    }

    /// Frees the context. Returns the number of blocks that the runtime still uses, without the names that it keeps, such as
    /// those of registered symbols.
    pub fn close_context(&mut self) -> usize {
        // Jobs that wait keep objects alive. Each of them stops at its first call.
        self.budget.stop(LimitKind::Time);
        if let Some(context) = &self.context {
            context.with(|ctx| (0..MAX_JOBS).take_while(|_| ctx.execute_pending_job()).for_each(drop));
        }
        // The counter is a part of the context.
        self.budget.end();
        (self.host, self.items) = (None, None);
        self.context = None;
        let Some(runtime) = &self.runtime else { return 0 };
        runtime.run_gc();
        self.heap.blocks().saturating_sub(runtime.memory_usage().atom_count as usize)
    }
}

/// Most scripts do not need it, and it takes longer to load than the prelude.
fn load_luxon<'js>(ctx: Ctx<'js>) -> rquickjs::Result<Object<'js>> {
    EngineFacts::get()?.luxon.evaluate(&ctx)?.get::<Function>()?.call(())
}

fn load_items<'js>(ctx: &Ctx<'js>) -> rquickjs::Result<Object<'js>> {
    let library = Object::new(ctx.clone())?;
    library.set("loadLuxon", Function::new(ctx.clone(), load_luxon)?)?;
    for part in compiled_items(ctx)? {
        part.evaluate(ctx)?.get::<Function>()?.call::<_, ()>((library.clone(),))?;
    }
    Ok(library)
}

/// It takes longer to compile the library than the engine with its prelude, so it is compiled when it is first needed.
fn compiled_items(ctx: &Ctx<'_>) -> rquickjs::Result<&'static [Bytecode]> {
    static COMPILED: OnceLock<Vec<Bytecode>> = OnceLock::new();
    if let Some(compiled) = COMPILED.get() {
        return Ok(compiled);
    }
    let compiled = items::PARTS.iter().map(|part| compile_part(ctx, *part)).collect::<rquickjs::Result<_>>()?;
    Ok(COMPILED.get_or_init(|| compiled))
}

fn compile_part(ctx: &Ctx<'_>, (name, source): (&str, &str)) -> rquickjs::Result<Bytecode> {
    Bytecode::compile(ctx, source, name).ok_or(rquickjs::Error::Exception)
}

impl Drop for Sandbox {
    /// The engine aborts the process if a runtime is freed while objects are left, and some of its error paths leave objects.
    /// Then the runtime is leaked, which costs about a kilobyte, and its heap is freed without it.
    fn drop(&mut self) {
        let blocks = self.close_context();
        let clean = EngineFacts::get().is_ok_and(|facts| blocks <= facts.empty_blocks);
        match self.runtime.take() {
            Some(runtime) if clean => drop(runtime),
            runtime => {
                mem::forget(runtime);
                self.heap.free_all();
            }
        }
    }
}

/// What is measured once in each process.
struct EngineFacts {
    /// The place of the poll counter in a context. Without it, the engine polls less often.
    counter_offset: Option<usize>,
    /// The blocks of a runtime whose context was freed, without its names.
    empty_blocks: usize,
    /// The compiled prelude. To compile it takes ten times as long as to load it.
    prelude: Vec<Bytecode>,
    luxon: Bytecode,
}

impl EngineFacts {
    fn get() -> rquickjs::Result<&'static Self> {
        static FACTS: OnceLock<EngineFacts> = OnceLock::new();
        if let Some(facts) = FACTS.get() {
            return Ok(facts);
        }
        let facts = Self::measure()?;
        Ok(FACTS.get_or_init(|| facts))
    }

    fn measure() -> rquickjs::Result<Self> {
        let mut sandbox = Sandbox::create()?;
        let counter_offset = find_poll_counter(&sandbox.heap, sandbox.context()?);
        let (prelude, luxon) = sandbox.with(|ctx| {
            // The C library reads the time zone of the system from a file, once in each process. The process of a script, which is
            // a copy of this one, has no files.
            ctx.eval::<(), _>("new Date(0).getTimezoneOffset()")?;
            let compile = |part: (&str, &str)| compile_part(&ctx, part);
            let luxon = compile(("luxon", &format!("(function () {{ {LUXON}\nreturn luxon; }})")))?;
            let prelude = PRELUDE.into_iter().map(compile).collect::<rquickjs::Result<Vec<_>>>()?;
            sandbox.evaluate_prelude(&ctx, &prelude)?;
            Ok::<_, rquickjs::Error>((prelude, luxon))
        })??;
        let empty_blocks = sandbox.close_context();
        // This runtime has no objects left, so the engine can free it.
        drop(sandbox.runtime.take());
        mem::forget(sandbox);
        Ok(Self { counter_offset, empty_blocks, prelude, luxon })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_poll_counter_is_found() {
        assert!(EngineFacts::get().unwrap().counter_offset.is_some());
    }
}
