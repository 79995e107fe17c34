//! A moment that is waited for again and again, without being woken before it.
//!
//! tokio keeps its timers in a wheel: one that is further away than 64 ms wakes the thread on its way, only to be put
//! into a finer slot. In a server with nothing to do that is half of all times that it wakes up. So what beats all the
//! time has a timer of the system; where there is none, it is tokio's.

use tokio::time::Instant;

/// A timer for one who waits. To be made inside a runtime that has I/O.
pub struct Alarm {
    #[cfg(target_os = "linux")]
    timer: Option<linux::Timer>,
}

impl Default for Alarm {
    fn default() -> Alarm {
        Alarm::new()
    }
}

impl Alarm {
    /// One that is not set.
    #[must_use]
    pub fn new() -> Alarm {
        Alarm {
            #[cfg(target_os = "linux")]
            timer: linux::Timer::new().ok(),
        }
    }

    /// Waits for this moment. Who stops waiting loses nothing.
    pub async fn until(&mut self, moment: Instant) {
        #[cfg(target_os = "linux")]
        if let Some(timer) = &mut self.timer {
            if timer.until(moment).await.is_ok() {
                return;
            }
            self.timer = None;
        }
        tokio::time::sleep_until(moment).await;
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fd::OwnedFd;
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use std::io;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;
    use tokio::time::Instant;

    /// A timer of the system, of the clock that `Instant` reads.
    pub(super) struct Timer {
        timer: AsyncFd<OwnedFd>,
        /// To which moment it is set.
        set: Option<Instant>,
    }

    impl Timer {
        #[expect(
            deprecated,
            reason = "the newer ways are unsafe; an OwnedFd keeps its number while it lives"
        )]
        pub(super) fn new() -> io::Result<Timer> {
            let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
            let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
            Ok(Timer { timer: AsyncFd::with_interest(timer, Interest::READABLE)?, set: None })
        }

        pub(super) async fn until(&mut self, moment: Instant) -> io::Result<()> {
            if self.set != Some(moment) {
                let left = moment.saturating_duration_since(Instant::now());
                let nothing = Timespec { tv_sec: 0, tv_nsec: 0 };
                let it_value = Timespec::try_from(left).map_err(io::Error::other)?;
                if it_value == nothing {
                    return Ok(());
                }
                // What ran out before and was not looked at is forgotten with this.
                let once = Itimerspec { it_interval: nothing, it_value };
                timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once)?;
                self.set = Some(moment);
            }
            loop {
                let mut ready = self.timer.readable().await?;
                let mut count = [0; 8];
                match ready.try_io(|timer| Ok(rustix::io::read(timer, &mut count)?)) {
                    Ok(read) => {
                        // It rings once: there is nothing more to be read.
                        ready.clear_ready();
                        self.set = None;
                        return read.map(|_| ());
                    }
                    Err(_not_yet) => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn it_rings_at_its_moment_and_not_before() {
        let mut alarm = Alarm::new();
        for millis in [0, 1, 30, 90] {
            let moment = Instant::now() + Duration::from_millis(millis);
            alarm.until(moment).await;
            assert!(Instant::now() >= moment);
        }
    }

    #[tokio::test]
    async fn what_nobody_waited_for_does_not_ring_later() {
        let mut alarm = Alarm::new();
        // Somebody stops waiting; the timer runs out all the same.
        let soon = Instant::now() + Duration::from_millis(5);
        tokio::select! {
            biased;
            () = alarm.until(soon) => panic!("it was not its turn"),
            () = std::future::ready(()) => {}
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        let later = Instant::now() + Duration::from_millis(40);
        alarm.until(later).await;
        assert!(Instant::now() >= later);
    }
}
