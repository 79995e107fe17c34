//! Every mistake in a configuration has its place.

use super::*;
pub(super) use ringleader_net::Advice;

const WHOLE: &str = include_str!("../../../../deploy/service.toml");

fn parse(text: &str) -> Result<Config, Problem> {
    Config::parse(text, "service.toml", None, &Environment::empty())
}

/// What is said about a mistake: line, column, words.
fn mistake(text: &str) -> String {
    match parse(text) {
        Ok(_) => "nothing is wrong".to_owned(),
        Err(problem) => {
            let spots = problem.spots.iter();
            let spots: Vec<String> =
                spots.map(|spot| format!("{}:{} {}", spot.line, spot.column, spot.label)).collect();
            if spots.is_empty() { problem.message } else { spots.join("; ") }
        }
    }
}

#[test]
fn the_example_is_read_and_written_and_read_again() {
    let config = Config::parse(WHOLE, "service.toml", Some("b"), &Environment::empty()).expect("an example");
    assert_eq!(config.data, PathBuf::from("/var/lib/ringleader/b"));
    assert_eq!(config.place("c"), Some(2));
    assert_eq!(config.servers[1].socket, Some(PathBuf::from("/run/ringleader/b.sock")));
    assert_eq!(config.classes, [("batch/".to_owned(), Class::Batch)]);
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    assert!(config.tokens[0].secret.fits(b"test") && !config.tokens[0].secret.fits(b"text"));
    let text = format!(
        "{WHOLE}[views]\nstore = \"etcd\"\nendpoints = [\"https://e:2379\"]\nauthority = \"e.pem\"\n\
         certificate = \"{{name}}.pem\"\nkey = \"{{name}}.key\"\n"
    );
    let config = parse(&text).expect("an example");
    assert!(matches!(&config.views, Views::Etcd(etcd) if etcd.identity.is_some()));
    let again = parse(&config.to_toml()).expect("it was written by us");
    assert_eq!(again.to_toml(), config.to_toml());
    assert_eq!((again.servers, again.pace), (config.servers, config.pace));
}

#[test]
fn mistakes_have_their_place() {
    for (from, to, said) in [
        (
            "[[server]]\nname = \"b\"",
            "[[sever]]\nname = \"b\"",
            "there is no `sever` here; did you mean `server`?",
        ),
        ("name = \"b\"", "name = \"a\"", "first here"),
        ("api = \"10.0.0.2:7432\"", "api = \"10.0.0.2\"", "which has no port"),
        ("api = \"10.0.0.2:7432\"", "api = \"10.0.0.1:7432\"", "again here"),
        ("api = \"10.0.0.2:7432\"\n", "", "clients cannot reach this server"),
        ("api = \"10.0.0.2:7432\"", "api = \"10.0.0.2:7431\"", "take another port"),
        ("status = \"127.0.0.1:7433\"", "status = \"10.0.0.1:7433\"", "to this machine only"),
        (
            "data = \"/var/lib/ringleader/{name}\"",
            "data = \"/var/lib/ringleader\"",
            "a path with {name} in it",
        ),
        ("class = \"batch\"", "class = \"slow\"", "expected \"fast\", \"normal\" or \"batch\", found `slow`"),
        ("sha256 = \"9f", "sha256 = \"9", "64 hexadecimal digits"),
        ("who = \"token:ci\"", "who = \"token:cd\"", "no [[token]] is called `cd`; did you mean `ci`?"),
        ("who = \"token:ci\"", "who = \"ci\"", "expected \"token:NAME\""),
        ("allow = [\"lock\", \"observe\"]", "allow = [\"locks\"]", "found `locks`"),
        (
            "allow = [\"lock\", \"observe\"]",
            "allow = [\"lock\", \"admin\"]",
            "`admin` is about the whole cluster",
        ),
        ("log = \"info\"", "log = \"loud\"", "found `loud`"),
        ("schema = \"ringleader.service/1\"", "schema = \"ringleader.cluster/1\"", "`ringleader.service/1`"),
        ("cluster = \"demo\"", "cluster = \"Demo\"", "lower-case"),
        ("[times]", "[times]\nfast = \"100ms\"", "too short"),
        ("[times]", "[times]\nfast = \"4s\"", "leases ascend"),
        ("renew = \"200ms\"", "renew = \"400ms\"", "must last 3 renewals"),
        ("suspect = \"400ms\"", "suspect = \"100ms\"", "take at least as long"),
        ("heartbeat = \"100ms\"", "heartbeat = \"200ms\"", "must last 6 heartbeats"),
        ("[times]", "[times]\ndrift = \"1\"", "which has no unit"),
        ("[[class]]", "[views]\nstore = \"redis\"\n[[class]]", "found `redis`"),
        ("[[class]]", "[views]\nstore = \"etcd\"\n[[class]]", "there is no `endpoints` here"),
        ("[[class]]", "[views]\nkey = \"x\"\n[[class]]", "this is for store = \"etcd\""),
        (
            "[[class]]",
            "[views]\nstore = \"etcd\"\nendpoints = [\"e\"]\nkey = \"x\"\n[[class]]",
            "come together",
        ),
        ("[[class]]", "[plain]\nallowed = true\n[[class]]", "none here"),
        ("prefix = \"batch/\"", "prefx = \"batch/\"", "did you mean `prefix`?"),
    ] {
        assert!(WHOLE.contains(from), "{from}");
        let text = WHOLE.replacen(from, to, 1);
        let found = mistake(&text);
        assert!(found.contains(said), "{to}: {found}");
    }
}

#[test]
fn the_environment_goes_before_the_file() {
    let of = |name: &str, value: &str| -> Environment {
        [(name.to_owned(), value.to_owned())].into_iter().collect()
    };
    let with = |name, value| Config::parse(WHOLE, "service.toml", None, &of(name, value));
    let config = with("RINGLEADER_SERVER_B_API", "10.9.9.9:1").expect("an address");
    assert_eq!(config.servers[1].api, "10.9.9.9:1");
    let config = with("RINGLEADER_TIMES_FAST", "1s").expect("a duration");
    assert_eq!(config.pace.times.lease(Class::Fast), ringleader_live::Micros::millis(1000));
    for (name, value, said) in [
        ("RINGLEADER_SERVER_D_API", "10.9.9.9:1", "means nothing"),
        ("RINGLEADER_TIMES_FST", "1s", "did you mean RINGLEADER_TIMES_FAST?"),
        ("RINGLEADER_SERVER_A_API", "nowhere", "which has no port"),
    ] {
        let problem = with(name, value).err().expect("it is refused").to_string();
        assert!(problem.contains(said), "{problem}");
    }
}

#[test]
fn every_complaint_names_line_and_column() {
    complaints::check(include_str!("complaints.txt"), WHOLE, |text, environment| {
        Config::parse(text, "service.toml", None, environment)
    });
}
