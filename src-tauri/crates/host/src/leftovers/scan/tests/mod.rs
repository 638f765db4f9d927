//! On real folders, with rows of their own: what the table says changes, what a scan sees does not.

use std::fs;
use std::path::{Path, PathBuf};

use sandtray_core::bundle::{Bundle, Owner, Profile, RootWhy, TempRoot};
use sandtray_core::leftover::candidate::Candidate;
use sandtray_core::leftover::{Class, Gate, Kind, Place, Removal, Tier};
use sandtray_core::machine::{Machine, Os};
use sandtray_core::paths::token;
use tempfile::TempDir;

#[cfg(unix)]
use super::names_for;
use super::{Looked, Scene, scan_for};
use crate::walk::Cancel;

mod around;
#[cfg(unix)]
mod contents;
#[cfg(unix)]
mod decoys;
#[cfg(target_os = "linux")]
mod hostile;
#[cfg(unix)]
mod many;
#[cfg(unix)]
mod reports;
mod table;

const ALL: &[Os] = &[Os::Linux, Os::MacOs, Os::Windows];

const fn row(
    name: &'static str,
    places: &'static [Place],
    shapes: &'static [&'static str],
    kind: Kind,
    removal: Removal,
    gates: &'static [Gate],
) -> Class {
    Class {
        name,
        title: "",
        about: "",
        proof: "",
        cost: "",
        source: "",
        systems: ALL,
        places,
        shapes,
        kind,
        tier: Tier::Ask,
        removal,
        gates,
        remedy: "",
        otherwise: None,
    }
}

const PROJECT: &str = "-home-you-webshop";
const SESSION: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

/// The shapes of the facts, in the places of the facts.
static ROWS: &[Class] = &[
    row(
        "empty",
        &[Place::Temp],
        &["claude-empty-{A6}"],
        Kind::Directory,
        Removal::Empty,
        &[Gate::Empty],
    ),
    row(
        "mux",
        &[Place::Temp],
        &["srt-mux-{pid}-{base36}.sock"],
        Kind::Socket,
        Removal::Name,
        &[],
    ),
    row(
        "bridge",
        &[Place::Temp],
        &["claude-http-{h16}.sock", "claude-socks-{h16}.sock"],
        Kind::Socket,
        Removal::Name,
        &[],
    ),
    row(
        "own",
        &[Place::Temp],
        &["srt-obs-{A6}", "srt-credmask-{A6}", "srt-ca-{A6}"],
        Kind::Directory,
        Removal::Tree,
        &[Gate::OnlyOwnKind],
    ),
    row(
        "native",
        &[Place::Temp],
        &[".{h16}-{d8}.node"],
        Kind::File,
        Removal::Name,
        &[Gate::NativeLibrary],
    ),
    row(
        "cwd",
        &[Place::Temp],
        &["claude-{h4}-cwd"],
        Kind::File,
        Removal::Name,
        &[Gate::OnePathLine],
    ),
    row(
        "output",
        &[Place::Session("*/{uuid}/tasks"), Place::Session("*/tasks")],
        &["{+}.output"],
        Kind::File,
        Removal::Name,
        &[Gate::TranscriptGone],
    ),
    row(
        "scratchpad",
        &[Place::Session("*/{uuid}")],
        &["scratchpad"],
        Kind::Directory,
        Removal::Tree,
        &[Gate::NoRepository, Gate::TranscriptGone],
    ),
    row(
        "mktemp",
        &[Place::Temp],
        &["tmp.{A10}"],
        Kind::Directory,
        Removal::Never,
        &[],
    ),
    row(
        "overlay",
        &[Place::Job],
        &["tmp.{A10}"],
        Kind::Directory,
        Removal::Tree,
        &[Gate::OnlyBytecode, Gate::NotNewest],
    ),
    row(
        "python",
        &[Place::Temp],
        &["tmp{py8}"],
        Kind::Directory,
        Removal::Never,
        &[],
    ),
    row(
        "debug",
        &[Place::Config("debug")],
        &["{uuid}.txt"],
        Kind::File,
        Removal::Name,
        &[],
    ),
    row(
        "clones",
        &[Place::Config("plugins/cache")],
        &["temp_git_{ms}_{z6}"],
        Kind::Directory,
        Removal::Tree,
        &[Gate::NotInstalled],
    ),
    row(
        "versions",
        &[Place::Home(".local/share/claude/versions")],
        &["{version}"],
        Kind::File,
        Removal::Name,
        &[Gate::NotLaunched, Gate::NotNewest],
    ),
    row(
        "backups",
        &[Place::Home("")],
        &[".claude.json.backup.{ms}"],
        Kind::File,
        Removal::Name,
        &[Gate::NotAmongNewest(5)],
    ),
    row(
        "browser_bridge",
        &[Place::TempBelow("claude-mcp-browser-bridge-{+}")],
        &["{pid}.sock"],
        Kind::Socket,
        Removal::Name,
        &[],
    ),
    row(
        "compiled",
        &[Place::Session(""), Place::Temp],
        &["node-compile-cache"],
        Kind::Directory,
        Removal::Tree,
        &[],
    ),
    row(
        "spare",
        &[Place::Bundle("")],
        &["rootfs.{+}", "{+}.zst"],
        Kind::File,
        Removal::Name,
        &[Gate::Superseded],
    ),
    row(
        "warm",
        &[Place::Desktop("vm_bundles/warm")],
        &["{h40}"],
        Kind::Directory,
        Removal::Tree,
        &[Gate::Superseded],
    ),
    row(
        "mask",
        &[Place::Home("")],
        &[".bashrc"],
        Kind::File,
        Removal::Name,
        &[Gate::ProjectQuiet],
    ),
    row(
        "stub",
        &[Place::Project(".claude")],
        &["settings.json"],
        Kind::File,
        Removal::Name,
        &[Gate::Empty, Gate::OnlyOwnKind],
    ),
    row(
        "worktree",
        &[Place::Project(".claude/worktrees")],
        &["{+}"],
        Kind::Directory,
        Removal::Never,
        &[],
    ),
    row(
        "messages",
        &[Place::Runtime("cc-socks")],
        &["{pid}.sock"],
        Kind::Socket,
        Removal::Name,
        &[],
    ),
    row(
        "logs",
        &[Place::Cache("claude-cli-nodejs/*")],
        &["mcp-logs-{+}"],
        Kind::Directory,
        Removal::Tree,
        &[],
    ),
];

/// A machine of its own in a temp folder.
struct World {
    root: PathBuf,
    machine: Machine,
    /// None where somebody else removes it.
    _dir: Option<TempDir>,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("machine.toml");
        fs::write(&file, "home = 'home'\ntemp_roots = ['tmp']\n").unwrap();
        let machine = crate::machine::load(&file).unwrap();
        let world = Self {
            root: dir.path().to_owned(),
            machine,
            _dir: Some(dir),
        };
        fs::create_dir_all(world.at("tmp")).unwrap();
        fs::create_dir_all(world.at("home/.claude")).unwrap();
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file, with the folders on the way to it.
    fn file(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn folder(&self, path: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// A socket that nobody listens on, as a killed process leaves it.
    #[cfg(unix)]
    fn socket(&self, path: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        path
    }

    fn scene(&self) -> Scene {
        let root = |path: &str, why, owner| {
            let path = fs::canonicalize(self.at(path)).ok()?;
            Some(TempRoot {
                id: token(&path),
                why,
                owner,
                filesystem: String::new(),
                memory: false,
                path,
            })
        };
        let roots = [
            root("tmp", RootWhy::Configured, Owner::Own),
            root("tmp/claude-501", RootWhy::ClaudeTemp, Owner::Own),
            root("home/.claude/jobs/7f3a/tmp", RootWhy::JobTemp, Owner::Own),
        ];
        let bundle = self.at("home/.config/Claude/vm_bundles/claudevm.bundle");
        let bundles = fs::canonicalize(bundle).map(|path| Bundle {
            id: token(&path),
            profile: Profile::Claude,
            live: true,
            detour: None,
            files: Vec::new(),
            path,
        });
        Scene {
            machine: self.machine.clone(),
            roots: roots.into_iter().flatten().collect(),
            bundles: bundles.into_iter().collect(),
            config_dirs: vec![self.at("home/.claude")],
            claude: Default::default(),
        }
    }

    fn scan(&self) -> (Vec<Candidate>, Looked) {
        scan(&self.scene(), &|_| true)
    }

    /// The candidates; nothing was unreadable.
    fn found(&self) -> Vec<Candidate> {
        let (found, looked) = self.scan();
        assert_eq!((looked.gaps, looked.complete), (Vec::new(), true));
        found
    }
}

/// Candidates by class and path, so that the order of a listing does not matter.
fn scan(scene: &Scene, want: &dyn Fn(&Class) -> bool) -> (Vec<Candidate>, Looked) {
    let mut found = Vec::new();
    let cancel = Cancel::default();
    let looked = scan_for(ROWS, scene, want, &cancel, &mut |_| {}, &mut |it| {
        found.push(it);
    });
    found.sort_by(|a, b| (a.class.name, &a.path).cmp(&(b.class.name, &b.path)));
    (found, looked)
}

fn of<'a>(found: &'a [Candidate], class: &str) -> Vec<&'a Candidate> {
    found.iter().filter(|it| it.class.name == class).collect()
}

fn one<'a>(found: &'a [Candidate], class: &str) -> &'a Candidate {
    let all = of(found, class);
    assert_eq!(all.len(), 1, "{class}: {all:#?}");
    all[0]
}

fn paths(found: &[Candidate]) -> Vec<(&str, &Path)> {
    found
        .iter()
        .map(|it| (it.class.name, it.path.as_path()))
        .collect()
}
