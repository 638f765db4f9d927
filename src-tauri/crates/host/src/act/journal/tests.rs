use std::fs::OpenOptions;
use std::io::Write;

use sandtray_core::act::steps::{End, Step};

use super::*;
use crate::act::hands::{Effect, Side};

fn described(folder: &Path) -> Machine {
    let file = folder.join("machine.toml");
    fs::write(&file, "home = 'home'\n").unwrap();
    machine::load(&file).unwrap()
}

fn line(text: &str) -> Line {
    Line::Ended {
        end: End::Done,
        outcome: text.to_owned(),
        receipt: None,
    }
}

fn lines(machine: &Machine) -> Vec<String> {
    let text = fs::read(machine.own_data.join(FILE)).unwrap();
    String::from_utf8_lossy(&text)
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_torn_line_is_left_as_it_is_and_the_next_one_stands_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let hands = Hands::default();
    let lock = Lock::take(&machine, &hands).unwrap();
    let (writer, _) = Writer::open(&machine, &hands, &lock).unwrap();
    writer.append("a", line("one")).unwrap();
    let mut file = OpenOptions::new()
        .append(true)
        .open(machine.own_data.join(FILE))
        .unwrap();
    file.write_all(b"{\"schema\":1,\"ent\xc3").unwrap();
    writer.append("a", line("two")).unwrap();
    let lines = lines(&machine);
    assert_eq!(lines.len(), 3);
    assert!(lines[2].contains("two") && lines[2].starts_with('{'));
    assert_eq!(read(&machine).unwrap().odd, 3, "no act of that name began");
}

#[test]
fn the_reserve_is_given_up_for_a_line_that_does_not_fit_and_taken_again_later() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let reserve = machine.own_data.join(RESERVE);
    let there = reserve.clone();
    // Full as long as the reserve stands.
    let hands = Hands::hooked(Box::new(move |side, effect| match effect {
        Effect::Append(..) if side == Side::Before && there.exists() => {
            Err(io::ErrorKind::StorageFull.into())
        }
        _ => Ok(()),
    }));
    let lock = Lock::take(&machine, &hands).unwrap();
    let (writer, _) = Writer::open(&machine, &hands, &lock).unwrap();
    assert_eq!(fs::metadata(&reserve).unwrap().len(), 65_536);
    let step = Step::Move;
    writer
        .append("a", Line::Before { step, index: None })
        .unwrap();
    assert!(!reserve.exists());
    assert_eq!(lines(&machine).len(), 1);
    writer.keep_reserve();
    assert!(reserve.exists());
}

#[test]
fn a_newer_line_or_a_journal_that_cannot_be_read_stops_everything_and_is_never_wiped() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let hands = Hands::default();
    let path = machine.own_data.join(FILE);
    fs::create_dir_all(&machine.own_data).unwrap();
    let newer = "{\"schema\":99,\"entry\":\"x\"}\n";
    fs::write(&path, newer).unwrap();
    let lock = Lock::take(&machine, &hands).unwrap();
    assert!(Writer::open(&machine, &hands, &lock).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), newer);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(Writer::open(&machine, &hands, &lock).is_err());
    assert!(path.is_dir());
    drop(lock);
    assert!(rebuilt(&machine, "x", &Rebuild::Ready).is_err());
}

#[test]
fn what_is_written_belongs_to_this_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let machine = described(folder.path());
    let hands = Hands::default();
    let lock = Lock::take(&machine, &hands).unwrap();
    Writer::open(&machine, &hands, &lock).unwrap();
    #[cfg(unix)]
    for (path, mode) in [
        (machine.own_data.clone(), 0o700),
        (machine.own_data.join(FILE), 0o600),
        (machine.own_data.join(RESERVE), 0o600),
    ] {
        use std::os::unix::fs::PermissionsExt;
        let found = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{path:?}");
    }
    assert!(machine.own_data.join(FILE).exists());
}
