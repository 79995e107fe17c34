//! The book: every console block of README.md and of the pages in `docs` is run, and its output compared.
//! `TRYCMD=overwrite` accepts what it prints now. That no block is of another kind, `cargo xtask tidy` looks after.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A page with this line is run in the folder of a lock service that is up.
const BESIDE_A_SERVICE: &str = "<!-- run beside: ringleader up --service -->";

/// How long a service may take to be there on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn book_says_what_happens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A checkout of this crate alone has no book above it.
    let Ok(docs) = root.join("docs").canonicalize() else { return };
    let mut pages = vec![docs.with_file_name("README.md")];
    collect(&docs, &mut pages);
    pages.sort();
    let mut wrong = Vec::new();
    let mut ran = 0;
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page is text");
        if text.contains("\n```console\n") {
            ran += 1;
            if std::panic::catch_unwind(|| run(&page, &text, &docs)).is_err() {
                wrong.push(page);
            }
        }
    }
    assert!(wrong.is_empty(), "UPDATE=1 cargo xtask test writes anew what is different in {wrong:?}");
    assert!(ran > 10, "only {ran} pages were found: is the book elsewhere?");
}

/// Every command has its place in the reference: those that have a manual page.
#[test]
fn every_command_is_in_the_book() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A checkout of this crate alone has no book above it.
    let Ok(page) = fs::read_to_string(root.join("docs/reference/commands.md")) else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book-man");
    let _ = fs::remove_dir_all(&folder);
    let mut man = Command::new(env!("CARGO_BIN_EXE_ringleader"));
    let written = man.args(["man", "-o"]).arg(&folder).stdout(Stdio::null()).status();
    assert!(written.expect("the program starts").success());
    let mut missing = Vec::new();
    for entry in fs::read_dir(&folder).expect("the manual is there") {
        let name = entry.expect("the manual can be read").file_name().to_string_lossy().into_owned();
        let command = name.trim_end_matches(".1").replace('-', " ");
        if !page.contains(&format!("\n$ {command} -h\n")) {
            missing.push(command);
        }
    }
    assert!(missing.is_empty(), "docs/reference/commands.md has no block for {missing:?}");
}

/// The pages in a folder and below.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the book can be read") {
        let path = entry.expect("the book can be read").path();
        if path.is_dir() {
            collect(&path, pages);
        } else if path.extension().is_some_and(|end| end == "md") {
            pages.push(path);
        }
    }
}

/// Runs the blocks of a page, in a folder of its own in which the files are that the page shows.
fn run(page: &Path, text: &str, docs: &Path) {
    let name = page.strip_prefix(docs.parent().expect("docs is in a project")).expect("pages are in it");
    let name = name.with_extension("").to_string_lossy().replace('/', "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(name);
    // What a command wrote the last time is not to be in its way.
    let _ = fs::remove_dir_all(&folder);
    let service = text.contains(BESIDE_A_SERVICE).then(|| Service::start(&folder));
    fs::create_dir_all(&folder).expect("a folder for the page");
    fs::copy(docs.join("ring.toml"), folder.join("ring.toml")).expect("the sweep of the book");
    for (file, content) in shown_files(text) {
        fs::write(folder.join(file), content).expect("the page's file is written");
    }
    std::env::set_current_dir(&folder).expect("the folder is there");
    // How long something took is not what a page says.
    trycmd::TestCases::new().env("RINGLEADER_TIMES", "never").case(page);
    drop(service);
}

/// The blocks of TOML that begin with the name of a file: `# cluster.toml: ...`.
fn shown_files(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n```toml\n").skip(1).filter_map(|rest| {
        let content = rest.split("\n```").next()?;
        let name = content.strip_prefix("# ")?.split([':', ' ', '\n']).next()?;
        name.ends_with(".toml").then_some((name, content))
    })
}

/// `ringleader up --service`, until it is dropped.
struct Service(Child);

impl Service {
    fn start(folder: &Path) -> Service {
        fs::create_dir_all(folder.parent().expect("a folder of folders")).expect("a folder for the pages");
        let child = Command::new(env!("CARGO_BIN_EXE_ringleader"))
            .args(["up", "--service", "--keep"])
            .arg(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let service = Service(child);
        let begin = Instant::now();
        let answers = || {
            let config = folder.join("service.toml");
            let mut look = Command::new(env!("CARGO_BIN_EXE_ringleader"));
            look.args(["lock", "ready", "--wait", "1s", "--config"]).arg(config).args(["--", "true"]);
            look.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        while !answers() {
            assert!(begin.elapsed() < PATIENCE, "no service after {PATIENCE:?}");
            std::thread::sleep(Duration::from_millis(100));
        }
        service
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It ends its servers when it is asked to end; killed, it would leave that to them.
        let asked = Command::new("kill").arg(self.0.id().to_string()).status();
        if asked.is_err() {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}
