//! What JavaScript calls, and what it is asked: numbers, and bytes in the memory of the module.
//!
//! A question: `room(bytes)` says where it is to be written, the verb first; `call(bytes of the verb)` answers it, and
//! says whether it could; `answer` and `answer_bytes` say where the answer is.

use crate::{Answer, Engine, Host};
use ringleader_page::check::Progress;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::time::Duration;

// What the worker gives the module.
#[link(wasm_import_module = "worker")]
#[expect(unsafe_code, reason = "this is how functions of JavaScript are named; they take and give numbers")]
unsafe extern "C" {
    /// `performance.now()`.
    safe fn now() -> f64;
    /// A check is so far; 0 cases in all is not known.
    safe fn progress(case: f64, cases: f64, states: f64, depth: f64);
    /// The module breaks off; here is why.
    safe fn breaks_off(message: *const u8, bytes: usize);
}

/// The usual allocator, which says so when the browser gives no more memory: the standard library breaks off then
/// without a word.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

fn given(at: *mut u8) -> *mut u8 {
    if at.is_null() {
        let why = "there is no more memory";
        breaks_off(why.as_ptr(), why.len());
    }
    at
}

#[expect(unsafe_code, reason = "an allocator has no other interface; each call is handed on as it came")]
// SAFETY: what the usual allocator promises holds, for it does all of it.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given(unsafe { System.realloc(at, layout, size) })
    }
}

struct Worker;

impl Host for Worker {
    fn now(&self) -> Duration {
        Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default()
    }

    fn progress(&self, so_far: Progress) {
        let all = so_far.cases_total.unwrap_or(0);
        progress(so_far.cases as f64, all as f64, so_far.states as f64, so_far.depth as f64);
    }
}

struct Border {
    engine: Engine<Worker>,
    question: Vec<u8>,
    answer: String,
}

thread_local! {
    static BORDER: RefCell<Option<Border>> = const { RefCell::new(None) };
}

/// Does something with the engine, which is made when it is first needed.
fn with<T>(then: impl FnOnce(&mut Border) -> T) -> T {
    BORDER.with_borrow_mut(|border| {
        then(border.get_or_insert_with(|| {
            std::panic::set_hook(Box::new(|why| {
                let text = why.to_string();
                breaks_off(text.as_ptr(), text.len());
            }));
            Border { engine: Engine::new(Worker), question: Vec::new(), answer: String::new() }
        }))
    })
}

/// Where a verb and its question are to be written: so many bytes.
#[expect(unsafe_code, reason = "JavaScript finds the function by its name")]
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> *mut u8 {
    with(|border| {
        border.question.clear();
        border.question.resize(bytes, 0);
        border.question.as_mut_ptr()
    })
}

/// Answers what was written; the first so many bytes of it are the verb. 1 if it could be answered, otherwise 0.
#[expect(unsafe_code, reason = "JavaScript finds the function by its name")]
#[unsafe(no_mangle)]
extern "C" fn call(verb: usize) -> u32 {
    with(|border| {
        let (verb, question) = border.question.split_at_checked(verb).unwrap_or_default();
        let Answer { ok, text } = border.engine.call(std::str::from_utf8(verb).unwrap_or_default(), question);
        border.answer = text;
        u32::from(ok)
    })
}

/// Where the answer is.
#[expect(unsafe_code, reason = "JavaScript finds the function by its name")]
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    with(|border| border.answer.as_ptr())
}

/// How many bytes it has.
#[expect(unsafe_code, reason = "JavaScript finds the function by its name")]
#[unsafe(no_mangle)]
extern "C" fn answer_bytes() -> usize {
    with(|border| border.answer.len())
}
