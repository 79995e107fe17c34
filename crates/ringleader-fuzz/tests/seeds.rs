//! Every decoder over its seeds, and over some thousand changes of them: what libFuzzer does for hours, for
//! seconds, on a stable compiler, and the same bytes every time.

use ringleader::rng::{Purpose, Rng};
use ringleader_fuzz::{TARGETS, Target};
use std::path::{Path, PathBuf};

/// Changes for each decoder.
const CHANGES: u64 = 4000;

fn seeds(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target.name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut seeds: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.clone(), std::fs::read(&path).expect("a file")))
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{} has no seeds", target.name);
    seeds
}

/// Some bytes flipped, cut out, doubled, put in, or taken from another seed.
fn changed(rng: &mut Rng, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() as u64 + 1) as usize;
        let until = (at + rng.below(16) as usize).min(bytes.len());
        match rng.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 if at < bytes.len() => bytes[at] = rng.next_u64() as u8,
            2 => drop(bytes.drain(at..until)),
            3 => {
                let copy = bytes[at..until].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => bytes.insert(at, [0, 0x7f, 0x80, 0xff, b'"', b'{', b'%', b'\n'][rng.below(8) as usize]),
            _ => {
                let from = rng.below(other.len() as u64 + 1) as usize;
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
        }
    }
    bytes
}

#[test]
fn no_bytes_break_a_decoder() {
    for target in TARGETS {
        let seeds = seeds(target);
        for (_, bytes) in &seeds {
            (target.run)(bytes);
        }
        let mut rng = Rng::new(1, Purpose::Faults);
        for _ in 0..CHANGES {
            let (_, seed) = &seeds[rng.below(seeds.len() as u64) as usize];
            let (_, other) = &seeds[rng.below(seeds.len() as u64) as usize];
            let bytes = changed(&mut rng, seed, other);
            let result = std::panic::catch_unwind(|| (target.run)(&bytes));
            assert!(result.is_ok(), "{} is broken by {}", target.name, bytes.escape_ascii());
        }
    }
}

/// The changes reach what is behind the first byte: of a decoder that breaks somewhere inside, they would
/// tell.
#[test]
fn decoder_with_a_mistake_is_broken() {
    let (_, seed) = seeds(&TARGETS[4]).pop().expect("a seed");
    let mut rng = Rng::new(1, Purpose::Faults);
    let mistaken = |bytes: &[u8]| bytes.len() > 2 && bytes[bytes.len() - 1] == 0xff && bytes[1] == seed[1];
    assert!((0..CHANGES).any(|_| mistaken(&changed(&mut rng, &seed, &seed))));
}

#[test]
fn seeds_are_small_and_all_used() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for entry in std::fs::read_dir(folder).expect("seeds") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        assert!(ringleader_fuzz::target(&name).is_some(), "nobody reads seeds/{name}");
    }
    for target in TARGETS {
        let bytes: usize = seeds(target).iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes <= 48 * 1024, "{}: {bytes} bytes of seeds", target.name);
    }
}

/// libFuzzer runs the same ones.
#[test]
fn every_decoder_has_a_binary() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("fuzz/Cargo.toml");
    for target in TARGETS {
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "{}", target.name);
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
}
