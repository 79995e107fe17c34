//! Processes of one type, as a population.

use super::equals::Equals;
use super::memory::{ONE_ACCESS, OUT_OF_RANGE};
use super::reading::Reading;
use super::store::Store;
use super::{
    Access, Effects, Handle, Input, Letter, Memory, Nature, Population, Received, Sent, Status,
    UNDECLARED_CHOICE,
};
use crate::model::{
    Belief, Birth, Charge, Doorway, Estimate, Fields, Given, Knows, Message, NO_CLOCK, Name, Outbox, Port,
    Process, Register, Registers, Rules, Sizes, Ticks, Value, WireError,
};
use core::marker::PhantomData;

/// All processes of an algorithm, and their messages.
pub(crate) struct Processes<P: Process, R> {
    nature: &'static Nature,
    all: Vec<P>,
    messages: Store<P::Msg>,
    memory: Memory,
    /// What the last attempt made of a process, and of the registers.
    attempted: Option<P>,
    attempted_memory: Memory,
    /// Which processes and messages have numbers.
    equal_processes: Equals,
    equal_messages: Equals,
    reading: PhantomData<fn() -> R>,
}

impl<P: Process, R: Reading<P>> Processes<P, R> {
    pub(crate) fn new(nature: &'static Nature, all: Vec<P>, memory: Memory) -> Processes<P, R> {
        Processes {
            nature,
            all,
            messages: Store::default(),
            memory,
            attempted: None,
            attempted_memory: Memory::default(),
            equal_processes: Equals::default(),
            equal_messages: Equals::default(),
            reading: PhantomData,
        }
    }

    /// A step. None if a batch is not accepted; otherwise how many of the sends are those of the start.
    fn step(
        process: &mut P,
        input: Input<'_>,
        messages: &mut Store<P::Msg>,
        memory: &mut Memory,
        effects: &mut Effects,
    ) -> Option<usize> {
        match input {
            Input::Start => process.start(&mut Out::<P, R>::new(effects, messages, memory)),
            Input::Deliver { port, message, wakes } => {
                let msg = messages.get(message).clone();
                Self::arrives(
                    process,
                    P::Port::from_index(port),
                    msg,
                    wakes,
                    &mut Out::new(effects, messages, memory),
                );
            }
            Input::Batch { messages: several, wakes } => {
                let batch = messages.batch(several);
                if !process.accepts(&batch) {
                    return None;
                }
                let out = &mut Out::<P, R>::new(effects, messages, memory);
                if wakes {
                    process.start(out);
                }
                let of_start = out.effects.sends.len();
                process.receive_several(&batch, out);
                return Some(of_start);
            }
            Input::Timeout(timer) => {
                process
                    .timeout(P::Timer::ALL[timer as usize], &mut Out::<P, R>::new(effects, messages, memory));
            }
            Input::Local(step) => match P::Local::ALL.get(step as usize) {
                Some(&step) => process.step(step, &mut Out::<P, R>::new(effects, messages, memory)),
                None if P::SPEC.needs.registers == Registers::Composite => corrupt(memory, effects),
                None => end_write(memory, effects),
            },
            Input::Want => R::want(process, &mut Out::<P, R>::new(effects, messages, memory)),
            Input::Exit => R::exit(process, &mut Out::<P, R>::new(effects, messages, memory)),
            Input::Suspect(who) => {
                process.suspect(P::Port::from_index(who), &mut Out::<P, R>::new(effects, messages, memory));
            }
            Input::Recover => process.recover(&mut Out::<P, R>::new(effects, messages, memory)),
        }
        if const { !P::Register::KINDS.is_empty() && P::SPEC.needs.registers as u8 != Registers::Composite as u8 }
        {
            let most = usize::from(matches!(input, Input::Local(_)));
            if effects.accesses.len() != most {
                Out::<P, R>::new(effects, messages, memory).impossible(ONE_ACCESS);
            }
        }
        Some(0)
    }

    /// A message arrives at a process, which starts first if it wakes.
    #[inline]
    fn arrives(process: &mut P, port: P::Port, msg: P::Msg, wakes: bool, out: &mut Out<'_, P, R>) {
        if wakes {
            process.start(out);
        }
        process.receive(port, msg, out);
    }

    fn number_of(&mut self, process: P) -> u32 {
        let found = self.equal_processes.find(&process, |who| self.all[who as usize] == process);
        found.unwrap_or_else(|hash| {
            let number = self.all.len() as u32;
            self.equal_processes.add(hash, number, elsewhere(&process, P::fields));
            self.all.push(process);
            number
        })
    }
}

/// A machine is put into any of its states.
fn corrupt(memory: &mut Memory, effects: &mut Effects) {
    let accesses = memory.corrupt(effects.who, |states| effects.choose(states));
    effects.asks_more = true;
    effects.accesses.extend(accesses);
}

/// A write of a safe register ends.
fn end_write(memory: &mut Memory, effects: &mut Effects) {
    let who = memory.actor(effects.who);
    if let Some(access) = memory.end_write(who, |values| effects.choose(values)) {
        effects.asks_more = true;
        effects.accesses.push(access);
    }
}

/// About how many bytes a value has elsewhere: lists that grow without end must not go unnoticed.
fn elsewhere<T>(value: &T, fields: fn(&T) -> Fields) -> u64 {
    if core::mem::needs_drop::<T>() { weight(&fields(value)) } else { 0 }
}

fn weight(fields: &Fields) -> u64 {
    fn leaves(value: &Value) -> u64 {
        match value {
            Value::List(values) => 3 + values.iter().map(leaves).sum::<u64>(),
            Value::Nothing
            | Value::Flag(_)
            | Value::Number(_)
            | Value::Identity(_)
            | Value::Process(_)
            | Value::Ticks(_)
            | Value::Word(_) => 1,
        }
    }
    8 * fields.iter().map(|(_, value)| leaves(value)).sum::<u64>()
}

impl<P: Process, R: Reading<P>> Population for Processes<P, R> {
    fn nature(&self) -> &'static Nature {
        self.nature
    }

    fn react(&mut self, who: u32, input: Input<'_>, effects: &mut Effects) -> Status {
        if let Input::Deliver { port, message, wakes } = input {
            return self.receive(&[Letter { to: who, port, message }], wakes, None, effects).status;
        }
        effects.who = who;
        let process = &mut self.all[who as usize];
        Self::step(process, input, &mut self.messages, &mut self.memory, effects);
        R::status(process)
    }

    fn receive(
        &mut self,
        letters: &[Letter],
        wakes: bool,
        apart: Option<u64>,
        effects: &mut Effects,
    ) -> Received {
        let mut last = None;
        for (place, letter) in letters.iter().enumerate() {
            if place > 0 && letter.to != effects.who {
                effects.go_on_with(letter.to);
            }
            effects.who = letter.to;
            let process = &mut self.all[letter.to as usize];
            let before = R::status(process);
            let sent_before = effects.sends.len();
            let msg = self.messages.take(letter.message);
            let kind = msg.kind() as u32;
            let out = &mut Out::new(effects, &mut self.messages, &mut self.memory);
            Self::arrives(process, P::Port::from_index(letter.port), msg, wakes && place == 0, out);
            let status = R::status(process);
            let ends = match apart {
                None => false,
                Some(kinds) => effects.sends.len() > sent_before || kinds >> kind & 1 == 1,
            };
            if place + 1 == letters.len() || ends || status != before || effects.asks_more {
                last = Some(Received { letters: place + 1, sent_before, kind, status });
                break;
            }
        }
        last.expect("there is a letter")
    }

    fn attempt(&mut self, who: u32, input: Input<'_>, effects: &mut Effects) -> Option<usize> {
        let mut copy = self.all[who as usize].clone();
        effects.who = who;
        self.attempted_memory.clone_from(&self.memory);
        let of_start = Self::step(&mut copy, input, &mut self.messages, &mut self.attempted_memory, effects)?;
        self.attempted = Some(copy);
        Some(of_start)
    }

    fn keep(&mut self, who: u32) -> Status {
        if let Some(process) = self.attempted.take() {
            self.all[who as usize] = process;
            self.memory.clone_from(&self.attempted_memory);
        }
        self.status(who)
    }

    fn accepts(&self, who: u32, messages: &[(u32, Handle)]) -> bool {
        self.all[who as usize].accepts(&self.messages.batch(messages))
    }

    fn reset(&mut self, who: u32, birth: &Birth) {
        self.all[who as usize] = P::new(P::Given::of(&self.nature.birth(birth)));
    }

    fn status(&self, who: u32) -> Status {
        R::status(&self.all[who as usize])
    }

    fn knows(&self, who: u32) -> Knows {
        R::knows(&self.all[who as usize])
    }

    fn belief(&self, who: u32) -> Belief {
        R::belief(&self.all[who as usize])
    }

    fn priority(&self, who: u32) -> Option<(u64, u32)> {
        R::priority(&self.all[who as usize])
    }

    fn doorway(&self, who: u32) -> Doorway {
        R::doorway(&self.all[who as usize])
    }

    fn has_privilege(&self, who: u32, holds: u32, told: u32) -> bool {
        R::has_privilege(&self.all[who as usize], holds, told)
    }

    fn rebase_memory(&mut self, cells: &[u32], by: u32) -> Vec<u32> {
        self.memory.set_cells(cells);
        self.memory.rebase(by);
        self.memory.cells().to_vec()
    }

    fn possible(&self, who: u32) -> u64 {
        if self.memory.is_writing(who) {
            return 1 << P::Local::ALL.len();
        }
        let process = &self.all[who as usize];
        let read = |register| self.memory.get(self.memory.place(register));
        steps::<P::Local>(|step| process.guard(step, &read))
    }

    fn can(&self, who: u32) -> u64 {
        steps::<P::Local>(|step| self.all[who as usize].can(step))
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }

    fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn attempted_memory(&self) -> &Memory {
        &self.attempted_memory
    }

    fn fields(&self, who: u32) -> Fields {
        self.all[who as usize].fields()
    }

    fn message_fields(&self, message: Handle) -> Fields {
        self.messages.get(message).fields()
    }

    fn message_bits(&self, message: Handle, sizes: Sizes) -> u64 {
        self.messages.get(message).bits(sizes)
    }

    fn message_charge(&self, message: Handle) -> Charge {
        R::charge(self.messages.get(message))
    }

    fn duplicate(&mut self, message: Handle) -> Handle {
        let copy = self.messages.get(message).clone();
        self.messages.put(copy)
    }

    fn discard(&mut self, message: Handle) {
        self.messages.take(message);
    }

    fn encode(&self, message: Handle) -> Vec<u8> {
        self.messages.get(message).encode()
    }

    fn read(&self, bytes: &[u8]) -> Result<(usize, Fields), WireError> {
        P::Msg::decode(bytes).map(|msg| (msg.kind(), msg.fields()))
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<Handle, WireError> {
        P::Msg::decode(bytes).map(|msg| self.messages.put(msg))
    }

    fn number(&mut self, who: u32) -> u32 {
        let process = &self.all[who as usize];
        let found = self.equal_processes.find(process, |other| self.all[other as usize] == *process);
        found.unwrap_or_else(|hash| {
            self.equal_processes.add(hash, who, elsewhere(process, P::fields));
            who
        })
    }

    fn number_attempted(&mut self) -> u32 {
        let process = self.attempted.take().expect(ATTEMPTED);
        self.number_of(process)
    }

    fn hash(&self, who: u32) -> u64 {
        self.equal_processes.hash(who)
    }

    fn number_message(&mut self, message: Handle) -> Handle {
        let msg = self.messages.get(message);
        let is = |other: u32| self.messages.get(Handle(other)) == msg;
        match self.equal_messages.find(msg, is) {
            Ok(other) if other == message.0 => message,
            Ok(other) => {
                self.messages.take(message);
                Handle(other)
            }
            Err(hash) => {
                self.equal_messages.add(hash, message.0, elsewhere(msg, P::Msg::fields));
                message
            }
        }
    }

    fn message_hash(&self, message: Handle) -> u64 {
        self.equal_messages.hash(message.0)
    }

    fn message_kind(&self, message: Handle) -> usize {
        self.messages.get(message).kind()
    }

    fn round(&self, who: u32) -> Option<u32> {
        P::ROUNDS.and_then(|rounds| (rounds.of)(&self.all[who as usize]))
    }

    fn rebase(&mut self, who: u32, by: u32) -> u32 {
        let Some(rounds) = P::ROUNDS else { return who };
        let mut process = self.all[who as usize].clone();
        (rounds.process)(&mut process, by);
        self.number_of(process)
    }

    fn rebase_message(&mut self, message: Handle, by: u32) -> Handle {
        let Some(rounds) = P::ROUNDS else { return message };
        let mut msg = self.messages.get(message).clone();
        (rounds.message)(&mut msg, by);
        let rebased = self.messages.put(msg);
        self.number_message(rebased)
    }

    fn bytes(&self) -> u64 {
        self.equal_processes.bytes(size_of::<P>()) + self.equal_messages.bytes(size_of::<P::Msg>())
    }

    fn copy(&self) -> Box<dyn Population> {
        Box::new(Processes::<P, R> {
            nature: self.nature,
            all: self.all.clone(),
            messages: self.messages.clone(),
            memory: self.memory.clone(),
            attempted: None,
            attempted_memory: Memory::default(),
            equal_processes: Equals::default(),
            equal_messages: Equals::default(),
            reading: PhantomData,
        })
    }
}

/// The local steps of which this is true, one bit each.
fn steps<L: Name>(can: impl Fn(L) -> bool) -> u64 {
    L::ALL.iter().enumerate().fold(0, |all, (bit, &step)| all | u64::from(can(step)) << bit)
}

/// Whoever asks what an attempt has made has made one.
const ATTEMPTED: &str = "something was attempted";

/// The outbox: it erases the types of what a step asks for.
struct Out<'a, P: Process, R> {
    effects: &'a mut Effects,
    messages: &'a mut Store<P::Msg>,
    memory: &'a mut Memory,
    reading: PhantomData<fn() -> R>,
}

impl<'a, P: Process, R> Out<'a, P, R> {
    #[inline]
    fn new(
        effects: &'a mut Effects,
        messages: &'a mut Store<P::Msg>,
        memory: &'a mut Memory,
    ) -> Out<'a, P, R> {
        Out { effects, messages, memory, reading: PhantomData }
    }
}

impl<P: Process, R: Reading<P>> Outbox<P> for Out<'_, P, R> {
    #[inline]
    fn send(&mut self, to: P::Port, msg: P::Msg) {
        if self.effects.shares
            && let Some(&last) = self.effects.sends.last()
            && *self.messages.get(last.message) == msg
        {
            self.messages.share(last.message, 1);
            self.effects.sends.push(Sent { from: self.effects.who, port: to.index(), ..last });
            return;
        }
        let (kind, charge) = (msg.kind() as u32, R::charge(&msg));
        let message = self.messages.put(msg);
        self.effects.sends.push(Sent { from: self.effects.who, port: to.index(), message, kind, charge });
    }

    fn send_all(&mut self, to: impl IntoIterator<Item = P::Port>, msg: P::Msg) {
        let mut to = to.into_iter();
        if !self.effects.shares {
            to.for_each(|port| self.send(port, msg.clone()));
        } else if let Some(first) = to.next() {
            self.send(first, msg);
            let sent = self.effects.sends.len();
            if let Some(&first) = self.effects.sends.last() {
                self.effects.sends.extend(to.map(|port| Sent { port: port.index(), ..first }));
                self.messages.share(first.message, (self.effects.sends.len() - sent) as u32);
            }
        }
    }

    fn set_timer(&mut self, timer: P::Timer, ticks: u32) {
        self.effects.asks_more = true;
        self.effects.timers.push((timer.index() as u32, Some(ticks)));
    }

    fn stop_timer(&mut self, timer: P::Timer) {
        self.effects.asks_more = true;
        self.effects.timers.push((timer.index() as u32, None));
    }

    fn now(&mut self) -> Ticks {
        if !R::HAS_CLOCK {
            self.impossible(NO_CLOCK);
        }
        self.effects.now
    }

    fn adjust(&mut self, by: Ticks) {
        if !R::HAS_CLOCK {
            self.impossible(NO_CLOCK);
        }
        self.effects.asks_more = true;
        self.effects.adjust += by;
    }

    fn slew(&mut self, by: Ticks) {
        self.adjust(by);
        self.effects.slews = true;
    }

    fn estimate(&mut self, found: Estimate) {
        if self.effects.record {
            self.effects.asks_more = true;
            self.effects.estimates.push(found);
        }
    }

    fn choose(&mut self, k: u32) -> u32 {
        if !P::SPEC.needs.choices {
            self.impossible(UNDECLARED_CHOICE);
        }
        self.effects.choose(k)
    }

    fn read(&mut self, register: P::Register) -> u32 {
        let place = self.memory.place(register);
        let read = self.memory.read(place, self.memory.actor(self.effects.who));
        let value = read.unwrap_or_else(|values| values.start + self.effects.choose(values.len() as u32));
        self.effects.asks_more = true;
        self.effects.accesses.push(Access { place, value, writes: false });
        value
    }

    fn write(&mut self, register: P::Register, value: u32) {
        let place = self.memory.place(register);
        if !self.memory.write(place, value, self.memory.actor(self.effects.who)) {
            self.impossible(OUT_OF_RANGE);
        }
        self.effects.asks_more = true;
        self.effects.accesses.push(Access { place, value, writes: true });
    }

    #[inline]
    fn rule(&mut self, rule: P::Rule) {
        if self.effects.record {
            self.effects.asks_more = true;
            self.effects.rules.push(rule.name());
        }
    }

    #[inline]
    fn phase_begins(&mut self) {
        self.effects.asks_more = true;
        self.effects.phases_begun += 1;
    }

    #[inline]
    fn phase_reached(&mut self, phase: u32) {
        self.effects.asks_more = true;
        self.effects.phase_reached = self.effects.phase_reached.max(Some(phase));
    }

    #[cold]
    fn impossible(&mut self, why: &'static str) {
        self.effects.asks_more = true;
        self.effects.impossible.get_or_insert(why);
    }
}
