//! Messages, views and commands as bytes, with the codec of [`ringleader::model::wire`]: numbers in base 128, lists and
//! texts with their length in front. Reading trusts nothing: what is cut, too long or out of range is an error, never
//! a panic or a large allocation, and one value has one form only, so that replicas can compare bytes.

use super::message::{Carried, Ending, Finished, Hold, Lent, Owned, Parcel};
use super::times::{Class, Times};
use super::view::{Command, SHARDS, Seat, View};
use super::{Fence, Kind, LockState, MAX_EPOCH, MAX_VALUE, Message, Mode, Name, SessionId};
use ringleader::model::{Wire, WireError, put_bytes, put_number, take_bytes, take_text};
use ringleader::{wire_kinds, wire_records};
use ringleader_live::Micros;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The most bytes of a message between servers.
pub const MAX_MESSAGE: usize = 64 * 1024;

/// The most bytes of a view or a command.
const MAX_VIEW: usize = 1 << 20;

/// One value, and nothing after it.
fn whole<T: Wire>(bytes: &[u8], most: usize) -> Result<T, WireError> {
    if bytes.len() > most { Err(WireError::Long) } else { T::whole(bytes) }
}

macro_rules! faces {
    ($($type:ty, $most:expr, $what:literal;)*) => {$(
        impl $type {
            #[doc = concat!("Appends the bytes of this ", $what, ".")]
            pub fn encode(&self, bytes: &mut Vec<u8>) {
                self.put(bytes);
            }

            #[doc = concat!("The ", $what, " of these bytes.")]
            ///
            /// # Errors
            /// If they are none, too many, or more than one.
            pub fn decode(bytes: &[u8]) -> Result<$type, WireError> {
                whole(bytes, $most)
            }
        }
    )*};
}
faces! {
    Message, MAX_MESSAGE, "message";
    View, MAX_VIEW, "view";
    Command, MAX_VIEW, "command";
}

/// The epoch of a view or of what is in it; anything larger than the largest would make two fences one.
fn take_epoch(bytes: &mut &[u8]) -> Result<u32, WireError> {
    u32::take(bytes).and_then(|epoch| if epoch <= MAX_EPOCH { Ok(epoch) } else { Err(WireError::Range) })
}

impl Wire for Name {
    fn put(&self, bytes: &mut Vec<u8>) {
        (self.kind() == Kind::Election).put(bytes);
        put_bytes(self.text().as_bytes(), bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Name, WireError> {
        let kind = if bool::take(bytes)? { Kind::Election } else { Kind::Lock };
        Name::new(kind, take_text(bytes, super::MAX_NAME)?).map_err(|_| WireError::Range)
    }
}

impl Wire for Class {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_number(self.index() as u64, bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Class, WireError> {
        Class::ALL.get(usize::from(u16::take(bytes)?)).copied().ok_or(WireError::Range)
    }
}

/// How a request ended, by its number.
const ENDINGS: [Ending; 3] = [Ending::Over, Ending::Timeout, Ending::Locked];

impl Wire for Ending {
    fn put(&self, bytes: &mut Vec<u8>) {
        put_number(*self as u64, bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Ending, WireError> {
        ENDINGS.get(usize::from(u16::take(bytes)?)).copied().ok_or(WireError::Range)
    }
}

wire_records! {
    Finished { rid, lock, how }
    Hold { run, fence }
    Lent { mode, holds }
}

/// In place of whether a lock is held: it is held in a way that a server of the first version does not know, which
/// follows. So what is said of any other lock is as it was.
const OTHERWISE: u64 = 2;

impl Wire for Mode {
    fn put(&self, bytes: &mut Vec<u8>) {
        let number = match self {
            Mode::Exclusive => 0,
            Mode::Shared => 1,
            Mode::Permits(permits) => u64::from(*permits) + 1,
        };
        put_number(number, bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Mode, WireError> {
        match u64::take(bytes)? {
            0 => Ok(Mode::Exclusive),
            1 => Ok(Mode::Shared),
            number => Mode::permits(number - 1).ok_or(WireError::Range),
        }
    }
}

/// What is not exclusive.
fn take_mode(bytes: &mut &[u8]) -> Result<Mode, WireError> {
    Mode::take(bytes).and_then(|mode| if mode == Mode::Exclusive { Err(WireError::Range) } else { Ok(mode) })
}

impl Wire for Owned {
    fn put(&self, bytes: &mut Vec<u8>) {
        let Owned { name, held, lent } = self;
        name.put(bytes);
        match lent {
            None => held.put(bytes),
            Some((mode, fences)) => {
                put_number(OTHERWISE, bytes);
                mode.put(bytes);
                fences.put(bytes);
            }
        }
    }
    fn take(bytes: &mut &[u8]) -> Result<Owned, WireError> {
        let name = Name::take(bytes)?;
        match u64::take(bytes)? {
            held @ 0..OTHERWISE => Ok(Owned { name, held: held == 1, lent: None }),
            OTHERWISE => {
                let lent = (take_mode(bytes)?, Vec::take(bytes)?);
                Ok(Owned { name, held: true, lent: Some(lent) })
            }
            _ => Err(WireError::Range),
        }
    }
}

impl Wire for Fence {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.number().put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Fence, WireError> {
        Fence::from_number(u64::take(bytes)?).ok_or(WireError::Range)
    }
}

impl Wire for LockState {
    fn put(&self, bytes: &mut Vec<u8>) {
        let LockState { held, fence, value, holder, remaining, waiters, owner, mode, holders } = self;
        if *mode == Mode::Exclusive {
            held.put(bytes);
        } else {
            put_number(OTHERWISE, bytes);
            mode.put(bytes);
            holders.put(bytes);
        }
        fence.put(bytes);
        put_bytes(value, bytes);
        put_bytes(holder.as_bytes(), bytes);
        remaining.put(bytes);
        waiters.put(bytes);
        owner.put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<LockState, WireError> {
        let (held, mode, holders) = match u64::take(bytes)? {
            held @ 0..OTHERWISE => (held == 1, Mode::Exclusive, held as u32),
            OTHERWISE => (true, take_mode(bytes)?, u32::take(bytes)?),
            _ => return Err(WireError::Range),
        };
        Ok(LockState {
            held,
            fence: Wire::take(bytes)?,
            value: Arc::from(take_bytes(bytes, MAX_VALUE)?),
            holder: Arc::from(take_text(bytes, MAX_VALUE)?),
            remaining: Micros::take(bytes)?,
            waiters: u32::take(bytes)?,
            owner: Wire::take(bytes)?,
            mode,
            holders,
        })
    }
}

impl Wire for SessionId {
    fn put(&self, bytes: &mut Vec<u8>) {
        ((self.0 >> 64) as u64, self.0 as u64).put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<SessionId, WireError> {
        let (run, key) = <(u64, u64)>::take(bytes)?;
        Ok(SessionId(u128::from(run) << 64 | u128::from(key)))
    }
}

impl Wire for Parcel {
    fn put(&self, bytes: &mut Vec<u8>) {
        let Parcel { ttl, class, meta, owner, left, over, held } = self;
        ttl.put(bytes);
        class.put(bytes);
        put_bytes(meta.as_bytes(), bytes);
        put_bytes(owner.as_bytes(), bytes);
        left.put(bytes);
        over.put(bytes);
        held.put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Parcel, WireError> {
        Ok(Parcel {
            ttl: Micros::take(bytes)?,
            class: Class::take(bytes)?,
            meta: Arc::from(take_text(bytes, MAX_VALUE)?),
            owner: Arc::from(take_text(bytes, MAX_VALUE)?),
            left: Micros::take(bytes)?,
            over: Wire::take(bytes)?,
            held: Wire::take(bytes)?,
        })
    }
}

impl Wire for Carried {
    fn put(&self, bytes: &mut Vec<u8>) {
        let Carried { rid, name, fence, value, k, counter } = self;
        rid.put(bytes);
        name.put(bytes);
        fence.put(bytes);
        put_bytes(value, bytes);
        k.put(bytes);
        counter.put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Carried, WireError> {
        Ok(Carried {
            rid: u64::take(bytes)?,
            name: Name::take(bytes)?,
            fence: Fence::take(bytes)?,
            value: Arc::from(take_bytes(bytes, MAX_VALUE)?),
            k: u64::take(bytes)?,
            counter: u64::take(bytes)?,
        })
    }
}

wire_kinds! {
    Message {
        0 Ping { epoch, incarnation, leased, wants_in, proposes, proto },
        1 Req { epoch, name, number, priority },
        2 Pass { epoch, name, k, to },
        3 Token { epoch, name, k, counter },
        4 Took { epoch, name, k },
        5 Offer { epoch, name, k },
        6 Report { epoch, incarnation, page, pages, owns, gone },
        7 Reported { epoch, incarnation, page },
        8 Look { epoch, name, asker, number },
        9 Looked { epoch, name, number, state },
        10 Move { epoch, session, parcel },
        11 Moved { epoch, session, taken },
        12 Lends { epoch, name, k, counter, lent },
        13 Ask { epoch, name, fences },
        14 Over { epoch, name, fences },
    }
}

impl Wire for Times {
    fn put(&self, bytes: &mut Vec<u8>) {
        self.leases.put(bytes);
        self.drift_ppm.put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<Times, WireError> {
        let times = Times { leases: Wire::take(bytes)?, drift_ppm: u32::take(bytes)? };
        if times.drift_ppm < 1_000_000 { Ok(times) } else { Err(WireError::Range) }
    }
}

impl Wire for View {
    fn put(&self, bytes: &mut Vec<u8>) {
        let View { epoch, members, homes, past, times, running, proto, classes } = self;
        epoch.put(bytes);
        put_number(members.len() as u64, bytes);
        for (server, Seat { incarnation, since }) in members {
            server.put(bytes);
            incarnation.put(bytes);
            since.put(bytes);
        }
        homes.put(bytes);
        put_number(past.len() as u64, bytes);
        past.iter().for_each(|run| run.put(bytes));
        times.put(bytes);
        running.put(bytes);
        proto.put(bytes);
        classes.put(bytes);
    }
    fn take(bytes: &mut &[u8]) -> Result<View, WireError> {
        let epoch = take_epoch(bytes)?;
        let mut members = BTreeMap::new();
        for _ in 0..u16::take(bytes)? {
            let server = u16::take(bytes)?;
            let seat = Seat { incarnation: u64::take(bytes)?, since: take_epoch(bytes)? };
            if members.last_key_value().is_some_and(|(last, _)| *last >= server) || seat.since > epoch {
                return Err(WireError::Range);
            }
            members.insert(server, seat);
        }
        let homes = Vec::take(bytes)?;
        let shards = if members.is_empty() { 0 } else { SHARDS };
        if homes.len() != shards || !homes.iter().all(|home| members.contains_key(home)) {
            return Err(WireError::Range);
        }
        let mut past = BTreeSet::new();
        for _ in 0..u16::take(bytes)? {
            let run = Wire::take(bytes)?;
            if past.last().is_some_and(|last| *last >= run) {
                return Err(WireError::Range);
            }
            past.insert(run);
        }
        let (times, running) = (Times::take(bytes)?, Wire::take(bytes)?);
        let (proto, classes) = (u16::take(bytes)?, Vec::take(bytes)?);
        Ok(View { epoch, members, homes, past, times, running, proto, classes })
    }
}

impl Wire for Command {
    fn put(&self, bytes: &mut Vec<u8>) {
        match self {
            Command::Exclude(epoch, server) => (0_u16, (*epoch, *server)).put(bytes),
            Command::Admit(epoch, server, incarnation) => {
                (1_u16, (*epoch, (*server, *incarnation))).put(bytes);
            }
            Command::Rehome(epoch, homes) => {
                (2_u16, *epoch).put(bytes);
                homes.put(bytes);
            }
            Command::SetTimes(epoch, times, classes) => {
                (3_u16, *epoch).put(bytes);
                times.put(bytes);
                classes.put(bytes);
            }
            Command::SetProto(epoch, proto) => (4_u16, (*epoch, *proto)).put(bytes),
            Command::Settle(epoch) => (5_u16, *epoch).put(bytes),
            Command::Left(epoch, server, incarnation) => {
                (6_u16, (*epoch, (*server, *incarnation))).put(bytes);
            }
        }
    }
    fn take(bytes: &mut &[u8]) -> Result<Command, WireError> {
        let tag = u16::take(bytes)?;
        let epoch = take_epoch(bytes)?;
        match tag {
            0 => Ok(Command::Exclude(epoch, u16::take(bytes)?)),
            1 => Ok(Command::Admit(epoch, u16::take(bytes)?, u64::take(bytes)?)),
            2 => Ok(Command::Rehome(epoch, Vec::take(bytes)?)),
            3 => Ok(Command::SetTimes(epoch, Times::take(bytes)?, Vec::take(bytes)?)),
            4 => Ok(Command::SetProto(epoch, u16::take(bytes)?)),
            5 => Ok(Command::Settle(epoch)),
            6 => Ok(Command::Left(epoch, u16::take(bytes)?, u64::take(bytes)?)),
            _ => Err(WireError::Range),
        }
    }
}
