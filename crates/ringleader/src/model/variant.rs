//! Texts taken literally: an algorithm with the error of its source text in it, so that the error can be seen at work.
//!
//! A [`Variant`] stands beside the right algorithm and says only what differs: each of its clauses is handed the right
//! process and may do something else with it. [`Literal`] makes a process of the two. Its contract is the right one's,
//! under a name with an `@`: what the text breaks is then a broken promise in every report.

use super::{
    Charge, Decision, Election, Exclusion, Fields, Knows, Needs, Outbox, Process, Reached, RuleText, Rules,
    Settings, Spec, Stage, State, Verdict,
};
use core::fmt::Debug;
use core::hash::Hash;
use core::marker::PhantomData;

/// What a reader must know about a text taken literally. Everything else is as in the right algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The name on the command line, with an `@`.
    pub name: &'static str,
    /// The name in prose.
    pub title: &'static str,
    /// The number of the erratum, which the right algorithm lists.
    pub erratum: &'static str,
    /// What the text says and what comes of it, in a few sentences.
    pub idea: &'static str,
    /// The rules as the text has them, each in the place of its namesake.
    pub rules: &'static [RuleText],
    /// A small run in which it goes wrong, as arguments of `run` after the name.
    pub example: &'static str,
}

/// How a text taken literally differs from the right algorithm. The value holds what the text remembers and the right
/// algorithm does not; mostly that is nothing. Every clause that is not written does what the right algorithm does.
pub trait Variant: Default + Clone + Eq + Hash + Debug + Send + Sync + Sized + 'static {
    /// The right algorithm.
    type Right: Process;
    /// What a reader must know.
    const TEXT: Text;
    /// What a process does that is reached before it started, where the text has another rule for that.
    const REACHED: Reached = <Self::Right as Process>::SPEC.needs.reached;

    /// It starts.
    fn start(&mut self, right: &mut Self::Right, out: &mut impl Outbox<Self::Right>) {
        right.start(out);
    }

    /// A message arrives.
    #[inline(always)] // as those of the right algorithms are
    fn receive(
        &mut self,
        right: &mut Self::Right,
        from: PortOf<Self>,
        msg: MsgOf<Self>,
        out: &mut impl Outbox<Self::Right>,
    ) {
        right.receive(from, msg, out);
    }

    /// Several waiting messages arrive in one step: one after the other, by the text's own clause. Where the right
    /// algorithm takes them together, so must the text.
    fn receive_several(
        &mut self,
        right: &mut Self::Right,
        batch: &[(PortOf<Self>, MsgOf<Self>)],
        out: &mut impl Outbox<Self::Right>,
    ) {
        for (from, msg) in batch {
            self.receive(right, *from, msg.clone(), out);
        }
    }

    /// A timer runs out.
    fn timeout(&mut self, right: &mut Self::Right, timer: TimerOf<Self>, out: &mut impl Outbox<Self::Right>) {
        right.timeout(timer, out);
    }

    /// It takes a local step.
    fn step(&mut self, right: &mut Self::Right, step: LocalOf<Self>, out: &mut impl Outbox<Self::Right>) {
        right.step(step, out);
    }

    /// The failure detector says that the process behind this port is down.
    fn suspect(&mut self, right: &mut Self::Right, who: PortOf<Self>, out: &mut impl Outbox<Self::Right>) {
        right.suspect(who, out);
    }

    /// It comes back after a crash.
    fn recover(&mut self, right: &mut Self::Right, out: &mut impl Outbox<Self::Right>) {
        right.recover(out);
    }

    /// Its local variables by name.
    fn fields(&self, right: &Self::Right) -> Fields {
        right.fields()
    }

    /// What it says about itself in an election.
    #[inline(always)]
    fn verdict(&self, right: &Self::Right) -> Verdict
    where
        Self::Right: Election,
    {
        right.outcome().verdict
    }

    /// What it knows about the leader.
    fn knows(&self, right: &Self::Right) -> Knows
    where
        Self::Right: Election,
    {
        right.outcome().knows
    }

    /// The user wants in.
    fn request(&mut self, right: &mut Self::Right, out: &mut impl Outbox<Self::Right>)
    where
        Self::Right: Exclusion,
    {
        right.request(out);
    }

    /// The user leaves.
    fn release(&mut self, right: &mut Self::Right, out: &mut impl Outbox<Self::Right>)
    where
        Self::Right: Exclusion,
    {
        right.release(out);
    }
}

type PortOf<V> = <<V as Variant>::Right as Process>::Port;
type MsgOf<V> = <<V as Variant>::Right as Process>::Msg;
type TimerOf<V> = <<V as Variant>::Right as Process>::Timer;
type LocalOf<V> = <<V as Variant>::Right as Process>::Local;

/// A text taken literally, as a process: the right algorithm, and what the text does with it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Literal<V: Variant> {
    right: V::Right,
    variant: V,
}

impl<V: Variant> Process for Literal<V> {
    const SPEC: Spec = Spec {
        name: V::TEXT.name,
        aliases: &[],
        title: V::TEXT.title,
        idea: V::TEXT.idea,
        rules: (&Self::RULES.0 as &'static [RuleText]).split_at(Self::RULES.1).0,
        erratum: V::TEXT.erratum,
        example: V::TEXT.example,
        needs: Needs { reached: V::REACHED, ..V::Right::SPEC.needs },
        ..V::Right::SPEC
    };
    type Given = <V::Right as Process>::Given;
    type Port = PortOf<V>;
    type Msg = MsgOf<V>;
    type Rule = <V::Right as Process>::Rule;
    type Timer = TimerOf<V>;
    type Local = LocalOf<V>;

    fn kinds(settings: &Settings) -> usize {
        V::Right::kinds(settings)
    }

    fn new(given: Self::Given) -> Self {
        Literal { right: V::Right::new(given), variant: V::default() }
    }

    fn start(&mut self, out: &mut impl Outbox<Self>) {
        self.variant.start(&mut self.right, &mut Through::<V, _>(out, PhantomData));
    }

    #[inline(always)] // into the loop of the engine, which comes by here for every message
    fn receive(&mut self, from: Self::Port, msg: Self::Msg, out: &mut impl Outbox<Self>) {
        self.variant.receive(&mut self.right, from, msg, &mut Through::<V, _>(out, PhantomData));
    }

    fn accepts(&self, batch: &[(Self::Port, Self::Msg)]) -> bool {
        self.right.accepts(batch)
    }

    fn receive_several(&mut self, batch: &[(Self::Port, Self::Msg)], out: &mut impl Outbox<Self>) {
        self.variant.receive_several(&mut self.right, batch, &mut Through::<V, _>(out, PhantomData));
    }

    fn timeout(&mut self, timer: Self::Timer, out: &mut impl Outbox<Self>) {
        self.variant.timeout(&mut self.right, timer, &mut Through::<V, _>(out, PhantomData));
    }

    fn can(&self, step: Self::Local) -> bool {
        self.right.can(step)
    }

    fn step(&mut self, step: Self::Local, out: &mut impl Outbox<Self>) {
        self.variant.step(&mut self.right, step, &mut Through::<V, _>(out, PhantomData));
    }

    fn suspect(&mut self, who: Self::Port, out: &mut impl Outbox<Self>) {
        self.variant.suspect(&mut self.right, who, &mut Through::<V, _>(out, PhantomData));
    }

    fn recover(&mut self, out: &mut impl Outbox<Self>) {
        self.variant.recover(&mut self.right, &mut Through::<V, _>(out, PhantomData));
    }
}

impl<V: Variant> State for Literal<V> {
    fn fields(&self) -> Fields {
        self.variant.fields(&self.right)
    }
}

impl<V: Variant<Right: Election>> Election for Literal<V> {
    #[inline(always)]
    fn outcome(&self) -> Decision {
        Decision { verdict: self.variant.verdict(&self.right), knows: self.variant.knows(&self.right) }
    }
}

impl<V: Variant<Right: Exclusion>> Exclusion for Literal<V> {
    const TOKENS: &'static [&'static str] = V::Right::TOKENS;

    fn request(&mut self, out: &mut impl Outbox<Self>) {
        self.variant.request(&mut self.right, &mut Through::<V, _>(out, PhantomData));
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        self.variant.release(&mut self.right, &mut Through::<V, _>(out, PhantomData));
    }

    fn stage(&self) -> Stage {
        self.right.stage()
    }

    fn charge(msg: &Self::Msg) -> Charge {
        V::Right::charge(msg)
    }

    fn priority(&self) -> Option<(u64, u32)> {
        self.right.priority()
    }

    fn tokens(&self) -> u32 {
        self.right.tokens()
    }
}

/// The outbox of a text, as the right algorithm sees it: every effect goes through unchanged.
struct Through<'a, V, O>(&'a mut O, PhantomData<V>);

impl<V: Variant, O: Outbox<Literal<V>>> Outbox<V::Right> for Through<'_, V, O> {
    #[inline(always)]
    fn send(&mut self, to: PortOf<V>, msg: MsgOf<V>) {
        self.0.send(to, msg);
    }
    fn set_timer(&mut self, timer: TimerOf<V>, ticks: u32) {
        self.0.set_timer(timer, ticks);
    }
    fn stop_timer(&mut self, timer: TimerOf<V>) {
        self.0.stop_timer(timer);
    }
    fn choose(&mut self, k: u32) -> u32 {
        self.0.choose(k)
    }
    #[inline(always)]
    fn rule(&mut self, rule: <V::Right as Process>::Rule) {
        self.0.rule(rule);
    }
    fn phase_begins(&mut self) {
        self.0.phase_begins();
    }
    fn phase_reached(&mut self, phase: u32) {
        self.0.phase_reached(phase);
    }
    fn impossible(&mut self, why: &'static str) {
        self.0.impossible(why);
    }
}

/// The most rules of an algorithm that has literal variants.
const RULES_MAX: usize = 32;

impl<V: Variant> Literal<V> {
    /// The rules of the right algorithm with those of the text in their places, and how many they are.
    const RULES: ([RuleText; RULES_MAX], usize) = {
        let own = <V::Right as Process>::Rule::ALL;
        let (right, text) = (if own.is_empty() { V::Right::SPEC.rules } else { own }, V::TEXT.rules);
        assert!(right.len() <= RULES_MAX, "more rules than there is room for");
        let mut rules = [RuleText { name: "", text: "" }; RULES_MAX];
        let mut place = 0;
        while place < right.len() {
            rules[place] = right[place];
            place += 1;
        }
        let mut changed = 0;
        while changed < text.len() {
            let mut place = 0;
            while !same(rules[place].name, text[changed].name) {
                place += 1;
                assert!(place < right.len(), "a rule of the text has no namesake in the right algorithm");
            }
            rules[place] = text[changed];
            changed += 1;
        }
        (rules, right.len())
    };
}

/// Whether two names are equal; `==` cannot be asked before the program runs.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut place = 0;
    while place < a.len() && place < b.len() && a[place] == b[place] {
        place += 1;
    }
    place == a.len() && place == b.len()
}
