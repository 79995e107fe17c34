//! A holder that was paused writes too late, and is refused, also by a storage that was started anew.

use fenced_storage::Storage;
use ringleader_client::Fence;
use ringleader_client::fence::Verdict;

fn fence(number: u64) -> Fence {
    Fence::from_number(number).expect("small")
}

#[test]
fn who_comes_late_is_refused() {
    let file = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fences-of-the-example");
    let _ = std::fs::remove_file(&file);
    let storage = Storage::open(&file).expect("a file");
    let (paused, next) = (fence(41), fence(42));
    assert_eq!(storage.put("report", "of the first", paused).expect("a disk"), Verdict::Fresh);
    assert_eq!(storage.put("report", "of the second", next).expect("a disk"), Verdict::Fresh);
    assert_eq!(storage.put("report", "late", paused).expect("a disk"), Verdict::Stale { last: next });
    assert_eq!(storage.get("report").as_deref(), Some("of the second"));
    drop(storage);
    let storage = Storage::open(&file).expect("the same file");
    assert_eq!(storage.put("report", "late", paused).expect("a disk"), Verdict::Stale { last: next });
}
