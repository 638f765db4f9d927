//! The ways in which a candidate fails a rule.

use super::*;

/// One way.
pub(super) struct Spoiler {
    pub(super) name: &'static str,
    /// It is in use then; otherwise it cannot be told.
    pub(super) live: bool,
    pub(super) spoil: fn(&mut Candidate, &mut Evidence),
}

type Spoil = fn(&mut Candidate, &mut Evidence);

fn live(name: &'static str, spoil: Spoil) -> Spoiler {
    Spoiler {
        name,
        live: true,
        spoil,
    }
}

fn unknown(name: &'static str, spoil: Spoil) -> Spoiler {
    Spoiler {
        name,
        live: false,
        spoil,
    }
}

/// Holds the candidate, or what is in it.
fn hold(evidence: &mut Evidence, id: FileId, how: How) {
    let name = "node".to_owned();
    evidence.held.insert(id, Hold { pid: 5, name, how });
}

fn member(candidate: &Candidate) -> FileId {
    candidate.content.members.last().copied().unwrap()
}

fn hide(evidence: &mut Evidence, name: &str, started: Time, kin: bool) {
    evidence.unseen.push(Unseen {
        pid: 6,
        name: name.to_owned(),
        started,
        kin,
    });
}

/// A process of this number, or of that number in its own namespace.
fn run(evidence: &mut Evidence, pid: u32, inner: &[u32], started: Time) {
    let name = "node".to_owned();
    let inner = inner.to_vec();
    evidence.processes.insert(
        pid,
        Process {
            started,
            inner,
            name,
        },
    );
}

/// What cannot be looked into, for gates that ask every process.
fn hidden() -> Vec<Spoiler> {
    vec![
        unknown("kin is hidden", |_, e| hide(e, "bwrap", BOOT, true)),
        unknown("a hidden process of lost ancestry is younger", |c, e| {
            hide(e, "sh", c.born, false);
        }),
    ]
}

/// A way for one field of what is in it: the wrong answer, and none.
macro_rules! field {
    ($wrong:expr, $field:ident, $kind:ident) => {
        vec![
            $kind(concat!(stringify!($field), " is wrong"), |c, _| {
                c.content.$field = Some($wrong);
            }),
            unknown(concat!(stringify!($field), " was not seen"), |c, _| {
                c.content.$field = None;
            }),
        ]
    };
}

pub(super) fn spoilers(rule: Rule) -> Vec<Spoiler> {
    match rule {
        Rule::Removable => vec![unknown("of a class that stays", |_, _| {})],
        Rule::Own => vec![unknown("another user's", |c, _| c.own = false)],
        Rule::Kind => vec![unknown("a link in its place", |c, _| c.kind_fits = false)],
        Rule::Clock => vec![
            unknown("touched tomorrow", |c, _| c.touched = NOW.plus(1)),
            unknown("born tomorrow", |c, _| c.born = NOW.plus(1)),
            unknown("named tomorrow", |c, _| {
                c.named.millis = Some((NOW.0 + 1) * 1000);
            }),
        ],
        Rule::NoMount => vec![
            live("a mount stands on it", |c, e| {
                e.mount_points.extend(c.inside.clone());
            }),
            live("a mount stands in it", |_, e| {
                e.mount_points.extend(inside("/thing-4711.sock/deep/er"));
            }),
        ],
        Rule::OneFilesystem => vec![live("a mount was met in it", |c, _| c.content.mounts = 1)],
        Rule::NoStranger => vec![unknown("a stranger's file in it", |c, _| {
            c.content.foreign = 1;
        })],
        Rule::Readable => vec![unknown("a closed folder in it", |c, _| {
            c.content.unreadable = 1;
        })],
        Rule::Signals => vec![
            unknown("no mount tables", |_, e| {
                e.missing.insert(Signal::Mounts, "hidepid".into());
            }),
            unknown("no processes", |_, e| {
                e.missing.insert(Signal::Processes, "a sandbox".into());
            }),
        ],
        Rule::Gate(gate) => of_gate(gate),
    }
}

fn of_gate(gate: Gate) -> Vec<Spoiler> {
    match gate {
        Gate::Idle(_) => vec![
            live("touched a moment ago", |c, _| c.touched = NOW.plus(-1)),
            live("born a moment ago, set back by touch", |c, _| c.born = NOW),
            live("its name says a moment ago", |c, _| {
                c.named.millis = Some(NOW.0 * 1000);
            }),
        ],
        Gate::Empty => field!(false, empty, unknown),
        Gate::NoRepository => field!(true, repository, live),
        Gate::OnlyBytecode => field!(false, only_bytecode, unknown),
        Gate::NativeLibrary => field!(false, native, unknown),
        Gate::OnePathLine => field!(false, path_line, unknown),
        Gate::OnlyOwnKind => field!(false, own_kind, unknown),
        Gate::TranscriptGone => field!(true, transcript, live),
        Gate::NotLaunched => field!(true, launched, live),
        Gate::NotInstalled => field!(true, installed, live),
        Gate::Superseded => field!(false, superseded, live),
        Gate::NotNewest => vec![live("the newest", |c, _| c.newer_siblings = 0)],
        Gate::NotAmongNewest(_) => vec![
            live("the newest", |c, _| c.newer_siblings = 0),
            live("one of the few newest", |c, _| c.newer_siblings = 2),
        ],
        Gate::NoMountSource => vec![
            live("a sandbox mounts it", |c, e| {
                e.mount_sources.extend(c.inside.clone());
            }),
            live("a sandbox mounts something in it", |_, e| {
                e.mount_sources.extend(inside("/thing-4711.sock/1.fake"));
            }),
            unknown("its place is not known", |c, _| c.inside = None),
        ],
        Gate::NotHeld => {
            let mut ways = hidden();
            ways.push(live("a reader", |c, e| hold(e, c.id, How::Read)));
            ways.push(live("a working folder", |c, e| hold(e, c.id, How::Folder)));
            ways.push(live("mapped inside", |c, e| {
                hold(e, member(c), How::Mapped)
            }));
            ways.push(live("runs from it", |c, e| {
                hold(e, member(c), How::Program)
            }));
            ways
        }
        Gate::NoWriter => {
            let mut ways = hidden();
            ways.push(live("a writer", |c, e| hold(e, c.id, How::Write)));
            ways.push(live("mapped", |c, e| hold(e, c.id, How::Mapped)));
            ways
        }
        Gate::NoListener => vec![
            live("a listener in any namespace", |_, e| {
                e.listening.insert(b"thing-4711.sock".to_vec());
            }),
            live("a listener inside", |_, e| {
                e.listening.insert(b"s0123abcd.sock".to_vec());
            }),
            unknown("no name", |c, _| c.path = PathBuf::from("..")),
        ],
        Gate::NotNamedInEnvironment => {
            let mut ways = hidden();
            ways.push(live("named", |c, e| {
                e.named.insert(c.full_path());
            }));
            ways.push(live("something in it is named", |c, e| {
                e.named.insert(c.full_path().join("ca.crt"));
            }));
            ways
        }
        _ => of_owner(gate),
    }
}

fn of_owner(gate: Gate) -> Vec<Spoiler> {
    match gate {
        Gate::OwnerGone => vec![
            live("its process runs", |c, e| {
                run(e, 4711, &[], c.born.plus(-9))
            }),
            live("its process began in the same second", |c, e| {
                run(e, 4711, &[], c.born);
            }),
            unknown("a process of that number inside a sandbox", |_, e| {
                run(e, 88, &[4711, 3], BOOT);
            }),
            unknown("no number", |c, _| c.named.pid = None),
        ],
        Gate::NoReuse => vec![
            unknown("a new version from before", |c, e| {
                e.agents.push(agent(5, c.born.plus(-9), Some((2, 1, 281))));
            }),
            unknown("an unknown version from before", |c, e| {
                e.agents.push(agent(5, c.born.plus(-9), None));
            }),
            unknown("a version whose temp folder is not known", |c, e| {
                let temp = None;
                let agent = agent(5, c.born, None);
                e.agents.push(Agent { temp, ..agent });
            }),
            unknown("a hidden one", |_, e| hide(e, "claude", BOOT, false)),
            unknown("a hidden one, called by its version", |_, e| {
                hide(e, "2.1.300", BOOT, false);
            }),
        ],
        Gate::OlderThanAgents => vec![
            unknown("one was there", |c, e| {
                e.agents.push(agent(5, c.touched.plus(-1), Some((2, 1, 0))));
            }),
            unknown("one was there with another temp folder", |_, e| {
                let temp = Some(PathBuf::from("/var/tmp"));
                let agent = agent(5, BOOT, None);
                e.agents.push(Agent { temp, ..agent });
            }),
            unknown("a bun was there", |_, e| {
                let claude = false;
                let agent = agent(5, BOOT, None);
                e.agents.push(Agent { claude, ..agent });
            }),
            unknown("a hidden one was there", |_, e| {
                hide(e, "claude", BOOT, false)
            }),
        ],
        Gate::JobGone => vec![
            live("its job runs", |c, e| e.jobs.extend(c.origin.job.clone())),
            live("its job runs, reached by another path", |_, e| {
                e.jobs.insert(PathBuf::from("/mnt/you/.claude/jobs/j1"));
            }),
            unknown("its job is not known", |c, _| c.origin.job = None),
        ],
        Gate::AppClosed => vec![
            live("the app runs", |_, e| {
                e.desktops = Some([PathBuf::from("/tmp")].into());
            }),
            unknown("whether it runs is not known", |_, e| e.desktops = None),
        ],
        Gate::SessionGone => {
            let mut ways = sessions();
            ways.push(live("its session lives, elsewhere", |_, e| {
                e.sessions
                    .push(session(5, DEAD, Some("/elsewhere"), Some(true)));
            }));
            ways.push(unknown("its session may live", |_, e| {
                e.sessions.push(session(5, DEAD, Some("/elsewhere"), None));
            }));
            ways.push(live("its name's session lives", |c, e| {
                c.origin = Origin::default();
                e.sessions.push(session(5, DEAD, None, Some(true)));
            }));
            ways.push(unknown("nothing says whose it is", |c, _| {
                c.origin = Origin::default();
                c.named = Named::default();
            }));
            ways
        }
        Gate::ProjectQuiet => {
            let mut ways = sessions();
            ways.extend(field!(false, untracked, live));
            ways.push(live("a session below it", |_, e| {
                e.sessions
                    .push(session(5, ALIVE, Some("/tmp/sub"), Some(true)));
            }));
            ways.push(live("in no project, any session", |c, _| {
                c.origin.project = None;
            }));
            ways
        }
        _ => Vec::new(),
    }
}

/// A session in its project, whatever its id.
fn sessions() -> Vec<Spoiler> {
    vec![
        live("another session in its project lives", |_, e| {
            let cwd = Some("/home/you/webshop");
            e.sessions.push(session(5, "stale", cwd, Some(true)));
        }),
        live(
            "a session in its project lives, written otherwise",
            |_, e| {
                let cwd = Some("/home/You/web.shop");
                e.sessions.push(session(5, "x", cwd, Some(true)));
                let cwd = Some("/Home/you/webshop");
                e.sessions.push(session(6, "y", cwd, Some(true)));
            },
        ),
        unknown("a session in its project may live", |_, e| {
            e.sessions
                .push(session(5, "x", Some("/home/you/webshop"), None));
        }),
        unknown("a session lives nobody knows where", |_, e| {
            e.sessions.push(session(5, "lost", None, Some(true)));
        }),
    ]
}
