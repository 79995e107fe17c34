//! Records of the log: how they lie in the file, and how a write that a crash cut short is told from a record that
//! went bad.
//!
//! A record is `length, check of the length, check of the content` (each four bytes, little-endian), the content, and
//! a fixed ending. Whatever is written at once is one record, and the next one is written only after the first is
//! safely down. So the file of a crash ends inside a record, or in zeros where the size was known before the content;
//! anything else that is wrong was right once, and somebody may rely on it.

/// Bytes before the content.
const HEAD: usize = 12;

/// The last bytes of each record: one wrong byte never makes zeros of them.
const ENDING: [u8; 8] = *b"\xA5end.rl\x5A";

/// A whole record around this content.
pub(crate) fn framed(content: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(HEAD + content.len() + ENDING.len());
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_le_bytes();
    record.extend(length);
    record.extend(crc32fast::hash(&length).to_le_bytes());
    record.extend(crc32fast::hash(content).to_le_bytes());
    record.extend(content);
    record.extend(ENDING);
    record
}

/// What the records of a file are.
pub(crate) struct Scan<'a> {
    /// The contents, in order.
    pub(crate) contents: Vec<&'a [u8]>,
    /// How many bytes of the file they are; what follows was cut short by a crash.
    pub(crate) sound: usize,
}

/// Where a record is broken, in bytes from the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BrokenAt(pub(crate) usize);

/// Reads all records that follow the first `from` bytes.
pub(crate) fn scan(file: &[u8], from: usize) -> Result<Scan<'_>, BrokenAt> {
    let mut contents = Vec::new();
    let mut at = from;
    loop {
        let rest = file.get(at..).unwrap_or_default();
        match next(rest) {
            Next::Whole(content, length) => {
                contents.push(content);
                at += length;
            }
            Next::CutShort => return Ok(Scan { contents, sound: at }),
            Next::Broken => return Err(BrokenAt(at)),
        }
    }
}

enum Next<'a> {
    Whole(&'a [u8], usize),
    CutShort,
    Broken,
}

fn next(rest: &[u8]) -> Next<'_> {
    let number = |at: usize| {
        let bytes = rest.get(at..at + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let (Some(length), Some(length_check), Some(check)) = (number(0), number(4), number(8)) else {
        return Next::CutShort;
    };
    if crc32fast::hash(&rest[..4]) != length_check {
        return if rest.iter().all(|byte| *byte == 0) { Next::CutShort } else { Next::Broken };
    }
    let end = HEAD + length as usize;
    let Some(content) = rest.get(HEAD..end) else { return Next::CutShort };
    let Some(ending) = rest.get(end..end + ENDING.len()) else { return Next::CutShort };
    if crc32fast::hash(content) == check && ending == ENDING {
        return Next::Whole(content, end + ENDING.len());
    }
    // The size was safe before the content: then nothing follows, and the end is zeros.
    let last = rest.len() == end + ENDING.len();
    if last && ending.iter().all(|byte| *byte == 0) { Next::CutShort } else { Next::Broken }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_zeros_are_a_torn_write() {
        let mut file = framed(b"one");
        let sound = file.len();
        let second = framed(b"a second one");
        for kept in 0..second.len() - ENDING.len() {
            file.truncate(sound);
            file.extend(&second[..kept]);
            file.resize(sound + second.len(), 0);
            let scan = scan(&file, 0);
            // The head is down but for its check, which no crash of a file system leaves behind: refused is safe.
            match scan {
                Ok(scan) => assert_eq!((scan.contents.len(), scan.sound), (1, sound), "{kept}"),
                Err(at) => assert!((1..8).contains(&kept), "{kept} {at:?}"),
            }
        }
    }
}
