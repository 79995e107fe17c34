//! Raymond: requests climb a tree towards the token, and the token comes down the way they went.
//!
//! **Idea.** Processes form a tree, and each knows the edge towards the token. It queues the neighbours that ask it,
//! itself included, and asks on in its own name, once at a time. The token goes to the head of the queue, with a
//! request after it if more are waiting.
//!
//! **Needs.** A tree, and at each process the edge towards the one that has the token at first; no names. Links may
//! reorder: a request that overtakes the token only waits in the queue.
//!
//! **Cost.** at most 2D per entry, D being the diameter of the tree; twice the distance of the token for an entry on
//! its own; 4(n-1)/n on average when everybody always wants in
//!
//! **Source.** K. Raymond, ACM TOCS 7(1):61-77, 1989
//!
//! From an exit to the next entry there are 1 to D message delays.
//!
//! ```
//! use ringleader::{mutex::Raymond, sim::{self, Scenario, Topology}};
//! let star = Scenario { topology: Some(Topology::Star), ..Scenario::new(4) };
//! let run = sim::run_exclusion::<Raymond>(&star, &mut ()).unwrap();
//! assert!(run.messages <= 4 * 2 * 2); // four entries, diameter two
//! ```

use crate::model::*;
use std::collections::VecDeque;

state! {
    pub struct Raymond {
        told root: TowardsRoot,
        user: Stage = Stage::Idle,
        /// The edge towards the token; none if it is here.
        holder: Option<Edge> = root.0,
        /// Whether the holder was asked, and has not answered yet.
        asked: bool = false,
        /// Who is to have the token, in the order of asking: neighbours, and none for the process itself.
        queue: VecDeque<Option<Edge>> = VecDeque::new(),
        drawn = [holder: way, queue: waiting],
    }
}

messages! {
    /// What neighbours say to each other. A request on an edge is one for all that wait behind it.
    pub enum Msg {
        /// Somebody behind this edge wants in.
        "request" Request,
        /// The token.
        "privilege" Privilege,
    }
}

rules! {
    /// append self to the queue; then ASSIGN, then MAKE-REQUEST
    Want,
    /// on REQUEST from j: append j to the queue; then likewise
    Request,
    /// on PRIVILEGE: holder := self; then likewise
    Privilege,
    /// leave; then likewise
    Exit,
    /// ASSIGN: holder = self, the user not inside, self the head of the queue: take it off; asked := false; enter
    Enter,
    /// ASSIGN: holder = self, the user not inside, a neighbour j the head of the queue: take it off; asked := false;
    /// holder := j; send PRIVILEGE to j
    Assign,
    /// MAKE-REQUEST: holder != self, the queue not empty, not asked: send REQUEST to holder; asked := true
    Ask,
}

impl Process for Raymond {
    const SPEC: Spec = Spec::exclusion("raymond", 1989, include_str!("mod.rs"))
        .family(Family::Token)
        .graphs(&[Graph::Tree])
        .proved("counting: at most D steps to who enters next, each asked for once")
        .at_most_of(Counts::All, "2D per entry", |facts| Some(2 * facts.diameter * facts.entries))
        .example("-n 5 --topology line");
    types! { Port = Edge }

    fn receive(&mut self, from: Edge, msg: Msg, out: &mut impl Outbox<Self>) {
        match msg {
            Msg::Request {} => {
                out.rule(Rule::Request);
                self.queue.push_back(Some(from));
            }
            Msg::Privilege {} => {
                if self.holder != Some(from) || !self.asked {
                    return out.impossible("the token comes from the holder, which was asked for it");
                }
                out.rule(Rule::Privilege);
                self.holder = None;
            }
        }
        self.settle(out);
    }
}

impl Raymond {
    /// After every input: first ASSIGN, then MAKE-REQUEST.
    fn settle(&mut self, out: &mut impl Outbox<Self>) {
        if self.holder.is_none() && self.user != Stage::Inside {
            match self.queue.pop_front() {
                None => {}
                Some(None) => {
                    out.rule(Rule::Enter);
                    self.asked = false;
                    self.user = Stage::Inside;
                }
                Some(Some(edge)) => {
                    out.rule(Rule::Assign);
                    self.asked = false;
                    self.holder = Some(edge);
                    out.send(edge, Msg::Privilege {});
                }
            }
        }
        if let (Some(holder), false, false) = (self.holder, self.queue.is_empty(), self.asked) {
            out.rule(Rule::Ask);
            self.asked = true;
            out.send(holder, Msg::Request {});
        }
    }
}

impl Exclusion for Raymond {
    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.user = Stage::Waiting;
        self.queue.push_back(None);
        self.settle(out);
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.settle(out);
    }
}
