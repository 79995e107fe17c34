//! What a configuration may say, and where it says what it may not.

use super::complaints::said;
use super::quantity::part;
use super::*;
pub(super) use crate::Advice;
use ringleader_errata::all;
use ringleader_live::{Micros, Users};

/// Three members with certificates, one group.
const GOOD: &str = r#"schema = "ringleader.cluster/1"
cluster = "demo"

[tls]
authority = "ca.pem"
certificate = "{name}.pem"
key = "{name}.key"

[[member]]
name = "a"
address = "10.0.0.1:7421"
status = "127.0.0.1:7422"

[[member]]
name = "b"
address = "b.example:7421"
listen = "0.0.0.0:7421"
id = 17

[[member]]
name = "c"
address = "[fd00::3]:7421"

[[group]]
name = "main"
algorithm = "hs"
"#;

fn parse_in(text: &str, variables: &[(&str, &str)]) -> Result<Config, Problem> {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Config::parse(text, "cluster.toml", all(), None, &variables.iter().map(own).collect())
}

fn parse(text: &str) -> Result<Config, Problem> {
    parse_in(text, &[])
}

#[track_caller]
fn refused(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("it was accepted:\n{text}"),
        Err(problem) => said(&problem),
    }
}

/// The good file with one thing replaced.
#[track_caller]
fn with(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    GOOD.replacen(old, new, 1)
}

#[test]
fn file_lists_nodes_and_groups() {
    let config = parse(GOOD).unwrap();
    let names: Vec<&str> = config.cluster.members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let ids: Vec<u64> = config.cluster.members.iter().map(|member| member.id).collect();
    assert_eq!(ids, [1, 17, 3], "the place and one, unless it is said");
    assert_eq!(config.addresses[0].listen, "10.0.0.1:7421", "the address itself, unless it is said");
    assert_eq!(config.addresses[1].listen, "0.0.0.0:7421");
    assert_eq!(config.addresses[0].status.as_deref(), Some("127.0.0.1:7422"));
    assert_eq!(config.place("c"), Some(2));
    assert_eq!(config.place("d"), None);
    assert_eq!(config.cluster.groups[0].entry.spec.name, "hirschberg-sinclair", "an alias will do");
    assert_eq!(config.cluster.timing, ringleader_live::Timing::default());
    assert_eq!(config.log, Level::Info);
    assert!(config.warnings.is_empty());
}

#[test]
fn paths_are_relative_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cluster.toml");
    std::fs::write(&path, GOOD).unwrap();
    let config = Config::read(&path, all(), Some("b"), &Environment::empty()).unwrap();
    assert_eq!(
        config.security,
        Security::Tls {
            authority: folder.path().join("ca.pem"),
            certificate: folder.path().join("b.pem"),
            key: folder.path().join("b.key"),
            revoked: None,
        }
    );
    let problem = Config::read(&path, all(), Some("bb"), &Environment::empty()).err().unwrap();
    assert!(said(&problem).ends_with("is called `bb`\nhelp did you mean `b`?"), "{}", said(&problem));
    let problem =
        Config::read(&folder.path().join("none"), all(), None, &Environment::empty()).err().unwrap();
    assert_eq!(problem.exit, 2);
}

#[test]
fn the_example_is_read_and_says_what_is_usual() {
    let config = parse(include_str!("../../../../deploy/cluster.toml"))
        .unwrap_or_else(|problem| panic!("{}", said(&problem)));
    assert_eq!(config.cluster.members.len(), 3);
    assert_eq!(config.cluster.timing, ringleader_live::Timing::default(), "as it says itself");
    // What it proposes in a comment can be said as well.
    let text = include_str!("../../../../deploy/cluster.toml");
    let (before, after) = text.split_once("# [[group]]\n").unwrap();
    let (door, rest) = after.split_once("\n\n").unwrap();
    let door: String = door.lines().map(|line| format!("{}\n", line.trim_start_matches("# "))).collect();
    assert_eq!(parse(&format!("{before}[[group]]\n{door}\n{rest}")).unwrap().cluster.groups.len(), 2);
}

#[test]
fn what_is_written_is_read_again_as_the_same() {
    let more = "[[group]]\nname = 'mutex'\nalgorithm = 'misra-k'\ntokens = 2\nentries = 3\nhold = '2ms'\n\
                think = '1500us'\n[[group]]\nname = 'tree'\nalgorithm = 'raymond'\ntopology = 'line'\n\
                [[group]]\nname = 'inside'\nalgorithm = 'central'\nelection = 'franklin'\n\
                [timing]\nlease = '1.5s'\ndrift = '0.02%'\nphi = 9\nunacknowledged = 77\n";
    let first = parse(&format!("{GOOD}{more}")).unwrap();
    let text = first.to_toml();
    let second = parse(&text).unwrap_or_else(|problem| panic!("{}\n{text}", said(&problem)));
    assert_eq!(second.to_toml(), text);
    assert_eq!(second.cluster.members, first.cluster.members);
    assert_eq!(second.addresses, first.addresses);
    assert_eq!(second.security, first.security);
    assert_eq!(second.cluster.timing, first.cluster.timing);
    assert_eq!(second.cluster.timing.terms.lease, Micros::millis(1500));
    assert_eq!(second.cluster.timing.terms.drift, 200);
    let groups = |config: &Config| {
        let group = |group: &ringleader_live::GroupSpec| {
            let scenario = &group.scenario;
            let topology = scenario.topology.as_ref().map(|topology| topology.name());
            (group.name.clone(), group.entry.spec.name, scenario.settings.clone(), topology, group.users)
        };
        config.cluster.groups.iter().map(group).collect::<Vec<_>>()
    };
    assert_eq!(groups(&first), groups(&second));
    assert_eq!(groups(&second)[1].2, [("tokens".to_owned(), "2".to_owned())]);
    assert_eq!(
        groups(&second)[1].4,
        Some(Users { entries: 3, hold: Micros::millis(2), think: Micros(1500) })
    );
}

#[test]
fn every_algorithm_is_admitted_or_refused() {
    for entry in all() {
        let text = with("\"hs\"", &format!("\"{}\"", entry.spec.name));
        match parse(&text) {
            Ok(config) => {
                // What moves in lock-step runs with a synchroniser.
                let runs = entry.asynchronous().expect("it is admitted");
                assert!(!entry.is_literal());
                assert!(std::ptr::eq(config.cluster.groups[0].entry, runs), "{}", entry.spec.name);
                assert_ne!(
                    entry.problem,
                    ringleader::registry::Problem::Clocks,
                    "only `up` gives them clocks"
                );
            }
            Err(problem) => {
                let expected = match entry.problem {
                    _ if entry.is_literal() => "literal_algorithm",
                    ringleader::registry::Problem::Clocks => "needs_clocks",
                    _ if entry.shape == ringleader::model::Shape::Memory => "needs_registers",
                    _ if entry.spec.stabilises() => "needs_short_links",
                    ringleader::registry::Problem::Election | ringleader::registry::Problem::Mutex => {
                        "needs_lock_step"
                    }
                };
                assert_eq!(problem.code, expected, "{}", said(&problem));
                assert_eq!((problem.spots[0].line, problem.spots[0].column), (26, 13));
            }
        }
    }
}

#[test]
fn times_have_units_and_fit_together() {
    let cases = [
        (
            "lease = 10",
            "cannot read cluster.toml\n29:9+2 expected a duration such as \"10s\" or \"750ms\", found an integer",
        ),
        (
            "lease = '10'",
            "29:9+4 expected a duration such as \"10s\" or \"750ms\", found `10`, which has no unit",
        ),
        (
            "lease = '399ms'",
            "29:9+7 a lease of 399ms is too short: it must last 4 heartbeats of 100ms, that is 400ms",
        ),
        (
            "heartbeat = '1s'",
            "29:13+4 a lease of 1s is too short: it must last 4 heartbeats of 1s, that is 4s",
        ),
        ("drift = 0.005", "29:9+5 expected a part such as \"0.5%\" or \"200ppm\", found a float"),
        ("drift = '50%'", "29:9+5 expected at most \"10%\""),
        ("phi = 0", "29:7+1 expected a whole number from 1 to 100, found `0`"),
        ("phi = '8'", "29:7+3 expected a whole number, found a string"),
        ("leese = '1s'", "29:1+5 there is no `leese` here; did you mean `lease`?"),
        ("heartbeat = '0s'", "29:13+4 too short"),
    ];
    for (line, expected) in cases {
        let text = refused(&format!("{GOOD}\n[timing]\n{line}\n"));
        assert!(text.contains(expected), "{line}\nexpected {expected}\ngot {text}");
    }
    let config = parse(&format!("{GOOD}\n[timing]\nlease = '400ms'\ndwell = '0s'\n")).unwrap();
    assert_eq!(config.cluster.timing.terms.lease, Micros::millis(400));
    assert_eq!(config.cluster.timing.dwell, Micros(0));
}

#[test]
fn plain_text_is_for_one_machine() {
    let plain = GOOD.replace(
        "[tls]\nauthority = \"ca.pem\"\ncertificate = \"{name}.pem\"\nkey = \"{name}.key\"",
        "[plain]\nallowed = true",
    );
    let text = refused(&plain);
    assert!(text.contains("10.0.0.1:7421 can be reached from others\n9:11+15 not a loopback"), "{text}");
    let local = plain
        .replace("10.0.0.1", "127.0.0.1")
        .replace("b.example", "localhost")
        .replace("[fd00::3]", "[::1]");
    let text = refused(&local);
    assert!(
        text.contains("0.0.0.0:7421 can be reached from others"),
        "where it listens counts as well: {text}"
    );
    let local = local.replace("listen = \"0.0.0.0:7421\"\n", "");
    let config = parse(&local).unwrap();
    assert_eq!(config.security, Security::Plain);
    assert!(config.security.agrees(true).is_ok());
    assert_eq!(config.security.agrees(false).unwrap_err().code, "plain_text");
    assert_eq!(parse(GOOD).unwrap().security.agrees(true).unwrap_err().code, "plain_text");
    assert!(parse(GOOD).unwrap().security.agrees(false).is_ok());
    assert!(refused(&local.replace("allowed = true", "allowed = false")).contains("4:2+5 plain text is not"));
    assert!(refused(&local.replace("allowed = true", "")).contains("4:2+5 plain text is not"));
    let both = refused(&format!("{GOOD}[plain]\nallowed = true\n"));
    assert!(both.contains("4:2+3 certificates here\n27:2+5 none here"), "{both}");
    let neither =
        GOOD.replace("[tls]\nauthority = \"ca.pem\"\ncertificate = \"{name}.pem\"\nkey = \"{name}.key\"", "");
    assert!(refused(&neither).contains("there is no [tls]"));
}

#[test]
fn same_local_address_on_two_machines() {
    let both = with("id = 17", "id = 17\nstatus = \"127.0.0.1:7422\"");
    assert!(parse(&both).is_ok());
    let one_machine =
        both.replace("b.example:7421", "10.0.0.1:7431").replace("0.0.0.0:7421", "10.0.0.1:7431");
    let text = refused(&one_machine);
    assert!(text.contains("the address 127.0.0.1:7422 is given to two members\n12:10+16 first"), "{text}");
}

#[test]
fn the_environment_goes_before_the_file() {
    let variables = [
        ("RINGLEADER_TIMING_LEASE", "2s"),
        ("RINGLEADER_MEMBER_B_ADDRESS", "10.0.0.2:9"),
        ("RINGLEADER_MEMBER_C_STATUS", "127.0.0.1:99"),
        ("RINGLEADER_TLS_KEY", "/run/secrets/{name}"),
        ("RINGLEADER_LOG", "debug"),
        ("RINGLEADER_MEMBER", "b"),
        ("RINGLEADER_SEED", "7"),
        ("HOME", "x"),
    ];
    let config = parse_in(GOOD, &variables).unwrap();
    assert_eq!(config.cluster.timing.terms.lease, Micros::millis(2000));
    assert_eq!(config.addresses[1].peer, "10.0.0.2:9");
    assert_eq!(config.addresses[2].status.as_deref(), Some("127.0.0.1:99"));
    assert_eq!(config.log, Level::Debug);
    let Security::Tls { key, .. } = config.security.of_member("b") else { panic!("plain") };
    assert_eq!(key, Path::new("/run/secrets/b"));
    for (name, value, expected) in [
        (
            "RINGLEADER_TIMING_LEASE",
            "2",
            "the environment variable RINGLEADER_TIMING_LEASE: expected a duration",
        ),
        ("RINGLEADER_TIMING_LEASE", "2ms", "RINGLEADER_TIMING_LEASE: too short"),
        ("RINGLEADER_TIMING_LEASE", "20ms", "RINGLEADER_TIMING_LEASE: a lease of 20ms is too short"),
        ("RINGLEADER_TIMING_LEESE", "2s", "did you mean RINGLEADER_TIMING_LEASE?"),
        ("RINGLEADER_MEMBER_D_ADDRESS", "d:1", "RINGLEADER_MEMBER_D_ADDRESS means nothing with cluster.toml"),
        ("RINGLEADER_MEMBER_B_ADDRESS", "b", "RINGLEADER_MEMBER_B_ADDRESS: expected an address"),
        ("RINGLEADER_MEMBER_B_ADDRESS", "10.0.0.1:7421", "is given to two members"),
        ("RINGLEADER_LOG", "loud", "RINGLEADER_LOG: expected one of error, warn, info, debug, trace"),
    ] {
        let problem = parse_in(GOOD, &[(name, value)]).err().unwrap();
        let text = said(&problem);
        assert!(text.starts_with("2 ") && text.contains(expected), "{name}={value}\ngot {text}");
    }
}

#[test]
fn sizes_have_bounds() {
    let head = &GOOD[..GOOD.find("[[member]]").unwrap()];
    let member = |place: usize| format!("[[member]]\nname = 'm{place}'\naddress = '10.0.0.{place}:1'\n");
    let cluster = |count: usize, group: &str| {
        let members: String = (1..=count).map(member).collect();
        format!("{head}{members}[[group]]\nname = 'main'\nalgorithm = '{group}'\n")
    };
    assert_eq!(parse(&cluster(64, "franklin")).unwrap().cluster.members.len(), 64);
    let text = refused(&cluster(65, "franklin"));
    assert!(text.contains("this is number 65; a cluster has at most 64 members"), "{text}");
    let text = refused(&cluster(6, "tree-quorum"));
    assert!(text.contains("it is not for 6 members; the nearest numbers are 3 and 7"), "{text}");
    assert!(parse(&cluster(2, "franklin")).unwrap().warnings[0].contains("a majority of 2 is 2"));
    assert_eq!(parse(&cluster(1, "franklin")).unwrap().warnings.len(), 1);
    assert!(refused(&cluster(0, "franklin")).contains("the cluster has no [[member]]"));
    assert!(refused(&GOOD[..GOOD.find("[[group]]").unwrap()]).contains("no [[group]]"));
    let twice = "[[group]]\nname = \"main\"\nalgorithm = \"bully\"\n";
    let text = refused(&format!("{GOOD}{twice}"));
    assert!(text.contains("given to two groups\n25:8+6 first here\n28:8+6 again here"), "{text}");
}

#[test]
fn nonsense_is_refused_and_never_a_panic() {
    let mut places: Vec<usize> = GOOD.char_indices().map(|(place, _)| place).collect();
    places.push(GOOD.len());
    for &place in &places {
        let _ = parse(&GOOD[..place]);
        let _ = parse(&format!("{}é{}", &GOOD[..place], &GOOD[place..]));
        let _ = parse(&format!("{}[{}", &GOOD[..place], &GOOD[place..]));
    }
    for value in ["1", "1.5", "true", "[]", "{}", "\"\"", "1979-05-27", "-0", "0x10", "nan"] {
        for key in ["schema", "cluster", "log", "member", "group", "timing", "tls", "plain"] {
            assert!(parse(&format!("{key} = {value}\n")).is_err(), "{key} = {value}");
        }
        for line in GOOD.lines().filter(|line| line.contains(" = ")) {
            let key = line.split(' ').next().unwrap();
            let _ = parse(&GOOD.replacen(line, &format!("{key} = {value}"), 1));
        }
        for key in Times::KEYS {
            let _ = parse(&format!("{GOOD}[timing]\n{key} = {value}\n"));
        }
    }
}

#[test]
fn every_complaint_names_line_and_column() {
    complaints::check(include_str!("complaints.txt"), GOOD, |text, environment| {
        Config::parse(text, "cluster.toml", all(), None, environment)
    });
}

#[test]
fn durations_need_a_unit() {
    for (text, micros) in [
        ("10s", 10_000_000),
        ("750ms", 750_000),
        ("1.5s", 1_500_000),
        ("200us", 200),
        ("200µs", 200),
        ("2min", 120_000_000),
        ("2m", 120_000_000),
        ("1h", 3_600_000_000),
        ("0s", 0),
        ("100 ms", 100_000),
    ] {
        assert_eq!(duration(text), Ok(Micros(micros)), "{text}");
    }
    for text in ["10", "", "s", "-1s", "1e3s", "infs", ".5s", "1.2.3s", "ten s", "9999999999999d"] {
        assert!(duration(text).is_err(), "{text}");
    }
    for micros in [0, 1, 999, 1000, 1500, 1_000_000, 1_500_000, 60_000_000] {
        assert_eq!(duration(&written(Micros(micros))), Ok(Micros(micros)));
    }
}

#[test]
fn parts_need_a_unit() {
    assert_eq!(part("0.5%"), Ok(5000));
    assert_eq!(part("200ppm"), Ok(200));
    for text in ["0.005", "200", "11%", "100001ppm", "-1%", "%"] {
        assert!(part(text).is_err(), "{text}");
    }
}

#[test]
fn addresses_have_a_host_and_a_port() {
    assert_eq!(host_and_port("b.example:7421"), Ok(("b.example", 7421)));
    assert_eq!(host_and_port("10.0.0.2:1"), Ok(("10.0.0.2", 1)));
    assert_eq!(host_and_port("[::1]:7421"), Ok(("::1", 7421)));
    for text in ["b.example", "b:0", "b:65536", "::1:7421", "[b]:1", ":1", "a b:1", "http://b:1", "a..b:1"] {
        assert!(host_and_port(text).is_err(), "{text}");
    }
    for text in ["127.0.0.1:1", "127.3.2.1:1", "[::1]:1", "localhost:1"] {
        assert!(is_loopback(text), "{text}");
    }
    for text in ["10.0.0.1:1", "0.0.0.0:1", "[::]:1", "b.example:1", "localhost.example:1"] {
        assert!(!is_loopback(text), "{text}");
    }
}
