//! What is written is read; nonsense is refused.

use super::*;

#[test]
fn what_is_written_is_read() {
    for text in ["12.drop.3", "0.deliver.0", "7.delay.3.10", "40.crash.2", "41.recover.2", "3.want.1"] {
        assert_eq!(text.parse::<Edit>().map(|edit| edit.to_string()), Ok(text.to_owned()));
    }
}

#[test]
fn nonsense_is_refused_with_an_example() {
    for text in ["", "drop", "12.drop", "12.drop.x", "12.drop.3.4", "12.delay.3", "-1.drop.3", "1.eat.2"] {
        assert!(text.parse::<Edit>().is_err_and(|why| why.contains("12.drop.3")), "{text}");
    }
}
