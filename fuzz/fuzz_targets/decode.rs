//! The decoder that has the name of this binary, with whatever bytes libFuzzer makes up.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let target = ringleader_fuzz::target(env!("CARGO_BIN_NAME")).expect("a decoder has this name");
    (target.run)(bytes);
});
