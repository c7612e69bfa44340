//! What needs raw pointers: an allocator that asks a meter, the counter of polls, and compilation without execution.
#![expect(unsafe_code, reason = "an allocator for C code, and calls that the safe bindings do not offer")]

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::cell::Cell;
use std::ffi::CString;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use rquickjs::allocator::Allocator;
use rquickjs::{Context, Ctx, Value, qjs};

use crate::text::SOURCE_NAME;

/// The polls between two calls of the interrupt handler in the engine's source. The engine sets its counter to this number
/// right before a call.
pub const ENGINE_INTERVAL: i32 = 10_000;

/// Decides on allocations and counts them.
pub trait Meter {
    /// Asks for memory before it is allocated. Returns whether it may be.
    fn allow(&self, size: usize) -> bool;

    /// Records an allocation.
    fn add_block(&self, size: usize);

    /// Records that a block was freed.
    fn remove_block(&self, size: usize);
}

/// A block begins with its size and its neighbours in the list of blocks.
#[repr(C, align(16))]
struct Header {
    size: usize,
    previous: *mut Header,
    next: *mut Header,
}

const HEADER_BYTES: usize = size_of::<Header>();
const ALIGNMENT: usize = align_of::<Header>();

/// All blocks of one runtime.
pub struct Heap {
    meter: Rc<dyn Meter>,
    first: Cell<*mut Header>,
    blocks: Cell<usize>,
}

impl Heap {
    pub fn new(meter: Rc<dyn Meter>) -> Rc<Self> {
        Rc::new(Self { meter, first: Cell::new(ptr::null_mut()), blocks: Cell::new(0) })
    }

    /// The number of blocks in use.
    pub fn blocks(&self) -> usize {
        self.blocks.get()
    }

    fn link(&self, block: *mut Header, size: usize) -> *mut u8 {
        let next = self.first.get();
        // SAFETY: The block is new and has room for its header; the first block of the list is alive.
        unsafe {
            block.write(Header { size, previous: ptr::null_mut(), next });
            if !next.is_null() {
                (*next).previous = block;
            }
        }
        self.first.set(block);
        self.blocks.set(self.blocks.get() + 1);
        self.meter.add_block(size + HEADER_BYTES);
        // SAFETY: The block is larger than its header.
        unsafe { block.add(1).cast() }
    }

    /// Takes a block out of the list and returns its size.
    fn unlink(&self, block: *mut Header) -> usize {
        // SAFETY: The block and its neighbours are alive, because they are in the list.
        let size = unsafe {
            let Header { size, previous, next } = block.read();
            match previous.is_null() {
                true => self.first.set(next),
                false => (*previous).next = next,
            }
            if !next.is_null() {
                (*next).previous = previous;
            }
            size
        };
        self.blocks.set(self.blocks.get() - 1);
        self.meter.remove_block(size + HEADER_BYTES);
        size
    }

    fn allocate(&self, size: usize, zeroed: bool) -> *mut u8 {
        let Some(layout) = find_layout(size) else {
            self.meter.allow(usize::MAX);
            return ptr::null_mut();
        };
        if !self.meter.allow(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: The layout has a size above zero.
        let block = unsafe { if zeroed { alloc_zeroed(layout) } else { alloc(layout) } };
        if block.is_null() { block } else { self.link(block.cast(), size) }
    }

    /// Frees every block of a runtime that is leaked. Nothing may use that runtime afterwards.
    pub fn free_all(&self) {
        while let Some(block) = NonNull::new(self.first.get()) {
            self.free(block.as_ptr());
        }
    }

    /// The bytes from a pointer to the end of its block.
    fn bytes_after(&self, pointer: *const u8) -> Option<usize> {
        let mut block = self.first.get();
        while !block.is_null() {
            // SAFETY: The blocks of the list are alive.
            let (start, size, next) = unsafe { (block.add(1).addr(), (*block).size, (*block).next) };
            if (start..start + size).contains(&pointer.addr()) {
                return Some(start + size - pointer.addr());
            }
            block = next;
        }
        None
    }

    fn free(&self, block: *mut Header) {
        let size = self.unlink(block);
        // SAFETY: The block was allocated with this layout, and nothing links to it.
        unsafe { dealloc(block.cast(), Layout::from_size_align_unchecked(HEADER_BYTES + size, ALIGNMENT)) }
    }
}

fn find_layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER_BYTES)?, ALIGNMENT).ok()
}

/// The allocator of a runtime.
pub struct HeapAllocator(pub Rc<Heap>);

// SAFETY: Each block has the asked size and an alignment of 16, and `usable_size` is the asked size.
unsafe impl Allocator for HeapAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.0.allocate(size, false)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        self.0.allocate(count.saturating_mul(size), true)
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        // SAFETY: The engine frees only what this allocator gave it, so a header precedes the pointer.
        self.0.free(unsafe { pointer.cast::<Header>().sub(1) });
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, size: usize) -> *mut u8 {
        if pointer.is_null() {
            return self.0.allocate(size, false);
        }
        // SAFETY: As in `dealloc`.
        let block = unsafe { pointer.cast::<Header>().sub(1) };
        // SAFETY: The block is alive.
        let old_size = unsafe { (*block).size };
        let Some(layout) = find_layout(size) else {
            self.0.meter.allow(usize::MAX);
            return ptr::null_mut();
        };
        // A block that shrinks is never refused: the engine does not expect it.
        if size > old_size && !self.0.meter.allow(layout.size()) {
            return ptr::null_mut();
        }
        self.0.unlink(block);
        // SAFETY: The old layout is that of the block, and the new size is above zero and valid for the alignment.
        let moved = unsafe {
            let old = Layout::from_size_align_unchecked(HEADER_BYTES + old_size, ALIGNMENT);
            realloc(block.cast(), old, layout.size())
        };
        if moved.is_null() {
            // The old block is still alive.
            self.0.link(block, old_size);
            return moved;
        }
        self.0.link(moved.cast(), size)
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        // SAFETY: As in `dealloc`.
        unsafe { (*pointer.cast::<Header>().sub(1)).size }
    }
}

/// The engine's counter of polls until it calls the interrupt handler. Its reload value cannot be configured, so the sandbox
/// writes shorter intervals into it. It is empty until the context exists, and if the field was not found.
#[derive(Default)]
pub struct PollCounter(Cell<Option<NonNull<i32>>>);

impl PollCounter {
    /// The counter of a context. It must not be used after the context is freed.
    pub fn find(context: &Context, offset: Option<usize>) -> Self {
        // SAFETY: The offset was found within a context, and all contexts have the same layout.
        Self(Cell::new(offset.map(|offset| unsafe { context.as_raw().byte_add(offset).cast() })))
    }

    pub fn adopt(&self, other: &Self) {
        self.0.set(other.0.get());
    }

    pub fn get(&self) -> Option<i32> {
        // SAFETY: The pointer is to a field of a context that is alive.
        self.0.get().map(|counter| unsafe { counter.read() })
    }

    pub fn set(&self, polls: i32) {
        if let Some(counter) = self.0.get() {
            // SAFETY: As in `get`. The engine's code reads the field again after each call of foreign code.
            unsafe { counter.write(polls) }
        }
    }
}

/// The collector of cycles of a runtime. The engine crashes if it collects while it reports that an allocation failed, because
/// the shape of an object is then in no list. So no cycles are collected from the first allocation that fails.
#[derive(Default)]
pub struct Collector(Cell<Option<NonNull<qjs::JSRuntime>>>);

impl Collector {
    pub fn attach(&self, context: &Context) {
        self.0.set(NonNull::new(context.get_runtime_ptr()));
    }

    pub fn detach(&self) {
        self.0.set(None);
    }

    pub fn disable(&self) {
        if let Some(runtime) = self.0.get() {
            // SAFETY: The runtime is alive until `detach`. The call only sets a number.
            unsafe { qjs::JS_SetGCThreshold(runtime.as_ptr(), usize::MAX as _) }
        }
    }
}

/// The conditional jump and the jump back of a turn may both poll.
const MAX_POLLS_PER_TURN: i32 = 3;

/// Finds where a context keeps its counter: the only field that sinks by the same number, one or more, with each turn of a loop.
pub fn find_poll_counter(heap: &Heap, context: &Context) -> Option<usize> {
    let base = context.as_raw().cast::<i32>();
    let fields = heap.bytes_after(base.as_ptr().cast())? / size_of::<i32>();
    // SAFETY: The fields are within the block of the context, which the engine allocates with zeros.
    let read_fields = || (0..fields).map(|index| unsafe { base.add(index).read() }).collect::<Vec<_>>();
    let run = |turns: u32| context.with(|ctx| ctx.eval::<(), _>(format!("for (let i = 0; i < {turns}; i++);"))).ok();
    // The counter is zero until the first poll.
    run(1)?;
    let first = read_fields();
    run(100)?;
    let second = read_fields();
    run(1_100)?;
    let third = read_fields();
    let mut found = (0..first.len()).filter(|&index| {
        let (first, second, third) = (first[index], second[index], third[index]);
        let range = 1..=ENGINE_INTERVAL;
        [first, second, third].iter().all(|value| range.contains(value))
            && first > second
            && (1..=MAX_POLLS_PER_TURN).any(|polls| second - third == first - second + 1_000 * polls)
    });
    let index = found.next()?;
    found.next().is_none().then_some(index * size_of::<i32>())
}

/// Compiles a source without executing it. The exception, if there is one, is pending in the context.
pub fn compile(ctx: &Ctx<'_>, source: &str) -> bool {
    compile_code(ctx, source, SOURCE_NAME).is_some()
}

fn compile_code<'js>(ctx: &Ctx<'js>, source: &str, name: &str) -> Option<Value<'js>> {
    let (code, name) = (CString::new(source).ok()?, CString::new(name).ok()?);
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    // SAFETY: The context is alive and locked by `with`, the source ends with a zero, and the value is owned.
    unsafe {
        let value = qjs::JS_Eval(ctx.as_raw().as_ptr(), code.as_ptr(), source.len() as _, name.as_ptr(), flags as i32);
        (!qjs::JS_IsException(value)).then(|| Value::from_raw(ctx.clone(), value))
    }
}

/// Code that this process compiled.
pub struct Bytecode(Box<[u8]>);

impl Bytecode {
    /// Compiles a source to code without positions and source.
    pub fn compile(ctx: &Ctx<'_>, source: &str, name: &str) -> Option<Self> {
        let code = compile_code(ctx, source, name)?;
        let flags = qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE | qjs::JS_WRITE_OBJ_STRIP_DEBUG;
        let mut size = 0;
        // SAFETY: The context and the code are alive. The engine returns a buffer of `size` bytes, which is freed once.
        unsafe {
            let context = ctx.as_raw().as_ptr();
            let bytes = NonNull::new(qjs::JS_WriteObject(context, &mut size, code.as_raw(), flags as i32))?;
            let copy = std::slice::from_raw_parts(bytes.as_ptr(), size as usize).into();
            qjs::js_free(context, bytes.as_ptr().cast());
            Some(Self(copy))
        }
    }

    /// Executes the code, and returns the value of its last expression.
    pub fn evaluate<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        // SAFETY: The bytes are those that the same engine wrote. `JS_EvalFunction` takes the code, and returns an owned value.
        unsafe {
            let context = ctx.as_raw().as_ptr();
            let flags = qjs::JS_READ_OBJ_BYTECODE as i32;
            let code = qjs::JS_ReadObject(context, self.0.as_ptr(), self.0.len() as _, flags);
            if qjs::JS_IsException(code) {
                return Err(rquickjs::Error::Exception);
            }
            let value = qjs::JS_EvalFunction(context, code);
            if qjs::JS_IsException(value) {
                return Err(rquickjs::Error::Exception);
            }
            Ok(Value::from_raw(ctx.clone(), value))
        }
    }
}
