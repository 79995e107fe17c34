//! Misra, bounded: two tokens go round a ring, and each notices when the other is lost.
//!
//! **Idea.** Misra's two tokens, with numbers that come round: 1 .. n+1, and 1 again. Between two visits of a token
//! without one of the other v goes up at most n times, so that n+1 values are enough to tell them apart.
//!
//! **Needs.** What `misra` needs, and the size of the ring besides: it says when numbers begin again.
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
use crate::mutex::{Numbers, PingPong, ping_pong_rules};

/// Misra's algorithm with numbers that come round; what a process does is in `misra`.
pub type MisraBounded = PingPong<Bounded>;

/// 1, 2, .. n+1, and 1 again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bounded {
    last: i32,
}

/// The one rule that sounds different here.
const MEET: &str = "on a token with number x, m != x, the other here: m := x; then v := next(v) for both: \
                    v + 1, and 1 after n + 1";

impl Numbers for Bounded {
    const SPEC: Spec = Spec::exclusion("misra-bounded", 1983, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .bypass()
        .tolerates(Tolerates { crash: true, loss: true, ..Tolerates::NOTHING })
        .serves(Order::Ring)
        .circulates()
        .rules(&ping_pong_rules(MEET))
        .example("-n 3 --lose ping@2");
    type Given = (Size, Holder);

    fn told((Size(n), holder): (Size, Holder)) -> (Self, Holder) {
        (Bounded { last: n as i32 + 1 }, holder)
    }

    fn next(&self, v: i32) -> i32 {
        if v >= self.last { 1 } else { v + 1 }
    }
}
