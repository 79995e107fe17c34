use ringleader::registry::Entry;

static MINE: &[Entry] = &[Entry::election::<ringleader::election::ChangRoberts>()];

fn run(args: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = ringleader_cli::run_from(args.iter().copied(), MINE, &mut out, &mut err);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn other_crates_get_the_command_line() {
    let (code, out, _) = run(&["/usr/bin/mine", "run", "lcr", "--ids", "3,2,1", "--seed", "5"]);
    assert_eq!(code, 0);
    assert!(out.ends_with("again:  mine run chang-roberts --ids 3,2,1 --seed 5\n"), "{out}");
    assert!(!out.contains('\x1b'), "{out}");
    let (code, out, _) = run(&["mine", "list", "--json"]);
    assert_eq!((code, out.matches("\"name\"").count()), (0, 1));
    let (code, out, err) = run(&["mine", "run", "peterson"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("no algorithm is called `peterson`"), "{err}");
    let (code, out, _) = run(&["mine", "--help"]);
    assert_eq!(code, 0);
    assert!(out.contains("mine <COMMAND>") || out.contains("mine [OPTIONS] <COMMAND>"), "{out}");
}
