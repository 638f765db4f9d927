//! The thread that cleans gives way to everybody else at the disk.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

/// Does `work` in this thread with the lowest priority at the disk, and takes it back afterwards, also where
/// `work` panics. A system that refuses keeps the usual priority: slower for others, wrong for nobody.
pub fn with_low_priority<T>(work: impl FnOnce() -> T) -> T {
    struct Restored(Option<system::Before>);
    impl Drop for Restored {
        fn drop(&mut self) {
            if let Some(before) = self.0.take() {
                system::restore(before);
            }
        }
    }
    let _restored = Restored(system::lower());
    work()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_priority_is_idle_during_the_work_and_as_before_after_it_and_after_a_panic() {
        let before = system::now();
        assert_eq!(with_low_priority(system::now), Some(system::IDLE));
        assert_eq!(system::now(), before);
        let panicked = std::panic::catch_unwind(|| with_low_priority(|| panic!("on purpose")));
        assert!(panicked.is_err());
        assert_eq!(system::now(), before);
    }
}
