//! The integration tests of the library, through its public face, in one binary: one link step, one list.

mod battery_rows; // rows of the battery's record
mod bully; // exact counts, crashes and recoveries
mod check; // the checker
mod clocks; // clocks that are brought together: the numbers of theory, over all delays
mod complete_graphs; // exact counts where everybody is connected with everybody; a failing run made small
mod coordinators; // the coordinator and the token ring; a crash, with any election of the registry
mod docs; // every contract of the registry is well-formed
mod edits; // somebody reaches into a run
mod elections; // exact counts on rings, against formulas and tables
mod engines; // fast lane against general engine, threads, replay, determinism
mod exclusion; // one at a time, in order, at the exact cost; lost tokens
mod history; // what became of each message, and what caused what
mod homed_chain; // the chain of the lock service: exact costs, copies, losses, fences
mod itai_rodeh; // lock-step and coin: the draws decide; all draws of a round, and what is expected of them
mod large_mutex; // mutual exclusion among very many; `cargo xtask bounds` goes on to 100,000
mod large_rings; // bounds at large n; `cargo xtask bounds` goes on to a million
mod lists_and_tokens; // everybody hears of everybody; late starts; rings closed over crashed processes
mod mutex_means; // messages per entry under light and full load; `cargo xtask bounds` goes on to 100 processes
mod one_way_rings; // exact counts of four more elections on one-way rings
mod permissions; // exact costs where processes ask each other; quorums that meet; logical clocks
mod probabilistic_franklin; // measured rounds against what is expected of them
mod refusals; // what a contract excludes
mod regeneration; // a token that is made anew after a crash, by any election
mod registers; // locks on shared registers: over every interleaving
mod shrink; // a failing run made shorter
mod snapshots; // Chandy and Lamport's cut adds up
mod stabilising; // machines that begin anywhere: thresholds, exact worst numbers of moves, all daemons
mod stages_and_turns; // stages with feedback and Alternate: exact counts, worst arrangements, what waits
mod support; // what the tests share
mod synchroniser; // lock-step on asynchronous networks, and a control that does not wait
mod token_loss; // ten thousand losses and crashes of each of Misra's
mod tokens; // one token that is asked for: exact costs, order of service
mod transcripts; // small runs, line by line, against files; UPDATE=1 accepts what happens
mod two_way_rings; // Hirschberg-Sinclair and van Leeuwen-Tan: exact counts, under every schedule
mod wire; // every message survives its wire form, and no bytes can do harm
