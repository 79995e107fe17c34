//! Misra, k tokens: any number of tokens on a ring, each watched by one other.
//!
//! **Idea.** Token 0 lets in, and token a watches token a+1 (modulo k). A token counts its arrivals since it met its
//! ward; after n+1 of them, where the ward has not been since the last time, the ward is lost and is made anew. Losses
//! that leave one token are repaired one after the other.
//!
//! **Needs.** A one-way ring with FIFO links, so that no token overtakes another unseen, and its size, for a token to
//! know that it has been round. One process holds all tokens at first. They may be lost in transit, or with a process
//! that crashes, over which the ring is closed; but never all at once.
//!
//! **Cost.** no number per entry: the tokens circulate for ever
//!
//! **Source.** after J. Misra, PODC 1983, 290-294; the rules are our own
//!
//! ```
//! use ringleader::{mutex::MisraK, sim::{self, Fault, Scenario}};
//! let faults = [0, 1].map(|token| Fault::LoseNth { kind: format!("token-{token}"), nth: 2 }).to_vec();
//! let run = sim::run_exclusion::<MisraK>(&Scenario { faults, ..Scenario::new(3) }, &mut ()).unwrap();
//! assert!(run.holds());
//! ```

use crate::model::*;

/// The most tokens.
const MOST: usize = 8;

/// Arrivals since each ward was met, up to n+1; 0 for those that are no wards.
type Hops = [u32; MOST];

state! {
    pub struct MisraK {
        hidden n: Size,
        told holder: Holder,
        told settings: Settings,
        /// How many tokens there are.
        hidden k: u8 = Self::kinds(&settings) as u8,
        user: Stage = Stage::Idle,
        /// The tokens that are here, each with its hops.
        hidden held: [Option<Hops>; MOST] =
            core::array::from_fn(|token| (holder.0 && token < Self::kinds(&settings)).then_some([0; MOST])),
        tokens = |me| (0..me.k).filter(|&token| me.held[usize::from(token)].is_some()).collect::<Vec<u8>>(),
        /// For each token the set of its wards that have been here since it was.
        hidden seen: [u8; MOST] = [0; MOST],
        seen = |me| me.seen[..usize::from(me.k)],
    }
}

names! {
    /// A token may stay as long as it likes; at some moment it is sent on.
    pub enum Local {
        Release0 = "release token-0",
        Release1 = "release token-1",
        Release2 = "release token-2",
        Release3 = "release token-3",
        Release4 = "release token-4",
        Release5 = "release token-5",
        Release6 = "release token-6",
        Release7 = "release token-7",
    }
}

/// A token on its way: which one, and the arrivals since it met each of its wards.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Msg {
    token: u8,
    hops: Hops,
}

impl Message for Msg {
    const KINDS: &'static [&'static str] =
        &["token-0", "token-1", "token-2", "token-3", "token-4", "token-5", "token-6", "token-7"];
    const ANNOUNCES: &'static [bool] = &[false; MOST];

    fn kind(&self) -> usize {
        usize::from(self.token)
    }

    fn fields(&self) -> Fields {
        // What is not watched stays 0; of one ward its number is enough.
        let watched: Vec<u32> = self.hops.iter().copied().filter(|&hops| hops > 0).collect();
        vec![("hops", if watched.len() < 2 { self.hops.iter().sum::<u32>().show() } else { watched.show() })]
    }

    fn bits(&self, sizes: Sizes) -> u64 {
        let hops = self.hops.iter().filter(|&&hops| hops > 0).map(|hops| hops.bits(sizes)).sum::<u64>();
        u64::from(bits_of(MOST as u64 - 1)) + hops.max(1)
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        self.token.put(bytes);
        self.hops.iter().for_each(|hops| hops.put(bytes));
    }

    fn take(bytes: &mut &[u8]) -> Result<Self, WireError> {
        let token = u8::take(bytes)?;
        if usize::from(token) >= MOST {
            return Err(WireError::Range);
        }
        let mut hops = [0; MOST];
        for hops in &mut hops {
            *hops = u32::take(bytes)?;
        }
        Ok(Msg { token, hops })
    }
}

rules! {
    /// on token a: hops := min(hops+1, n+1); seen[a] := F; seen[a-1] := T; if the watcher a-1 is here its hops := 0
    Arrive,
    /// the same, the ward a+1 here: hops := 0
    Meet,
    /// the same, the ward not here, hops = n+1 and not seen[a]: make the ward here; hops := 0 for both
    Regenerate,
    /// a token is here, and for token 0 the user not inside: send it on
    Send,
    /// enter if token 0 is here, wait for it otherwise
    Want,
    /// leave; send token 0 on
    Exit,
}

impl Process for MisraK {
    const SPEC: Spec = Spec::exclusion("misra-k", 1983, include_str!("mod.rs"))
        .family(Family::Token)
        .errata(include_str!("errata.md"))
        .links(Links::Fifo)
        .bypass()
        .tolerates(Tolerates { crash: true, loss: true, ..Tolerates::NOTHING })
        .serves(Order::Ring)
        .circulates()
        .settings(&[Setting::number("tokens", "how many tokens there are", (2, MOST as u32), 3)])
        .example("-n 3 --lose token-0@2 --lose token-1@3");
    types! { Port = Next, Local = Local }

    fn kinds(settings: &Settings) -> usize {
        (settings.0[0] as usize).clamp(2, MOST)
    }

    fn receive(&mut self, _: Next, Msg { token, mut hops }: Msg, out: &mut impl Outbox<Self>) {
        let (token, k, limit) = (usize::from(token), usize::from(self.k), self.n.0.saturating_add(1));
        if token >= k || self.held[token].is_some() {
            return out.impossible("there is one token of each kind");
        }
        let mut rule = Rule::Arrive;
        for ward in wards(token, k) {
            hops[ward] = hops[ward].saturating_add(1).min(limit);
            if self.held[ward].is_some() {
                rule = Rule::Meet;
                hops[ward] = 0;
            } else if hops[ward] == limit && self.seen[token] >> ward & 1 == 0 {
                rule = Rule::Regenerate;
                hops[ward] = 0;
                self.held[ward] = Some([0; MOST]);
            }
        }
        out.rule(rule);
        self.seen[token] = 0;
        for watcher in (0..k).filter(|&watcher| wards(watcher, k).any(|ward| ward == token)) {
            self.seen[watcher] |= 1 << token;
            if let Some(hops) = &mut self.held[watcher] {
                hops[token] = 0;
            }
        }
        self.held[token] = Some(hops);
        self.let_in();
    }

    fn can(&self, step: Local) -> bool {
        self.held[step as usize].is_some() && (step != Local::Release0 || self.user != Stage::Inside)
    }

    fn step(&mut self, step: Local, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Send);
        self.send_on(step as usize, out);
    }
}

/// The tokens that this one watches, of k.
fn wards(token: usize, k: usize) -> impl Iterator<Item = usize> {
    core::iter::once((token + 1) % k)
}

impl MisraK {
    fn send_on(&mut self, token: usize, out: &mut impl Outbox<Self>) {
        match self.held[token].take() {
            Some(hops) => out.send(Next, Msg { token: token as u8, hops }),
            None => out.impossible("a token is sent on where it is"),
        }
    }

    /// A waiting user enters with token 0.
    fn let_in(&mut self) {
        if self.user == Stage::Waiting && self.held[0].is_some() {
            self.user = Stage::Inside;
        }
    }
}

impl Exclusion for MisraK {
    const TOKENS: &'static [&'static str] = Msg::KINDS;

    fn request(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Want);
        self.user = Stage::Waiting;
        self.let_in();
    }

    fn release(&mut self, out: &mut impl Outbox<Self>) {
        out.rule(Rule::Exit);
        self.user = Stage::Idle;
        self.send_on(0, out);
    }

    fn tokens(&self) -> u32 {
        self.held.iter().enumerate().map(|(token, held)| u32::from(held.is_some()) << token).sum()
    }
}
