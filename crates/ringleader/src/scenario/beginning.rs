//! Where a run begins that may begin anywhere, as one list of numbers: the state of each machine; then, where machines
//! tell their values by messages, for each of their links how many messages it holds, and their values, the newest
//! first. A list that ends with the states leaves links empty.

/// What the link out of each of so many machines holds, the newest message first; nothing where the list does not say,
/// or says something else.
#[must_use]
pub fn in_links(from: &[u32], n: u32) -> Vec<&[u32]> {
    let mut links = Vec::new();
    let mut rest = from.get(n as usize..).unwrap_or(&[]);
    while let Some((&count, behind)) = rest.split_first()
        && let Some((values, next)) = behind.split_at_checked(count as usize)
    {
        links.push(values);
        rest = next;
    }
    links
}

/// The list of these states, and of what links hold.
#[must_use]
pub fn beginning<'a>(states: &[u32], links: impl IntoIterator<Item = &'a [u32]>) -> Vec<u32> {
    let mut from = states.to_vec();
    for link in links {
        from.push(link.len() as u32);
        from.extend_from_slice(link);
    }
    from
}

/// The same in the words of `--from`, machine by machine: `0+2+1,1,3` is 0 with 2, and behind it 1, on the way to the
/// next one.
#[must_use]
pub fn beginning_in_words(from: &[u32], n: u32) -> Vec<String> {
    let links = in_links(from, n);
    let word = |(place, state): (usize, &u32)| {
        let link = links.get(place).copied().unwrap_or(&[]);
        core::iter::once(state).chain(link).map(u32::to_string).collect::<Vec<_>>().join("+")
    };
    from.iter().take(n as usize).enumerate().map(word).collect()
}
