//! What is due, in its order.

use super::*;

#[test]
fn what_is_due_comes_in_its_order() {
    let (process, most) = (7, u32::MAX);
    let in_order = [
        (0, Due::Local { process: most, step: 63 }),
        (1, Due::Fault(most)),
        (1, Due::Start { process }),
        (1, Due::Timeout { process, timer: 2, generation: most }),
        (1, Due::Timeout { process, timer: 3, generation: 0 }),
        (1, Due::Suspect { process, who: 8 }),
        (1, Due::Suspect { process, who: most }),
        (1, Due::User { input: UserInput::Exit, process: 9 }),
        (1, Due::User { input: UserInput::Want, process }),
        (1, Due::Arrival { process }),
        (2, Due::Fault(0)),
    ];
    for turn in 0..in_order.len() {
        let mut agenda = Agenda::default();
        let (early, late) = in_order.split_at(turn);
        late.iter().chain(early).for_each(|&(time, due)| agenda.add(time, due));
        for (time, due) in in_order {
            assert_eq!(agenda.next_time(), Some(time));
            let is_fault = matches!(due, Due::Fault(_));
            assert_eq!(agenda.pop_by(time, true), is_fault.then_some(due));
            assert!(is_fault || agenda.pop_by(time, false) == Some(due));
        }
    }
}
