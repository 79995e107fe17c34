//! Rounds while nothing happens: a leader asks whether it still leads without asking about the log, by a word to each
//! voter and a word back. A round of Raft is most of what an idle cluster costs, and says no more then.
//!
//! A voter says yes if at that moment its vote is this leader's, of this term, as Raft itself has it. With a majority
//! of such votes after the round began, its own among them, nobody else can have been elected before it. The leader
//! has applied an entry of its own term by then, and so everything that was agreed upon before it led; and what was
//! agreed upon since then was not answered before it was applied here. So what is applied here is what a read must see.

use super::shared::random;
use super::tasks::Parts;
use bytes::Bytes;
use openraft::Vote;
use openraft::raft::VoteResponse;
use ringleader::lock::ServerId;
use std::collections::{BTreeMap, VecDeque};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A round: of which cluster, in which term, of which run of the leader, the how manieth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Round {
    pub(super) cluster: u64,
    pub(super) term: u64,
    /// Drawn: a leader that was started again counts anew, and may lead in the same term.
    pub(super) run: u64,
    pub(super) number: u64,
}

/// What is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// Do I lead you?
    Ask(Round),
    Yes(Round),
    /// Then the log has to be asked.
    No(Round),
}

impl Word {
    fn kind(self) -> (u8, Round) {
        match self {
            Word::Ask(round) => (0, round),
            Word::Yes(round) => (1, round),
            Word::No(round) => (2, round),
        }
    }

    pub(super) fn bytes(self) -> Bytes {
        let (kind, Round { cluster, term, run, number }) = self.kind();
        let numbers = [cluster, term, run, number].map(u64::to_le_bytes);
        Bytes::from([&[kind], numbers.as_flattened()].concat())
    }

    pub(super) fn of(bytes: &[u8]) -> Option<Word> {
        let (&kind, numbers) = bytes.split_first()?;
        let (numbers, []) = numbers.as_chunks() else { return None };
        let numbers: [[u8; 8]; 4] = numbers.try_into().ok()?;
        let [cluster, term, run, number] = numbers.map(u64::from_le_bytes);
        let round = Round { cluster, term, run, number };
        [Word::Ask(round), Word::Yes(round), Word::No(round)].into_iter().find(|word| word.kind().0 == kind)
    }
}

/// What voters said to the leader of a term.
#[derive(Default)]
pub(super) struct Answers {
    term: u64,
    run: u64,
    /// The last round in which each said yes.
    yes: BTreeMap<u64, u64>,
    /// Somebody said no since the log was last asked about.
    no: bool,
}

/// The rounds of a leader that are not answered yet.
pub(super) struct Rounds {
    run: u64,
    number: u64,
    asked: VecDeque<Asked>,
}

struct Asked {
    number: u64,
    begun: Instant,
    readers: Vec<oneshot::Sender<()>>,
}

impl Rounds {
    pub(super) fn new() -> Rounds {
        Rounds { run: random(), number: 0, asked: VecDeque::new() }
    }

    /// Begins one in this term, for those who read.
    pub(super) fn asks(
        &mut self,
        parts: &Parts,
        (cluster, term): (u64, u64),
        readers: Vec<oneshot::Sender<()>>,
    ) {
        self.number += 1;
        // Whoever waits for a round that nobody answered is told so by this.
        self.asked.retain(|asked| asked.begun.elapsed() < parts.options.election.start);
        self.asked.push_back(Asked { number: self.number, begun: Instant::now(), readers });
        parts.shared.with_answers(|answers| {
            if (answers.term, answers.run) != (term, self.run) {
                *answers = Answers { term, run: self.run, ..Answers::default() };
            }
        });
        let word = Word::Ask(Round { cluster, term, run: self.run, number: self.number }).bytes();
        let voters: Vec<u64> = parts.raft.metrics().borrow().membership_config.voter_ids().collect();
        let others = voters.into_iter().filter_map(|voter| ServerId::try_from(voter).ok());
        let mut alone = true;
        for voter in others.filter(|voter| *voter != parts.shared.id) {
            parts.network.wire.tell(voter, word.clone());
            alone = false;
        }
        if alone {
            // Its own vote is a majority.
            parts.shared.answered.notify_one();
        }
    }

    /// Nobody waits any more.
    pub(super) fn clear(&mut self) {
        self.asked.clear();
    }

    /// Somebody answered: whoever reads may read what a majority has answered. When the newest such round began.
    pub(super) async fn answered(&mut self, parts: &Parts, term: u64) -> Option<Instant> {
        if self.asked.is_empty() {
            return None;
        }
        let own = u64::from(parts.shared.id);
        let now = (term, self.run);
        let of_this = |answers: &Answers| (answers.term, answers.run) == now;
        let yes = parts.shared.with_answers(|answers| of_this(answers).then(|| answers.yes.clone()))?;
        let upto = parts.raft.with_raft_state(move |state| {
            let voters = state.membership_state.effective().get_joint_config();
            is_of(*state.vote_ref(), own, term).then(|| of_majority(voters, own, &yes))
        });
        let upto = upto.await.ok()??;
        let mut begun = None;
        while self.asked.front().is_some_and(|asked| asked.number <= upto)
            && let Some(asked) = self.asked.pop_front()
        {
            begun = Some(asked.begun);
            for reader in asked.readers {
                // Who has no time left does not wait any more.
                let _ = reader.send(());
            }
        }
        begun
    }
}

/// Whether this vote is one for this leader, in this term, and it knows that it won.
fn is_of(vote: Vote<u64>, leader: u64, term: u64) -> bool {
    vote.is_committed() && vote.leader_id.get_term() == term && vote.leader_id.voted_for() == Some(leader)
}

/// The last round in which a majority said yes, of each of these sets; the leader itself always does.
fn of_majority(voters: &[Vec<u64>], own: u64, yes: &BTreeMap<u64, u64>) -> u64 {
    let last =
        |voter: &u64| if *voter == own { u64::MAX } else { yes.get(voter).copied().unwrap_or_default() };
    let of_set = |set: &Vec<u64>| {
        let mut rounds: Vec<u64> = set.iter().map(last).collect();
        rounds.sort_unstable_by(|one, other| other.cmp(one));
        rounds.get(set.len() / 2).copied().unwrap_or_default()
    };
    voters.iter().map(of_set).min().unwrap_or_default()
}

impl Parts {
    /// What another replica says.
    pub(super) fn hears(&self, from: ServerId, word: &[u8]) {
        let Some(word) = Word::of(word) else { return };
        match word {
            Word::Ask(round) => {
                let parts = self.clone();
                tokio::spawn(async move {
                    let answer = if parts.follows(from, round).await { Word::Yes } else { Word::No };
                    parts.network.wire.tell(from, answer(round).bytes());
                });
            }
            Word::Yes(round) | Word::No(round) => self.shared.with_answers(|answers| {
                if (answers.term, answers.run) != (round.term, round.run)
                    || self.shared.cluster_number() != Some(round.cluster)
                {
                    return;
                }
                if matches!(word, Word::Yes(_)) {
                    let last = answers.yes.entry(u64::from(from)).or_default();
                    *last = round.number.max(*last);
                } else {
                    answers.no = true;
                }
                self.shared.answered.notify_one();
            }),
        }
    }

    /// Whether this replica follows that one, by what Raft has now. If so, it has just heard of it.
    pub(super) async fn follows(&self, leader: ServerId, round: Round) -> bool {
        let of_it = move |vote| is_of(vote, u64::from(leader), round.term);
        let follows = self.raft.with_raft_state(move |state| of_it(*state.vote_ref())).await;
        let follows =
            self.shared.cluster_number() == Some(round.cluster) && follows.is_ok_and(|follows| follows);
        if follows {
            self.shared.hears_leader();
        }
        follows
    }

    /// Somebody said no, and the log has not been asked about since: it is from now on.
    pub(super) fn doubts(&self) -> bool {
        self.shared.with_answers(|answers| std::mem::take(&mut answers.no))
    }

    /// A voter that hears its leader votes for nobody else; as Raft itself has it for those that hear of the log.
    pub(super) fn stands_by_leader(&self) -> Option<VoteResponse<u64>> {
        let heard = self.shared.leader_heard()?;
        let vote = self.raft.metrics().borrow().vote;
        let stands_by = vote.is_committed() && heard.elapsed() <= self.options.election.start;
        stands_by.then(|| VoteResponse::new(vote, None, false))
    }
}

#[cfg(test)]
impl Answers {
    pub(super) fn yes_of(&self, voter: u64) -> Option<u64> {
        self.yes.get(&voter).copied()
    }
}

#[cfg(test)]
impl Rounds {
    pub(super) fn run(&self) -> u64 {
        self.run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were_and_nothing_else_does() {
        let round = Round { cluster: 1 << 40, term: 7, run: 1 << 50, number: u64::MAX };
        for word in [Word::Ask(round), Word::Yes(round), Word::No(round)] {
            let bytes = word.bytes();
            assert_eq!(Word::of(&bytes), Some(word));
            assert_eq!(Word::of(&bytes[..32]), None);
            assert_eq!(Word::of(&[&bytes[..], &[0; 8]].concat()), None);
            assert_eq!(Word::of(&[&[9], &bytes[1..]].concat()), None);
        }
        assert_eq!(Word::of(b""), None);
    }

    #[test]
    fn a_majority_of_every_set_is_needed() {
        let yes = BTreeMap::from([(1, 5), (2, 3), (4, 9)]);
        for (voters, upto) in [
            (vec![vec![0]], u64::MAX),
            (vec![vec![0, 1]], 5),
            (vec![vec![0, 1, 2]], 5),
            (vec![vec![0, 2, 3]], 3),
            (vec![vec![0, 3, 5]], 0),
            (vec![vec![0, 1, 2, 3, 4]], 5),
            (vec![vec![0, 1, 2, 3]], 3),
            // A leader that has no vote any more is not counted.
            (vec![vec![1, 2, 3]], 3),
            // While the voters change: of the old and of the new.
            (vec![vec![0, 1, 2], vec![0, 3, 5]], 0),
            (vec![vec![0, 1, 2], vec![0, 2, 3]], 3),
        ] {
            assert_eq!(of_majority(&voters, 0, &yes), upto, "{voters:?}");
        }
    }
}
