//! Every mistake in a configuration has its place.

use super::*;
pub(super) use ringleader_net::Advice;

const WHOLE: &str = include_str!("../../../../deploy/service.toml");

fn parse(text: &str) -> Result<Config, Problem> {
    Config::parse(text, "service.toml", None, &Environment::empty())
}

#[test]
fn example_configuration_round_trips() {
    let config = Config::parse(WHOLE, "service.toml", Some("b"), &Environment::empty()).expect("an example");
    assert_eq!(config.data, PathBuf::from("/var/lib/ringleader/b"));
    assert_eq!(config.place("c"), Some(2));
    assert_eq!(config.servers[1].socket, Some(PathBuf::from("/run/ringleader/b.sock")));
    assert_eq!(config.classes, [("batch/".to_owned(), Class::Batch)]);
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    assert!(config.tokens[0].secret.is(&Secret(sha256(b"test"))));
    assert!(!config.tokens[0].secret.is(&Secret(sha256(b"text"))));
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
