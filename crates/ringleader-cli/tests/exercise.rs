//! The exercise of the examples: an election that is right passes, and one that forgets the largest does not.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_exercise_tells_right_from_wrong() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let right = fs::read_to_string(root.join("examples/own-election/src/lib.rs")).expect("the example");
    let wrong = right.replace("self.largest = self.largest.max(id);", "self.largest = id;");
    assert_ne!(right, wrong);
    let class = tempfile::tempdir().expect("there is room");
    for (who, lib) in [("ada", &right), ("bob", &wrong)] {
        let folder = class.path().join(who).join("src");
        fs::create_dir_all(&folder).expect("there is room");
        fs::write(folder.join("lib.rs"), lib).expect("there is room");
    }
    let result = class.path().join("grade.json");
    let mut grade = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    grade.arg("grade").arg(class.path()).arg("--exercise").arg(root.join("examples/exercise"));
    let ran = grade.arg("-o").arg(&result).output().expect("the program starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert_eq!(ran.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.contains("passed      ada  An election on a one-way ring  all of 3"), "{said}");
    let lost = "failed      bob  An election on a one-way ring  every run of four processes: violated: ";
    assert!(said.contains(lost), "{said}");
}
