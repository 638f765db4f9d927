//! What is kept from one day to the next.

use sandtray_core::time::{DAY, HOUR};

use super::*;

fn counted(status: &Status) -> bool {
    status.homes.first().is_some_and(|homes| homes.count > 0)
}

#[test]
fn homes_are_counted_unasked_and_known_again_after_a_restart() {
    let test = "homes_are_counted_unasked_and_known_again_after_a_restart";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.engine(0, counted);
    let homes = running.engine.status().homes.clone();
    assert_eq!(homes.len(), 1);
    assert_eq!((&homes[0].disk, homes[0].count), (&running.disk(), 3));
    let top = running.top();
    let sum = top.entries.iter().map(|entry| entry.allocated).sum();
    assert_eq!(homes[0].allocated, sum);
    let oldest = top.entries.iter().map(|entry| entry.first_change).min();
    assert_eq!(homes[0].oldest, oldest);
    // Looking at the top is a reading too, and may be a second younger than the one of its own accord.
    running.engine.settle();
    let read_at = running.engine.status().homes[0].read_at;
    drop(running);

    // Within the hour nothing is read: what is known comes from the history.
    let running = fixture.engine(600, counted);
    assert_eq!(running.engine.status().homes[0].read_at, read_at);
}

#[test]
fn what_grew_since_yesterday_is_shown_also_after_a_restart() {
    let test = "what_grew_since_yesterday_is_shown_also_after_a_restart";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let running = fixture.engine(0, counted);
    let first = running.engine.status().homes[0].read_at;
    assert_eq!(running.top().growth, None, "the only reading is of now");
    drop(running);

    fixture.put("brave-fox/grown", &[7; 900_000]);
    fixture.put("new-moth/file", &[7; 90_000]);
    fixture.make().unwrap();
    let running = fixture.engine(19 * HOUR, |status| !status.bundles.is_empty());
    assert_eq!(running.top().growth, None, "not old enough");
    drop(running);

    let running = fixture.engine(DAY + HOUR, |status| !status.bundles.is_empty());
    let top = running.top();
    let growth = top.growth.as_ref().unwrap();
    assert_eq!((growth.since, growth.until), (first, top.read_at));
    let fox = growth
        .grown
        .iter()
        .find(|grown| grown.name.path == "brave-fox")
        .unwrap();
    assert!((900_000..1_000_000).contains(&fox.by.0), "{growth:?}");
    assert_eq!(fox.id, entry(&top, "brave-fox").id);
    let new = growth
        .grown
        .iter()
        .find(|grown| grown.name.path == "new-moth")
        .unwrap();
    assert!(new.new && running.view(Some(&new.id)).is_ok());
    // Every reading is compared with yesterday's, not with the one before.
    assert_eq!(running.top().growth.unwrap().since, first);
    drop(running);
    let running = fixture.engine(DAY + 2 * HOUR, |status| !status.bundles.is_empty());
    assert_eq!(running.top().growth.unwrap().since, first);
}

#[test]
fn a_disk_that_was_not_written_since_its_last_reading_is_not_read_again() {
    let test = "a_disk_that_was_not_written_since_its_last_reading_is_not_read_again";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    // The image is older than the first reading.
    let image = fs::File::options()
        .write(true)
        .open(fixture.image())
        .unwrap();
    let earlier = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    image.set_modified(earlier).unwrap();
    drop(image);
    let machine = fixture.machine(0);
    let read = |offset: i64| {
        let mut state = crate::engine::state::State::open(machine.clone());
        state.place(crate::locate::locate(state.machine()));
        let now = state.now().plus(offset);
        let due = state.due_disks(now);
        assert!(state.due_disks(now).is_empty(), "one try an hour");
        let desk = Arc::default();
        let tops = super::super::read_daily(&desk, &due, &Default::default(), || now);
        let count = tops.len();
        for (top, took) in tops {
            state.absorb_top(top, took);
        }
        count
    };
    assert_eq!(read(0), 1);
    assert_eq!(read(2 * DAY), 0, "not written since");
    drop(
        fs::File::options()
            .write(true)
            .open(fixture.image())
            .unwrap()
            .set_modified(std::time::SystemTime::now()),
    );
    assert_eq!(read(20 * HOUR), 0, "not a day yet");
    assert_eq!(read(2 * DAY), 1);
    fs::remove_file(fixture.image()).unwrap();
    assert_eq!(read(4 * DAY), 0);
}

#[test]
fn looking_once_counts_the_homes_and_a_quick_look_remembers_them() {
    let test = "looking_once_counts_the_homes_and_a_quick_look_remembers_them";
    let Some(fixture) = Fixture::new(test) else {
        return;
    };
    let look = |full| crate::engine::once(fixture.machine(0), full, &Default::default());
    assert_eq!(look(false).homes, [], "not known, which is not none");
    let homes = look(true).homes;
    assert_eq!(homes[0].count, 3);
    fixture.put("one-more/file", b"");
    fixture.make().unwrap();
    assert_eq!(look(false).homes, homes);
    assert_eq!(look(true).homes[0].count, 4);
}
