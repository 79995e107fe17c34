//! When two servers are the same: in everything but what was counted. A search through all states needs it; the names
//! of the fields stand here once more, so that a new one cannot be forgotten.

use super::{Rules, Server};
use core::hash::{Hash, Hasher};

macro_rules! same {
    ($($field:ident)*) => {
        impl<R: Rules> PartialEq for Server<R> {
            fn eq(&self, other: &Server<R>) -> bool {
                let Server { tally: _, rules: _, $($field: _),* } = self;
                $(self.$field == other.$field)&&*
            }
        }

        impl<R: Rules> Eq for Server<R> {}

        impl<R: Rules> Hash for Server<R> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                $(self.$field.hash(state);)*
            }
        }

        impl<R: Rules> Clone for Server<R> {
            fn clone(&self) -> Server<R> {
                Server { tally: self.tally, rules: self.rules, $($field: self.$field.clone()),* }
            }
        }
    };
}
same! {
    spec boot timers view pending joined installed_at confirmed reads read_number hinted sessions opened locks stalled
    ticket tokens held waiting homes reports looks look_number guardian draining renewal
    guests gone came
}
