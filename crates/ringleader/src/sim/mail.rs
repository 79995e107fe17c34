//! What is sent in a round, and the order in which it arrives in the next.

#[cfg(test)]
mod tests;

use crate::network::Link;
use crate::population::Letter;

/// Letters, in the order in which they were sent.
#[derive(Default)]
pub(crate) struct Mail {
    pub(crate) letters: Vec<Letter>,
    /// The link of the last one.
    last: Link,
    /// How often a link comes before that of the letter before it, and where it did last.
    breaks: u32,
    broken_at: usize,
}

impl Mail {
    /// A letter is sent.
    #[inline]
    pub(crate) fn add(&mut self, letter: Letter) {
        let link = letter.link();
        if link < self.last {
            self.breaks += 1;
            self.broken_at = self.letters.len();
        }
        self.last = link;
        self.letters.push(letter);
    }

    /// A letter is taken back.
    pub(crate) fn remove(&mut self, place: usize) {
        self.letters.remove(place);
        self.breaks *= 2; // where the order is broken is not known any more
    }

    /// Deals all letters by their links, each of which keeps its order. What was dealt before is forgotten.
    ///
    /// Most of what is sent in a round is sent in the order of the senders, so it only has to be dealt out to the
    /// receivers, and what each of them gets is nearly in order.
    pub(crate) fn deal(&mut self, dealt: &mut Vec<Letter>, n: u32) {
        dealt.clear();
        let breaks = core::mem::take(&mut self.breaks);
        let length = self.letters.len();
        let few_are_first = breaks == 1 && self.broken_at <= FEW;
        if breaks > 0 && !few_are_first && length >= n as usize / 8 {
            deal_out(&self.letters, dealt, n);
        } else {
            // A few are copied at once: a list that was just added to takes a while to be moved.
            match length {
                ..=FEW => self.letters.iter().for_each(|&letter| dealt.push(letter)),
                _ => core::mem::swap(&mut self.letters, dealt),
            }
            match breaks {
                0 => {}
                1 if few_are_first => put_back(dealt, self.broken_at),
                _ => dealt.sort_by_key(Letter::link),
            }
        }
        self.letters.clear();
        self.last = Link::default();
    }
}

/// Letters by their links, each of which keeps its order: dealt out to the receivers; then what each gets is put in
/// order, if it is not.
fn deal_out(letters: &[Letter], dealt: &mut Vec<Letter>, n: u32) {
    // Where the letters of each receiver begin.
    let mut begins = vec![0_u32; n as usize + 1];
    for letter in letters {
        begins[letter.to as usize] += 1;
    }
    let mut begin = 0;
    for count in &mut begins {
        (*count, begin) = (begin, begin + *count);
    }
    dealt.resize(letters.len(), letters[0]);
    for letter in letters {
        let next = &mut begins[letter.to as usize];
        dealt[*next as usize] = *letter;
        *next += 1;
    }
    if !is_in_order(dealt) {
        for own in dealt.chunk_by_mut(|a, b| a.to == b.to) {
            own.sort_by_key(Letter::link);
        }
    }
}

/// The first few letters, which are in order, go to their places among the others, which are, too.
fn put_back(letters: &mut [Letter], few: usize) {
    for place in (0..few).rev() {
        let link = letters[place].link();
        let before = letters[place + 1..].partition_point(|other| other.link() < link);
        letters[place..=place + before].rotate_left(1);
    }
}

/// So few letters that were sent before all others go to their places one by one.
const FEW: usize = 8;

/// Whether letters are in the order of their links. It looks at many before it decides: that takes no branches.
fn is_in_order(letters: &[Letter]) -> bool {
    let some =
        |some: &[Letter]| some.windows(2).fold(true, |all, two| all & (two[0].link() <= two[1].link()));
    (0..letters.len()).step_by(256).all(|begin| some(&letters[begin..letters.len().min(begin + 257)]))
}
