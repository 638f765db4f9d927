//! Real sandboxes, built as the sandbox runtime builds them (facts of the leftovers §1.1): an empty
//! directory over every denied path whose parent is missing, `/dev/null` over missing files, sockets bound
//! in, namespaces of their own for processes and network.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sandtray_core::leftover::evidence::Evidence;

use super::{Group, Place, give, ordinary, until};
use crate::leftovers::evidence::{OwnMounts, inside};

/// A project, what a sandbox of it is made of, and a decoy beside each.
struct Shop {
    place: Place,
}

const EMPTY: &str = "claude-empty-Ab3xY9";
const SOCKET: &str = "claude-http-0123456789abcdef.sock";

impl Shop {
    fn new() -> Self {
        let place = Place::new();
        for folder in ["shop", EMPTY, "claude-empty-Decoy1"] {
            give(&place.folder(folder));
        }
        for name in [SOCKET, "claude-http-fedcba9876543210.sock"] {
            // Bound and left: the file stays, and nobody listens.
            drop(UnixListener::bind(place.path().join(name)).unwrap());
            give(&place.path().join(name));
        }
        Self { place }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// The sandbox that runs `script` in a shell.
    fn sandbox(&self, script: &str) -> Command {
        let (shop, empty, socket) = (self.at("shop"), self.at(EMPTY), self.at(SOCKET));
        let mut bwrap = Command::new("bwrap");
        bwrap.args(["--new-session", "--die-with-parent", "--ro-bind", "/", "/"]);
        bwrap.arg("--bind").args([&shop, &shop]);
        bwrap.arg("--bind").args([&socket, &socket]);
        bwrap.arg("--ro-bind").args([&empty, &shop.join(".claude")]);
        bwrap
            .args(["--ro-bind", "/dev/null"])
            .arg(shop.join(".mcp.json"));
        bwrap.args([
            "--dev",
            "/dev",
            "--unshare-pid",
            "--unshare-net",
            "--proc",
            "/proc",
        ]);
        bwrap.args(["--", "sh", "-c", script]).stdin(Stdio::piped());
        bwrap
    }
}

/// What of a shop the machine shows as mounted.
struct Mounted<'a> {
    shop: &'a Shop,
    mounts: OwnMounts,
    seen: Evidence,
}

impl<'a> Mounted<'a> {
    fn of(shop: &'a Shop) -> Self {
        Self {
            shop,
            mounts: OwnMounts::read(),
            seen: shop.place.seen(),
        }
    }

    fn is_source(&self, name: &str) -> bool {
        let place = inside(&self.mounts, &self.shop.at(name)).unwrap();
        Evidence::is_mounted(&self.seen.mount_sources, &place)
    }

    fn is_point(&self, name: &str) -> bool {
        let place = inside(&self.mounts, &self.shop.at(name)).unwrap();
        Evidence::is_mounted(&self.seen.mount_points, &place)
    }

    fn shows_the_sandbox(&self) {
        assert!(self.is_source(EMPTY) && self.is_source(SOCKET) && self.is_source("shop"));
        assert!(self.is_point("shop/.claude") && self.is_point("shop/.mcp.json"));
        assert!(self.is_point("shop") && self.is_point(SOCKET));
        self.spares_the_decoys();
    }

    fn spares_the_decoys(&self) {
        for decoy in ["claude-empty-Decoy1", "claude-http-fedcba9876543210.sock"] {
            assert!(!self.is_source(decoy) && !self.is_point(decoy), "{decoy}");
        }
        for place in [EMPTY, "shop/.vscode"] {
            assert!(!self.is_point(place), "{place}");
        }
    }
}

const STAY: &str = "echo ready; read x";

fn start(name: &str, command: &mut Command) -> Option<Group> {
    match Group::ready(command) {
        Ok(group) => Some(group),
        Err(reason) => {
            println!("skipped: {name}: bwrap: {reason}");
            None
        }
    }
}

#[test]
fn a_live_sandbox_shows_its_sources_and_its_masks_and_nothing_when_it_has_ended() {
    let name = "a_live_sandbox_shows_its_sources_and_its_masks_and_nothing_when_it_has_ended";
    let shop = Shop::new();
    let Some(sandbox) = start(name, &mut shop.sandbox(STAY)) else {
        return;
    };
    Mounted::of(&shop).shows_the_sandbox();
    // The mask is protection: nobody may rely on open files to see it (#94008).
    assert!(
        !Mounted::of(&shop)
            .seen
            .held
            .contains_key(&super::id(&shop.at(EMPTY)))
    );
    drop(sandbox);
    until("the end of the sandbox", || {
        (!Mounted::of(&shop).is_source(EMPTY)).then_some(())
    });
    let after = Mounted::of(&shop);
    assert!(!after.is_source(SOCKET) && !after.is_point("shop/.claude") && !after.is_point("shop"));
}

#[test]
fn an_ordinary_user_sees_a_sandbox_of_their_own_and_of_root() {
    let name = "an_ordinary_user_sees_a_sandbox_of_their_own_and_of_root";
    let (shop, roots) = (Shop::new(), Shop::new());
    let Some(_of_root) = start(name, &mut roots.sandbox(STAY)) else {
        return;
    };
    ordinary(|| {
        if let Some(_own) = start(name, &mut shop.sandbox(STAY)) {
            Mounted::of(&shop).shows_the_sandbox();
        }
        Mounted::of(&roots).shows_the_sandbox();
    });
}

#[test]
fn a_source_that_was_removed_under_its_sandbox_is_still_one() {
    let name = "a_source_that_was_removed_under_its_sandbox_is_still_one";
    let shop = Shop::new();
    let Some(_sandbox) = start(name, &mut shop.sandbox(STAY)) else {
        return;
    };
    fs::remove_dir(shop.at(EMPTY)).unwrap();
    let seen = Mounted::of(&shop);
    assert!(seen.is_source(EMPTY));
    let deleted = |path: &[u8]| path.ends_with(b"//deleted");
    assert!(
        seen.seen
            .mount_sources
            .iter()
            .all(|source| !deleted(&source.path))
    );
}

#[test]
fn a_sandbox_in_a_sandbox_is_seen_from_outside() {
    let name = "a_sandbox_in_a_sandbox_is_seen_from_outside";
    let shop = Shop::new();
    let inner = shop.at("shop/claude-empty-Inner1");
    fs::create_dir(&inner).unwrap();
    give(&inner);
    let script = format!(
        "exec bwrap --ro-bind / / --bind '{shop}' '{shop}' --ro-bind '{inner}' '{shop}/.idea' \
         --unshare-pid --unshare-net --dev /dev -- sh -c '{STAY}'",
        shop = shop.at("shop").display(),
        inner = inner.display()
    );
    let Some(_outer) = start(name, &mut shop.sandbox(&script)) else {
        return;
    };
    let seen = Mounted::of(&shop);
    seen.shows_the_sandbox();
    assert!(seen.is_source("shop/claude-empty-Inner1") && seen.is_point("shop/.idea"));
    // Numbers within are known too: a name in a socket may be one of those.
    assert!(
        seen.seen
            .processes
            .values()
            .any(|process| process.inner.len() >= 2),
        "two namespaces within ours"
    );
}

/// Listens where the variable says, for a test that starts this program a second time.
#[test]
fn stand_in_listener() {
    let Some(path) = std::env::var_os("SANDTRAY_STAND_IN_LISTENER") else {
        return;
    };
    let listener = UnixListener::bind(path).unwrap();
    listener.accept().ok();
}

fn listener(command: &mut Command, path: &Path) -> Group {
    let this = "leftovers::evidence::linux::tests::sandboxes::stand_in_listener";
    let program = std::env::current_exe().unwrap();
    let command = command.arg(program).args(["--exact", this]);
    Group::start(
        command
            .env("SANDTRAY_STAND_IN_LISTENER", path)
            .stdout(Stdio::null())
            .stderr(Stdio::null()),
    )
}

#[test]
fn a_listener_is_seen_in_this_network_namespace_and_in_another() {
    let name = "a_listener_is_seen_in_this_network_namespace_and_in_another";
    let place = Place::new();
    let socket = |name: &str| place.path().join(name);
    let dead = socket("srt-mux-3-dead.sock");
    drop(UnixListener::bind(&dead).unwrap());
    let _here = listener(&mut Command::new("env"), &socket("srt-mux-1-here.sock"));
    let listens = |name: &str| {
        place
            .seen()
            .listening
            .contains(name.as_bytes())
            .then_some(())
    };
    until("the listener here", || listens("srt-mux-1-here.sock"));
    assert_eq!(listens("srt-mux-3-dead.sock"), None);

    let probe = Command::new("bwrap")
        .args(["--dev-bind", "/", "/", "--unshare-net", "true"])
        .output();
    match probe {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            println!("skipped: {name}: bwrap: {}", said.trim());
            return;
        }
        Err(error) => {
            println!("skipped: {name}: bwrap: {error}");
            return;
        }
    }
    let there = "srt-mux-2-there.sock";
    let mut bwrap = Command::new("bwrap");
    bwrap.args([
        "--dev-bind",
        "/",
        "/",
        "--unshare-net",
        "--unshare-pid",
        "--",
    ]);
    let group = listener(&mut bwrap, &socket(there));
    until("the listener in another namespace", || listens(there));
    let own = fs::read_to_string("/proc/thread-self/net/unix").unwrap();
    assert!(!own.contains(there), "our own table knows nothing of it");
    ordinary(|| assert!(place.seen().listening.contains(there.as_bytes())));
    drop(group);
    until("its end", || listens(there).is_none().then_some(()));
    assert!(socket(there).exists(), "the file stays, and is a leftover");
}
