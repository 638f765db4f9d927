//! Every gate decides something by itself, for every class that names it.
//!
//! * `dead`: a candidate that passes everything, amid bystanders that resemble evidence of use.
//! * [`spoilers`]: for each rule the ways in which a candidate fails it, and it alone.
//! * [`order`]: the order of evidence does not matter, and more use never makes a live one dead.

mod order;
mod spoilers;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use spoilers::{Spoiler, spoilers};

use super::*;
use crate::bytes::{Allocated, Apparent};
use crate::leftover::candidate::{Content, Named, Origin};
use crate::leftover::evidence::{Agent, FileId, Hold, How, Inside, Process, Session, Unseen};
use crate::leftover::table::CLASSES;
use crate::leftover::{Place, Tier};

/// A session that is dead in every case that does not say otherwise.
const DEAD: &str = "01234567-89ab-cdef-0123-456789abcdef";
/// A session that lives, in another project.
const ALIVE: &str = "fedcba98-7654-3210-fedc-ba9876543210";
/// The moment of judging.
const NOW: Time = Time(1_800_000_000);
/// When the candidate came to be: long ago, and no machine was started since.
const BORN: Time = Time(1_790_000_000);
/// When this machine was started.
const BOOT: Time = Time(1_780_000_000);

/// A file that no case is about.
const OTHER: FileId = FileId {
    device: 42,
    inode: 99,
};

fn inside(path: &str) -> Option<Inside> {
    Some(Inside {
        device: (0, 42),
        path: path.as_bytes().to_vec(),
    })
}

/// A candidate of a class that passes every gate there is.
fn candidate(class: &'static Class) -> Candidate {
    Candidate {
        class,
        root: Arc::from("root"),
        base: Arc::from(Path::new("/tmp")),
        path: PathBuf::from("thing-4711.sock"),
        id: FileId {
            device: 42,
            inode: 7,
        },
        kind_fits: true,
        own: true,
        born: BORN,
        touched: BORN.plus(5),
        inside: inside("/thing-4711.sock"),
        named: Named {
            pid: Some(4711),
            millis: Some(BORN.0 * 1000),
            session: Some(DEAD.to_owned()),
        },
        origin: Origin {
            project: Some("-home-you-webshop".to_owned()),
            session: Some(DEAD.to_owned()),
            job: Some(PathBuf::from("/home/you/.claude/jobs/j1")),
        },
        newer_siblings: 9,
        content: Content {
            empty: Some(true),
            repository: Some(false),
            only_bytecode: Some(true),
            native: Some(true),
            path_line: Some(true),
            own_kind: Some(true),
            transcript: Some(false),
            launched: Some(false),
            installed: Some(false),
            superseded: Some(true),
            untracked: Some(true),
            members: vec![
                FileId {
                    device: 42,
                    inode: 7,
                },
                FileId {
                    device: 42,
                    inode: 8,
                },
            ],
            sockets: vec![b"s0123abcd.sock".to_vec()],
            unreadable: 0,
            foreign: 0,
            mounts: 0,
        },
        apparent: Apparent(0),
        allocated: Allocated(4096),
        shared: Allocated(0),
        inodes: 1,
    }
}

/// What a machine in use looks like, with nothing in it that uses the candidate: each entry resembles one
/// that would.
fn bystanders() -> Evidence {
    let hold = |how| Hold {
        pid: 50,
        name: "node".into(),
        how,
    };
    let process = |started, inner: &[u32]| Process {
        started,
        inner: inner.to_vec(),
        name: "sh".into(),
    };
    Evidence {
        at: NOW,
        boot: Some(BOOT),
        held: [(OTHER, hold(How::Write))].into(),
        unseen: vec![
            // A stranger of lost ancestry that was there before the candidate.
            Unseen {
                pid: 60,
                name: "agent".into(),
                started: BORN.plus(-100),
                kin: false,
            },
        ],
        mount_sources: ["/", "/thing-4711.soc", "/thing-4711.sock2", "/other"]
            .into_iter()
            .filter_map(inside)
            .collect(),
        mount_points: ["/", "/thing-4711.sock2", "/proc"]
            .into_iter()
            .filter_map(inside)
            .collect(),
        listening: [b"thing-4712.sock".to_vec(), b"sffffffff.sock".to_vec()].into(),
        sessions: vec![
            session(70, DEAD, Some("/home/you/webshop"), Some(false)),
            session(71, ALIVE, Some("/home/you/webshop-2"), Some(true)),
            // An environment names the same session without its folder.
            session(72, ALIVE, None, Some(true)),
        ],
        processes: [
            // The number was given again, after the candidate was made.
            (4711, process(BORN.plus(500), &[])),
            (80, process(BOOT, &[4712])),
        ]
        .into(),
        agents: vec![agent(90, BORN.plus(50), None)],
        jobs: [PathBuf::from("/home/you/.claude/jobs/j2")].into(),
        named: ["/tmp/thing-4711.sock2", "/tmp", "/tmp/thing"]
            .into_iter()
            .map(PathBuf::from)
            .collect(),
        desktops: Some([PathBuf::from("/home/you/.config/Claude")].into()),
        ..Evidence::default()
    }
}

fn session(pid: u32, id: &str, cwd: Option<&str>, alive: Option<bool>) -> Session {
    Session {
        pid,
        id: id.to_owned(),
        cwd: cwd.map(PathBuf::from),
        alive,
    }
}

/// A Claude Code that began then, working in the candidate's temp folder.
fn agent(pid: u32, started: Time, version: Option<(u32, u32, u32)>) -> Agent {
    Agent {
        pid,
        started,
        version,
        temp: Some(PathBuf::from("/tmp")),
        claude: true,
    }
}

/// A class of one gate, or of none.
fn only(gates: &'static [Gate], removal: Removal) -> &'static Class {
    Box::leak(Box::new(Class {
        name: "only",
        gates,
        removal,
        kind: Kind::Socket,
        tier: Tier::Automatic,
        places: &[Place::Temp],
        ..CLASSES[0]
    }))
}

/// Every gate, so that a new one cannot be forgotten: `spoilers` matches them all.
const GATES: &[Gate] = &[
    Gate::Idle(600),
    Gate::Empty,
    Gate::NoMountSource,
    Gate::NotHeld,
    Gate::NoWriter,
    Gate::NoListener,
    Gate::OwnerGone,
    Gate::NoReuse,
    Gate::SessionGone,
    Gate::TranscriptGone,
    Gate::JobGone,
    Gate::NoRepository,
    Gate::OnlyBytecode,
    Gate::NotNewest,
    Gate::NotAmongNewest(5),
    Gate::NativeLibrary,
    Gate::OnePathLine,
    Gate::OnlyOwnKind,
    Gate::NotNamedInEnvironment,
    Gate::OlderThanAgents,
    Gate::NotLaunched,
    Gate::NotInstalled,
    Gate::AppClosed,
    Gate::Superseded,
    Gate::ProjectQuiet,
];

/// Judges a spoiled candidate, with some rules off.
fn judged(class: &'static Class, spoiler: &Spoiler, off: &dyn Fn(Rule) -> bool) -> Judged {
    let (mut candidate, mut evidence) = (candidate(class), bystanders());
    (spoiler.spoil)(&mut candidate, &mut evidence);
    judge_without(&candidate, &evidence, NOW, off)
}

fn is_as_said(judged: &Judged, spoiler: &Spoiler) -> bool {
    match judged {
        Judged::Dead => false,
        Judged::Live(reason) => spoiler.live && !reason.is_empty(),
        Judged::Unknown(reason) => !spoiler.live && !reason.is_empty(),
    }
}

#[test]
fn amid_bystanders_the_dead_of_every_class_are_dead() {
    let evidence = bystanders();
    for class in CLASSES {
        let said = judge(&candidate(class), &evidence, NOW);
        if class.removal == Removal::Never {
            assert!(matches!(said, Judged::Unknown(_)), "{}", class.name);
        } else {
            assert_eq!(said, Judged::Dead, "{}", class.name);
        }
    }
}

#[test]
fn every_gate_alone_keeps_what_spoils_it_and_switched_off_lets_it_go() {
    for gate in GATES {
        let class = only(std::slice::from_ref(gate), Removal::Name);
        let rule = Rule::Gate(*gate);
        let ways = spoilers(rule);
        assert!(!ways.is_empty(), "{gate:?} is decided by no case");
        for way in ways {
            let said = judged(class, &way, &|_| false);
            assert!(is_as_said(&said, &way), "{gate:?}, {}: {said:?}", way.name);
            let off = judged(class, &way, &|other| other == rule);
            assert_eq!(
                off,
                Judged::Dead,
                "{gate:?}, {}: kept by another rule",
                way.name
            );
        }
    }
}

#[test]
fn every_rule_of_all_classes_alone_keeps_what_spoils_it_and_switched_off_lets_it_go() {
    for rule in ALWAYS {
        for way in spoilers(rule) {
            // The signals of this gate are needed; everything else has no gate.
            let class = match rule {
                Rule::Removable => only(&[], Removal::Never),
                Rule::Signals => only(&[Gate::NoMountSource, Gate::OwnerGone], Removal::Name),
                _ => only(&[], Removal::Name),
            };
            let said = judged(class, &way, &|_| false);
            assert!(is_as_said(&said, &way), "{rule:?}, {}: {said:?}", way.name);
            let off = judged(class, &way, &|other| other == rule);
            assert_eq!(
                off,
                Judged::Dead,
                "{rule:?}, {}: kept by another rule",
                way.name
            );
        }
    }
}

#[test]
fn every_class_keeps_what_spoils_any_of_its_gates_or_any_rule_of_all() {
    let mut used = BTreeSet::new();
    for class in CLASSES {
        let gates = class.gates.iter().map(|gate| Rule::Gate(*gate));
        for rule in ALWAYS.into_iter().chain(gates) {
            if let Rule::Gate(gate) = rule {
                used.insert(format!("{gate:?}").split('(').next().unwrap().to_owned());
            }
            for way in spoilers(rule) {
                if rule == Rule::Removable && class.removal != Removal::Never {
                    continue;
                }
                let said = judged(class, &way, &|_| false);
                let needs_nothing = rule == Rule::Signals && said == Judged::Dead;
                assert!(
                    said != Judged::Dead || needs_nothing,
                    "{}: {rule:?}, {}",
                    class.name,
                    way.name
                );
            }
        }
    }
    let all = GATES.iter().map(|gate| format!("{gate:?}"));
    let all: BTreeSet<_> = all
        .map(|gate| gate.split('(').next().unwrap().to_owned())
        .collect();
    assert_eq!(used, all, "every gate is asked by a class");
}

#[test]
fn a_missing_signal_keeps_only_the_classes_that_need_it() {
    let all = [
        Signal::Held,
        Signal::Mounts,
        Signal::Sockets,
        Signal::Sessions,
        Signal::Environments,
        Signal::Processes,
    ];
    for signal in all {
        let mut evidence = bystanders();
        evidence.missing.insert(signal, "hidepid".to_owned());
        for class in CLASSES
            .iter()
            .filter(|class| class.removal != Removal::Never)
        {
            let said = judge(&candidate(class), &evidence, NOW);
            if signals(class).contains(&signal) {
                let Judged::Unknown(reason) = said else {
                    panic!("{} without {signal:?}: {said:?}", class.name);
                };
                assert!(reason.ends_with("cannot be seen: hidepid"), "{reason}");
            } else {
                assert_eq!(said, Judged::Dead, "{} without {signal:?}", class.name);
            }
        }
    }
    let of = |name| signals(crate::leftover::table::class(name).unwrap());
    assert_eq!(
        of("empty_mount_source"),
        [Signal::Mounts, Signal::Processes].into()
    );
    assert_eq!(of("cwd_file"), BTreeSet::new());
}

#[test]
fn use_is_told_before_doubt() {
    let class = only(&[Gate::NoRepository, Gate::NotHeld], Removal::Name);
    let (mut candidate, mut evidence) = (candidate(class), bystanders());
    candidate.content.repository = None;
    candidate.own = false;
    evidence.held.insert(
        candidate.id,
        Hold {
            pid: 4711,
            name: "node".into(),
            how: How::Read,
        },
    );
    let said = judge(&candidate, &evidence, NOW);
    assert_eq!(said, Judged::Live("node (4711) has it open".into()));
}

#[test]
fn an_earlier_start_of_the_machine_ends_every_owner() {
    let class = only(&[Gate::OwnerGone], Removal::Name);
    let (candidate, mut evidence) = (candidate(class), bystanders());
    evidence.processes.insert(
        4711,
        Process {
            started: BORN.plus(-10),
            ..Process::default()
        },
    );
    assert_ne!(judge(&candidate, &evidence, NOW), Judged::Dead);
    evidence.boot = Some(BORN.plus(3600));
    assert_eq!(judge(&candidate, &evidence, NOW), Judged::Dead);
    evidence.boot = None;
    assert_ne!(judge(&candidate, &evidence, NOW), Judged::Dead);
}

#[test]
fn only_a_later_version_in_this_folder_can_be_reusing_it() {
    let class = only(&[Gate::NoReuse], Removal::Name);
    let said = |agent: Agent| {
        let mut evidence = bystanders();
        evidence.agents.push(agent);
        judge(&candidate(class), &evidence, NOW)
    };
    let before = BORN.plus(-10);
    assert_eq!(said(agent(5, before, Some((2, 1, 280)))), Judged::Dead);
    assert_ne!(said(agent(5, before, Some((2, 1, 281)))), Judged::Dead);
    assert_ne!(said(agent(5, before, Some((3, 0, 0)))), Judged::Dead);
    let elsewhere = Agent {
        temp: Some("/var/tmp".into()),
        ..agent(5, before, None)
    };
    assert_eq!(said(elsewhere), Judged::Dead);
    let bun = Agent {
        claude: false,
        ..agent(5, before, None)
    };
    assert_eq!(said(bun), Judged::Dead);
    assert_eq!(said(agent(5, BORN.plus(3), None)), Judged::Dead);
}
