//! Waits and promises, on slow and fast clocks.

use super::*;

#[test]
fn client_stops_before_server_and_home_waits_for_both() {
    let times = Times::default();
    for class in Class::ALL {
        let lease = times.lease(class);
        assert!(times.of_client(lease) < lease && lease < times.wait(lease));
    }
    assert_eq!(times.of_client(Micros(1_000_000)), Micros(990_049));
    assert_eq!(times.wait(times.lease(Class::Fast)), Micros(808_041));
}
