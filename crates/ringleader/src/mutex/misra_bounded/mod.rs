//! Misra, bounded: two tokens go round a ring, and each notices when the other is lost.
//!
//! **Idea.** Misra's two tokens, with numbers that come round: 1 .. n+1, and 1 again. Between two visits of a token
//! without one of the other v goes up at most n times, so that n+1 values are enough to tell them apart.
//!
//! **Needs.** A one-way ring with FIFO links, its size, one process that holds both tokens at first. Tokens may be lost
//! in transit or with a process that crashes, over which the ring is closed; but never both at once. The values 1 ..
//! n+1 are enough, and n are not; 0 must not be among them.
//!
//! **Cost.** no number per entry: the tokens circulate for ever; a lost token is back at the survivor's (n+1)-th
//! arrival at the latest
//!
//! **Source.** J. Misra, PODC 1983, 290-294
//!
//! ```
//! use ringleader::{mutex::MisraBounded, sim::{self, Scenario}};
//! let run = sim::run_exclusion::<MisraBounded>(&Scenario::new(3), &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;
use crate::mutex::{Numbers, PingPong, Token, ping_pong_rules};

/// Misra's algorithm with numbers that come round; what a process does is in `misra`.
pub type MisraBounded = PingPong<Bounded>;

/// 1, 2, .. n+1, and 1 again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bounded;

impl Numbers for Bounded {
    const SPEC: Spec = Spec::exclusion("misra-bounded", 1983, include_str!("mod.rs"))
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .reached(Reached::Relays)
        .bypass()
        .tolerates(Tolerates { crash: true, loss: true, ..Tolerates::NOTHING })
        .serves(Order::Ring)
        .circulates()
        .rules(&ping_pong_rules(
            "on a token with number x, m != x, the other here: m := x; then v := next(v) for both: \
         v + 1, and 1 after n + 1",
        ))
        .example("-n 3 --lose ping@2");
    const ROUNDS: Option<Rounds<MisraBounded>> = None;
    type Given = (Size, Holder);

    fn told((Size(n), Holder(holder)): (Size, Holder)) -> (u32, bool) {
        (n, holder)
    }

    fn next(_: Token, nb: i32, n: u32) -> (i32, i32) {
        let v = if nb.unsigned_abs() > n { 1 } else { nb.abs() + 1 };
        (v, -v)
    }
}

/// The chapter taken literally: numbers modulo n+1, with 0 among them (erratum Z1).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModuloWithZero;

impl Numbers for ModuloWithZero {
    const SPEC: Spec = Spec {
        name: "misra-bounded@z1",
        title: "Misra, bounded, modulo n+1",
        idea: "Modulo n+1 the number can be 0, and then ping and pong bear the same, for 0 = -0. A process that one of \
               them was at takes the other for it, and makes a second one although nothing was lost.",
        erratum: "Z1",
        rules: &ping_pong_rules(
            "on a token with number x, m != x, the other here: m := x; then v := next(v) for both: \
             v + 1 modulo n + 1",
        ),
        example: "-n 2 --schedule random --entries 3 --seed 38",
        ..<MisraBounded as Process>::SPEC
    };
    const ROUNDS: Option<Rounds<PingPong<Self>>> = None;
    type Given = (Size, Holder);

    fn told((Size(n), Holder(holder)): (Size, Holder)) -> (u32, bool) {
        (n, holder)
    }

    fn next(_: Token, nb: i32, n: u32) -> (i32, i32) {
        let v = (nb.abs() + 1) % (n as i32 + 1);
        (v, -v)
    }
}

/// The same, with the pong's number taken modulo n+1 as well (erratum Z2).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ResidueOfMinus;

impl Numbers for ResidueOfMinus {
    const SPEC: Spec = Spec {
        name: "misra-bounded@z2",
        title: "Misra, bounded, -v modulo n+1",
        idea: "If -v is taken modulo n+1 as well, the sign is gone: a ping with v and a pong that had n+1-v look \
               alike, and a token is made anew that was never lost.",
        erratum: "Z2",
        rules: &ping_pong_rules(
            "on a token with number x, m != x, the other here: m := x; then v := next(v) for both: \
             v + 1 modulo n + 1, and -v likewise",
        ),
        example: "-n 2 --entries 3 --hold 3",
        ..<MisraBounded as Process>::SPEC
    };
    const ROUNDS: Option<Rounds<PingPong<Self>>> = None;
    type Given = (Size, Holder);

    fn told((Size(n), Holder(holder)): (Size, Holder)) -> (u32, bool) {
        (n, holder)
    }

    fn first(n: u32) -> (i32, i32) {
        (1, n as i32)
    }

    fn next(bears: Token, nb: i32, n: u32) -> (i32, i32) {
        let numbers = n as i32 + 1;
        let v = match bears {
            Token::Ping => nb,
            Token::Pong => (numbers - nb) % numbers,
        };
        let next = (v + 1) % numbers;
        (next, (numbers - next) % numbers)
    }
}

/// One number less: 1 .. n (erratum Z3).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct OneFewer;

impl Numbers for OneFewer {
    const SPEC: Spec = Spec {
        name: "misra-bounded@z3",
        title: "Misra, bounded, n numbers",
        idea: "With one number less, v can come back to what a process remembers while the other token is on its way \
               there: it is taken for lost, and made anew.",
        erratum: "Z3",
        rules: &ping_pong_rules(
            "on a token with number x, m != x, the other here: m := x; then v := next(v) for both: \
             v + 1, and 1 after n",
        ),
        example: "-n 1 --entries 3 --schedule random --seed 2",
        ..<MisraBounded as Process>::SPEC
    };
    const ROUNDS: Option<Rounds<PingPong<Self>>> = None;
    type Given = (Size, Holder);

    fn told((Size(n), Holder(holder)): (Size, Holder)) -> (u32, bool) {
        (n, holder)
    }

    fn next(_: Token, nb: i32, n: u32) -> (i32, i32) {
        let v = if nb.unsigned_abs() >= n { 1 } else { nb.abs() + 1 };
        (v, -v)
    }
}
