//! Each declared need is needed: without it there is a counterexample, or a word on why there is none.
