//! Others at work in the same place: a second cleaner, makers of new entries, the system that refuses, an end
//! at any instant.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;

fn a_large_tree(scene: &Scene) {
    for folder in 0..100 {
        for file in 0..30 {
            scene.write(&format!("tree/{}/{folder}/{file}", folder % 7), 1);
        }
    }
    scene.write("neighbour/file", 1);
}

fn assert_only_the_tree_went(scene: &Scene) {
    assert!(!scene.exists("tree") && scene.exists("neighbour/file"));
    scene.assert_nothing_outside_changed();
}

#[test]
fn what_another_cleaner_took_is_as_good_as_removed() {
    for _ in 0..5 {
        let scene = Scene::in_memory();
        a_large_tree(&scene);
        let mut tree = scene.seen("tree", Removal::Tree);
        // The other one is at work while it goes, not before: nothing is new to us.
        tree.touched = tree.touched.plus(5);
        let begun = AtomicBool::new(false);
        let done = thread::scope(|scope| {
            scope.spawn(|| {
                while !begun.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                // It may meet what we took, and gives up.
                while scene.exists("tree") && fs::remove_dir_all(scene.root.join("tree")).is_err() {
                }
            });
            let mut asked = 0;
            scene
                .base()
                .remove(&tree, &Cancel::default(), &mut |_: &Met<'_>| {
                    asked += 1;
                    if asked == 3_300 {
                        begun.store(true, Ordering::Release);
                    }
                    Ok(())
                })
        });
        // Where its folder vanished below us as a whole, that is a change.
        if let Err(skip) = &done {
            assert!(
                matches!(skip, Skip::Partly(_) | Skip::Gone | Skip::Changed(_)),
                "{skip:?}"
            );
            assert!(skip.failed().is_empty(), "{skip:?}");
        }
        assert_only_the_tree_went(&scene);
    }
}

#[test]
fn two_of_us_at_one_tree_leave_it_to_the_first() {
    let scene = Scene::in_memory();
    a_large_tree(&scene);
    let tree = scene.seen("tree", Removal::Tree);
    let results: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| remove(&scene.base(), &tree)))
            .collect();
        threads.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(results.iter().any(Result::is_ok), "{results:?}");
    for result in results {
        assert!(
            matches!(
                result,
                Ok(_) | Err(Skip::Held(_) | Skip::Gone | Skip::Changed(_))
            ),
            "{result:?}"
        );
    }
    assert_only_the_tree_went(&scene);
}

#[test]
fn entries_that_are_made_meanwhile_never_lead_outside_and_end_in_a_word() {
    let scene = Scene::in_memory();
    a_large_tree(&scene);
    let tree = scene.seen("tree", Removal::Tree);
    let stop = AtomicBool::new(false);
    let done = thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0.. {
                if stop.load(Ordering::Acquire) {
                    return;
                }
                let dir = scene.root.join(format!("tree/{}", at % 7));
                fs::write(dir.join(format!("new-{at}")), "x").ok();
            }
        });
        let done = remove(&scene.base(), &tree);
        stop.store(true, Ordering::Release);
        done
    });
    if let Err(skip) = &done {
        assert!(skip.failed().is_empty(), "{skip:?}");
    }
    assert!(scene.exists("neighbour/file"));
    scene.assert_nothing_outside_changed();
}

/// Removes the mark when the test ends, however it ends.
struct Immutable(PathBuf);

impl Drop for Immutable {
    fn drop(&mut self) {
        Command::new("chattr").arg("-i").arg(&self.0).status().ok();
    }
}

#[test]
fn what_the_system_refuses_is_named_and_the_rest_goes() {
    const NAME: &str = "what_the_system_refuses_is_named_and_the_rest_goes";
    let scene = Scene::new();
    for path in [
        "tree/a/b/kept",
        "tree/a/b/file",
        "tree/a/file",
        "tree/c/file",
        "one",
    ] {
        scene.write(path, 1);
    }
    let kept = scene.root.join("tree/a/b/kept");
    let one = scene.root.join("one");
    let marked = [&kept, &one].iter().all(|path| {
        let mark = Command::new("chattr")
            .arg("+i")
            .arg(path)
            .stderr(Stdio::null())
            .status();
        mark.is_ok_and(|status| status.success())
    });
    let _unmarked = (Immutable(kept.clone()), Immutable(one));
    if !marked {
        println!("skipped: {NAME}: chattr +i is not permitted");
        return;
    }
    let base = scene.base();
    let tree = remove(&base, &scene.seen("tree", Removal::Tree)).unwrap_err();
    let Skip::Partly(partly) = &tree else {
        panic!("{tree:?}");
    };
    assert_eq!(partly.removed.inodes, 4);
    assert_eq!(partly.failed.len(), 1);
    let failure = &partly.failed[0];
    assert_eq!(Path::new(&failure.path.path), kept);
    assert_eq!(failure.operation, "remove");
    assert!(failure.cause.contains("not permitted"), "{failure:?}");
    assert!(kept.exists() && !scene.exists("tree/a/b/file") && !scene.exists("tree/c"));
    let one = remove(&base, &scene.seen("one", Removal::Name));
    assert!(matches!(one, Err(Skip::Failed(_))), "{one:?}");
    scene.assert_nothing_outside_changed();
}

#[test]
fn an_end_at_any_instant_leaves_a_tree_that_goes_the_next_time() {
    const NAME: &str = "an_end_at_any_instant_leaves_a_tree_that_goes_the_next_time";
    let count = 31 + 1;
    if let Some(folder) = inside() {
        let at: usize = std::env::var("SANDTRAY_TEST_KILL")
            .unwrap()
            .parse()
            .unwrap();
        let machine = crate::machine::load(&folder.join("machine.toml")).unwrap();
        let root = folder.join("root");
        let mut asked = 0;
        let target = target(&root, Path::new("tree"), Removal::Tree);
        Base::open(&root, &machine)
            .unwrap()
            .remove(&target, &Cancel::default(), &mut |_: &Met<'_>| {
                asked += 1;
                if asked == count + at {
                    rustix::process::kill_process(
                        rustix::process::getpid(),
                        rustix::process::Signal::KILL,
                    )
                    .unwrap();
                }
                Ok(())
            })
            .unwrap();
        unreachable!("killed before");
    }
    let module = module_path!().split_once("::").unwrap().1;
    for at in (1..=count).step_by(5) {
        let scene = Scene::new();
        for dir in 0..6 {
            for file in 0..4 {
                scene.write(&format!("tree/{dir}/{file}"), 1);
            }
            set_mode(&scene.root.join(format!("tree/{dir}")), 0o500);
        }
        scene.make("tree/empty");
        scene.write("neighbour/file", 1);
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("{module}::{NAME}")])
            .env(INSIDE, scene.root.parent().unwrap())
            .env("SANDTRAY_TEST_KILL", at.to_string())
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&status),
            Some(9)
        );
        let rest = remove(&scene.base(), &scene.seen("tree", Removal::Tree)).unwrap();
        assert_eq!(rest.inodes, u64::try_from(count - at + 1).unwrap());
        assert_only_the_tree_went(&scene);
    }
}
