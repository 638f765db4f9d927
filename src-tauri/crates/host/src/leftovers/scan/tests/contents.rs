//! What is in a candidate decides beyond its name.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn content_decides_beyond_the_name_and_doubt_stays_doubt() {
    let world = World::new();
    let native = "tmp/.0123456789abcdef-00000001.node";
    for (text, fits) in [
        (&b"\x7fELF"[..], true),
        (b"MZ\0", true),
        (b"{}", false),
        (b"", false),
    ] {
        world.file(native, text);
        assert_eq!(one(&world.found(), "native").content.native, Some(fits));
    }
    let cwd = "tmp/claude-0a1f-cwd";
    let long = format!("/{}\n", "x".repeat(4095));
    for (text, fits) in [
        ("/home/you", true),
        (long.trim(), true),
        (&long, false),
        ("/a\n/b", false),
        ("id,name\n", false),
        ("", false),
    ] {
        world.file(cwd, text);
        assert_eq!(one(&world.found(), "cwd").content.path_line, Some(fits));
    }
    let empty = world.folder("tmp/claude-empty-Ab3xY9");
    assert_eq!(one(&world.found(), "empty").content.empty, Some(true));
    fs::write(empty.join(".keep"), "").unwrap();
    let found = world.found();
    assert_eq!(one(&found, "empty").content.empty, Some(false));
    assert_eq!(one(&found, "empty").inodes, 1, "what is in it is not ours");
}

#[test]
fn only_mirrored_compiled_python_is_bytecode() {
    let world = World::new();
    let job = "home/.claude/jobs/7f3a/tmp/tmp.abcdefghij";
    let pure = format!("{job}/opt/homebrew/lib/__pycache__/a.cpython-312.pyc");
    world.file(&pure, "pyc");
    let only = || one(&world.found(), "overlay").content.only_bytecode;
    assert_eq!(only(), Some(true));
    for spoils in [
        "notes.md",
        "opt/homebrew/lib/source.py",
        "opt/homebrew/lib/__pycache__/a.pyc.140234",
        "opt/homebrew/lib/b.pyc",
        "__pycache__/b.pyc",
        "opt/homebrew/lib/__pycache__/deep/b.pyc",
    ] {
        let path = world.file(&format!("{job}/{spoils}"), "x");
        assert_eq!(only(), Some(false), "{spoils}");
        fs::remove_file(path).unwrap();
    }
    let link = world.at(job).join("opt/homebrew/lib/__pycache__/b.pyc");
    symlink("/etc/passwd", &link).unwrap();
    assert_eq!(only(), Some(false), "a link");
    fs::remove_file(link).unwrap();
    fs::remove_file(world.at(&pure)).unwrap();
    assert_eq!(only(), Some(false), "nothing to see");
}

#[test]
fn a_repository_anywhere_in_a_scratchpad_is_seen() {
    for sign in ["repo/.git/HEAD", "a/b/c/worktree/.git", ".git", "x/.GIT"] {
        let world = World::new();
        let pad = format!("tmp/claude-501/{PROJECT}/{SESSION}/scratchpad");
        world.file(&format!("{pad}/gitignore"), "");
        world.file(&format!("{pad}/.gitignore"), "");
        world.file(&format!("{pad}/x.git/HEAD"), "");
        let repository = || one(&world.found(), "scratchpad").content.repository;
        assert_eq!(repository(), Some(false));
        world.file(&format!("{pad}/{sign}"), "");
        assert_eq!(repository(), Some(true), "{sign}");
    }
    let world = World::new();
    let bare = format!("tmp/claude-501/{PROJECT}/{SESSION}/scratchpad/mirror.git");
    world.file(&format!("{bare}/HEAD"), "");
    world.folder(&format!("{bare}/objects"));
    world.folder(&format!("{bare}/refs"));
    let found = world.found();
    assert_eq!(one(&found, "scratchpad").content.repository, Some(true));
}

#[test]
fn a_folder_of_the_sandbox_with_anything_else_in_it_is_not_only_its_own() {
    for alien in [
        "notes.txt",
        "s0123abcd.sock.lock",
        "sub/s0123abcd.sock",
        "ca.key",
    ] {
        let world = World::new();
        world.socket("tmp/srt-obs-Ab3xY9/s0123abcd.sock");
        world.file(&format!("tmp/srt-obs-Ab3xY9/{alien}"), "");
        assert_eq!(
            one(&world.found(), "own").content.own_kind,
            Some(false),
            "{alien}"
        );
    }
}

#[test]
fn touch_cannot_set_back_a_tree_that_was_written_to() {
    let world = World::new();
    let pad = format!("tmp/claude-501/{PROJECT}/{SESSION}/scratchpad");
    let old = world.file(&format!("{pad}/deep/old.txt"), "x");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000);
    let times = fs::FileTimes::new().set_modified(long_ago);
    fs::File::options()
        .write(true)
        .open(&old)
        .unwrap()
        .set_times(times)
        .unwrap();
    let found = world.found();
    let it = one(&found, "scratchpad");
    assert!(it.touched.0 > 1_700_000_000 && it.touched >= it.born);
    // A clock that ran ahead is handed on as it is; whoever judges keeps it.
    let ahead = std::time::SystemTime::now() + std::time::Duration::from_secs(90_000);
    let times = fs::FileTimes::new().set_modified(ahead);
    fs::File::options()
        .write(true)
        .open(&old)
        .unwrap()
        .set_times(times)
        .unwrap();
    let found = world.found();
    assert!(one(&found, "scratchpad").touched.0 > it.touched.0 + 80_000);
}
