//! One of each kind that agents leave behind, with the shapes that were seen (facts of the leftovers §1).

use std::fs::{self, File};
use std::io::Error;
use std::path::Path;

/// How many of the numerous kinds to make.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// Empty mount sources and the test directories of other programs.
    pub directories: u32,
    /// Sockets and small files.
    pub files: u32,
}

/// Fills a temp root with every kind.
///
/// # Errors
/// Where something cannot be made.
pub fn in_temp_root(root: &Path, uid: u32, amount: Amount) -> Result<(), Error> {
    let mut names = Names::new(1);
    // Empty mount sources: 2,126 in twelve hours (#96129).
    for _ in 0..amount.directories / 2 {
        fs::create_dir(root.join(format!("claude-empty-{}", names.mixed(6))))?;
    }
    // Test directories of the model's own commands: 185,541 in a month (#85576).
    for _ in 0..amount.directories {
        let folder = root.join(format!("tmp{}", names.lower(8)));
        fs::create_dir(&folder)?;
        if names.below(4) == 0 {
            fs::write(folder.join("fixture.json"), vec![b' '; names.below(9000)])?;
        }
    }
    for _ in 0..amount.files {
        let pid = 4000 + names.below(90_000);
        socket(&root.join(format!("srt-mux-{pid}-{}.sock", names.lower(2))))?;
        fs::write(
            root.join(format!("claude-{}-cwd", names.hex(4))),
            "/home/you/project\n",
        )?;
    }
    for _ in 0..3 {
        socket(&root.join(format!("claude-http-{}.sock", names.hex(16))))?;
        socket(&root.join(format!("claude-socks-{}.sock", names.hex(16))))?;
    }
    let observer = root.join(format!("srt-obs-{}", names.mixed(6)));
    fs::create_dir(&observer)?;
    socket(&observer.join(format!("s{}.sock", names.hex(8))))?;
    file(
        &root.join(format!("srt-credmask-{}/0.fake", names.mixed(6))),
        60,
    )?;
    let authority = root.join(format!("srt-ca-{}", names.mixed(6)));
    file(&authority.join("ca.crt"), 1_200)?;
    file(&authority.join("ca.key"), 1_700)?;
    // Native copies of single-file programs: 103 GB in a week (#22083). Not only Claude's.
    for _ in 0..12 {
        let name = format!(".{}-{:08}.node", names.hex(16), names.below(99_999_999));
        sparse(&root.join(name), 6_965_760)?;
    }
    for index in 0..200 {
        file(
            &root.join(format!(
                "node-compile-cache/v22/{index:03x}/{}",
                names.hex(8)
            )),
            900,
        )?;
    }
    file(
        &root.join("pytest-of-you/pytest-7/test_upload0/out.bin"),
        40_000,
    )?;
    file(
        &root.join(format!("playwright-artifacts-{}/trace.zip", names.mixed(6))),
        90_000,
    )?;
    session_root(&root.join(format!("claude-{uid}")), &mut names)
}

/// What was made of a heavy host, to compare a look with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heavy {
    /// Empty mount sources.
    pub empty: u32,
    /// Sockets of multiplexers.
    pub mux: u32,
    /// Sockets of bridges.
    pub bridges: u32,
    /// Session directories with a scratchpad.
    pub sessions: u32,
    /// `mktemp -d` directories.
    pub mktemp: u32,
}

/// A typical heavy WSL2 host (facts of the leftovers §6), divided by `share`: 1 makes all of it. Sizes are
/// sparse: 8.8 GB of scratchpads and an output of 40 GB take next to nothing.
///
/// # Errors
/// Where something cannot be made.
pub fn heavy_host(root: &Path, uid: u32, share: u32) -> Result<Heavy, Error> {
    let share = share.max(1);
    let mut names = Names::new(3);
    let heavy = Heavy {
        empty: 4_300 / share,
        mux: 2_403 / share,
        bridges: 42 / share.min(42),
        sessions: 101 / share.min(101),
        mktemp: 13_849 / share,
    };
    // Numbered, so that no two are one.
    for number in 0..heavy.empty {
        fs::create_dir(root.join(format!("claude-empty-{number:06}")))?;
    }
    for number in 0..heavy.mux {
        let pid = 4_000 + number;
        socket(&root.join(format!("srt-mux-{pid}-{}.sock", names.lower(2))))?;
    }
    for number in 0..heavy.bridges {
        let kind = if number % 2 == 0 { "http" } else { "socks" };
        socket(&root.join(format!("claude-{kind}-{}.sock", names.hex(16))))?;
    }
    for number in 0..heavy.mktemp {
        let folder = root.join(format!("tmp.{number:010}"));
        fs::create_dir(&folder)?;
        if names.below(3) == 0 {
            fs::write(folder.join("part"), vec![b'.'; names.below(3000)])?;
        }
    }
    let own = root.join(format!("claude-{uid}"));
    for number in 0..heavy.sessions {
        let session = own.join("-home-you-webshop").join(names.uuid());
        sparse(&session.join("scratchpad/results.bin"), 92_000_000)?;
        if number == 0 {
            let output = format!("tasks/b{}.output", names.lower(8));
            sparse(&session.join(output), 40_000_000_000)?;
        }
    }
    Ok(heavy)
}

/// What only looks like a leftover, to stand beside all of them: whoever counts or removes one is wrong.
/// Returns how many entries were made directly in the root.
///
/// # Errors
/// Where something cannot be made.
pub fn decoys(root: &Path) -> Result<u32, Error> {
    let folders = [
        "claude-empty-home-abcdef",
        "machine-claude-empty-Ab3xY9",
        "claude-empty-Ab3xY",
        "claude-empty-Ab3xY99",
        "claude-empty-Ab3xY9.bak",
        "CLAUDE-empty-Ab3xY9",
        "srt-obs-Ab3xY",
        "srt-ca-backups",
        "tmp-0123456789",
        "tmpABCDEFGH",
        "gkinstall-Ab3xY9",
        "systemd-private-0123",
    ];
    let files = [
        "claude-export.csv",
        "claude-0a1-cwd",
        "claude-0a1f-cwd.txt",
        ".0123456789abcde-00000001.node",
        "0123456789abcdef-00000001.node",
        "srt-mux-notes.txt",
        "claude-http.sock",
    ];
    for name in folders {
        file(&root.join(name).join("keep.txt"), 40)?;
    }
    for name in files {
        file(&root.join(name), 40)?;
    }
    let count = folders.len() + files.len();
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Claude Code's own temp root: scratchpads and task output of sessions.
fn session_root(root: &Path, names: &mut Names) -> Result<(), Error> {
    for project in ["-home-you-webshop", "-home-you-papers-thesis"] {
        for _ in 0..6 {
            let session = root.join(project).join(names.uuid());
            file(&session.join("scratchpad/plan.md"), 2_000)?;
            file(&session.join("scratchpad/results.csv"), 60_000)?;
            file(
                &session.join(format!("tasks/b{}.output", names.lower(8))),
                30_000,
            )?;
        }
    }
    // A background command that nobody stopped: 31 GB (#40108). Sparse here.
    let session = root.join("-home-you-webshop").join(names.uuid());
    sparse(
        &session.join(format!("tasks/b{}.output", names.lower(8))),
        31_000_000_000,
    )
}

/// Fills a home with what lies below `~/.claude`, and with what must never be touched beside it.
///
/// # Errors
/// Where something cannot be made.
pub fn in_home(home: &Path) -> Result<(), Error> {
    let mut names = Names::new(2);
    let claude = home.join(".claude");
    for job in 0..3 {
        let tmp = claude.join(format!("jobs/{job}{}/tmp", names.hex(7)));
        // A mirror of absolute paths with nothing but compiled Python (#91512).
        for _ in 0..8 {
            let cache = format!(
                "tmp.{}/Users/you/app/.venv/lib/site/__pycache__",
                names.mixed(10)
            );
            file(&tmp.join(&cache).join("models.cpython-312.pyc"), 20_000)?;
            file(&tmp.join(&cache).join("views.cpython-312.pyc"), 30_000)?;
        }
    }
    for _ in 0..5 {
        let clone = format!(
            "plugins/cache/temp_git_17950{:08}_{}",
            names.below(99_999_999),
            names.lower(6)
        );
        file(&claude.join(clone).join("README.md"), 4_000)?;
    }
    for _ in 0..20 {
        file(&claude.join(format!("debug/{}.txt", names.uuid())), 12_000)?;
    }
    for version in ["2.1.274", "2.1.278", "2.1.280"] {
        sparse(
            &home.join(format!(".local/share/claude/versions/{version}")),
            248_000_000,
        )?;
    }
    file(
        &claude.join(format!("projects/-home-you-webshop/{}.jsonl", names.uuid())),
        80_000,
    )?;
    file(&claude.join("history.jsonl"), 3_000)?;
    file(&claude.join("settings.json"), 200)
}

fn file(path: &Path, size: usize) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, vec![b'.'; size])
}

fn sparse(path: &Path, size: u64) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    File::create(path)?.set_len(size)
}

/// A socket that nobody listens on, as a killed process leaves it.
fn socket(path: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    drop(std::os::unix::net::UnixListener::bind(path)?);
    #[cfg(not(unix))]
    fs::write(path, "")?;
    Ok(())
}

/// Random-looking names, the same on every run.
struct Names(u64);

impl Names {
    const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number below `limit` (splitmix64).
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        usize::try_from((mixed ^ (mixed >> 31)) % limit).unwrap_or(0)
    }

    fn of(&mut self, letters: &[u8], length: usize) -> String {
        (0..length)
            .map(|_| char::from(letters[self.below(letters.len())]))
            .collect()
    }

    fn mixed(&mut self, length: usize) -> String {
        self.of(
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            length,
        )
    }

    fn lower(&mut self, length: usize) -> String {
        self.of(b"abcdefghijklmnopqrstuvwxyz0123456789", length)
    }

    fn hex(&mut self, length: usize) -> String {
        self.of(b"0123456789abcdef", length)
    }

    fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|length| self.hex(length)).join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_temp_root_has_every_kind_and_the_same_names_each_time() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let amount = Amount {
            directories: 20,
            files: 5,
        };
        let mut lists = Vec::new();
        for folder in [&one, &two] {
            in_temp_root(folder.path(), 1000, amount).unwrap();
            let mut list: Vec<_> = fs::read_dir(folder.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            list.sort();
            lists.push(list);
        }
        assert_eq!(lists[0], lists[1]);
        for start in [
            "claude-empty-",
            "srt-mux-",
            "claude-http-",
            "srt-ca-",
            "tmp",
            "claude-1000",
            ".",
        ] {
            let count = lists[0]
                .iter()
                .filter(|name| name.to_string_lossy().starts_with(start))
                .count();
            assert!(count > 0, "{start}");
        }
    }

    #[test]
    fn a_heavy_host_has_as_much_as_it_says_and_its_decoys_fit_nothing() {
        use sandtray_core::leftover::shape;
        let folder = tempfile::tempdir().unwrap();
        let heavy = heavy_host(folder.path(), 1000, 100).unwrap();
        let entries = || fs::read_dir(folder.path()).unwrap().count();
        let made = heavy.empty + heavy.mux + heavy.bridges + heavy.mktemp + 1;
        assert_eq!(entries(), made as usize);
        let decoys = decoys(folder.path()).unwrap();
        assert_eq!(entries(), (made + decoys) as usize);
        let fitting = fs::read_dir(folder.path()).unwrap().filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            let fits = |shape: &&str| shape::fits(shape, name.as_encoded_bytes()).is_some();
            let ours = [
                "claude-empty-{A6}",
                "srt-mux-{pid}-{base36}.sock",
                "claude-http-{h16}.sock",
                "claude-socks-{h16}.sock",
                "tmp.{A10}",
            ];
            ours.iter().any(fits)
        });
        assert_eq!(fitting.count(), made as usize - 1);
    }
}
