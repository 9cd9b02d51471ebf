//! Work in the background, which no call waits for.

/// The priority, where 0 is the usual one and 19 the lowest.
#[cfg(target_os = "linux")]
const LOWER: i32 = 10;

/// Lets other threads go before this one and those that it starts.
#[cfg(target_os = "linux")]
pub fn yield_to_others() {
    use std::cell::Cell;
    thread_local! {
        static YIELDS: Cell<bool> = const { Cell::new(false) };
    }
    if YIELDS.replace(true) {
        return;
    }
    // It is only a wish. Who was started by a thread that yields does so already.
    let already = rustix::process::nice(0).unwrap_or(LOWER);
    let _ = rustix::process::nice((LOWER - already).max(0));
}

/// Nothing happens: only Linux knows priorities of threads.
#[cfg(not(target_os = "linux"))]
pub fn yield_to_others() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_this_thread_and_its_own_yield() {
        let own = || rustix::process::nice(0).unwrap();
        let before = own();
        let in_background = std::thread::spawn(move || {
            yield_to_others();
            yield_to_others();
            let started = std::thread::spawn(move || {
                yield_to_others();
                own()
            });
            (own(), started.join().unwrap())
        });
        let lower = before.max(LOWER);
        assert_eq!(in_background.join().unwrap(), (lower, lower));
        assert_eq!(own(), before);
    }
}
