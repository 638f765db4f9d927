//! A power loss at any instant: the effects of an act are written down, and for every prefix of them the
//! disk is made as it may be found afterwards. What was synced is there; what was not may be missing, all of
//! it or any one, and a file that was being written may be cut short.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sandtray_core::act::Scope;
use sandtray_core::act::steps::End;

use super::fake::Fake;
use super::faults::{assert_new_is_whole, fill_missing, settle};
use super::world::{World, tree};
use super::{ROOMY, instants, ordinary};
use crate::act::hands::{Effect, Hands, Side};
use crate::act::plan::Request;
use crate::act::run::Control;

/// The effects of an act that goes well.
fn trace(world: &World, request: &Request) -> Vec<Effect> {
    let effects = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&effects);
    let hands = Hands::hooked(Box::new(move |side, effect| {
        if side == Side::After {
            written.lock().unwrap().push(effect.clone());
        }
        Ok(())
    }));
    let mut app = Fake::running();
    let act = world.plan(&mut app, request);
    let (receipt, _) = world.apply_with(&hands, &mut app, &act, &Control::default());
    assert_eq!(receipt.end, End::Done, "{receipt:?}");
    drop(hands);
    Arc::into_inner(effects).unwrap().into_inner().unwrap()
}

/// What has to be synced after an effect for it to be there.
fn needs(effect: &Effect) -> Vec<Effect> {
    let parent = |path: &Path| Effect::SyncDir(path.parent().unwrap().to_owned());
    match effect {
        Effect::MakeDir(path) | Effect::RemoveFile(path) | Effect::RemoveDir(path) => {
            vec![parent(path)]
        }
        Effect::Rename { from, to } | Effect::Replace { from, to } => {
            vec![parent(from), parent(to)]
        }
        Effect::Create(path, _) => vec![Effect::SyncFile(path.clone()), parent(path)],
        Effect::Append(path, _) => vec![Effect::SyncFile(path.clone())],
        Effect::SyncFile(_) | Effect::SyncDir(_) => Vec::new(),
    }
}

/// The effects of a prefix that a power loss may take.
fn loose(prefix: &[Effect]) -> Vec<usize> {
    (0..prefix.len())
        .filter(|at| {
            needs(&prefix[*at])
                .iter()
                .any(|sync| !prefix[at + 1..].contains(sync))
        })
        .collect()
}

/// Which of the loose effects are there, and whether what was being written was cut short.
fn variants(loose: &[usize]) -> Vec<(Vec<usize>, bool)> {
    let mut variants = vec![
        (Vec::new(), false),
        (loose.to_vec(), false),
        (Vec::new(), true),
    ];
    if loose.len() > 1 {
        for one in loose {
            variants.push((vec![*one], false));
            variants.push((
                loose.iter().copied().filter(|at| at != one).collect(),
                false,
            ));
        }
    }
    variants
}

/// Does the effects once more, without those that were lost. What cannot be done because something before it
/// was lost is lost with it.
fn replay(prefix: &[Effect], loose: &[usize], lost: &[usize], torn: bool) {
    for (at, effect) in prefix.iter().enumerate() {
        if lost.contains(&at) {
            continue;
        }
        let cut = |bytes: &[u8]| {
            let short = torn && loose.contains(&at);
            bytes[..if short { bytes.len() / 2 } else { bytes.len() }].to_owned()
        };
        let done = match effect {
            Effect::MakeDir(path) => fs::create_dir(path),
            Effect::Rename { from, to } if to.exists() || !from.exists() => Ok(()),
            Effect::Rename { from, to } | Effect::Replace { from, to } => fs::rename(from, to),
            Effect::Create(path, bytes) => fs::write(path, cut(bytes)),
            Effect::Append(path, bytes) => append(path, &cut(bytes)),
            Effect::RemoveFile(path) => fs::remove_file(path),
            Effect::RemoveDir(path) => fs::remove_dir(path),
            Effect::SyncFile(_) | Effect::SyncDir(_) => Ok(()),
        };
        done.ok();
    }
}

fn append(path: &PathBuf, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    fs::OpenOptions::new()
        .append(true)
        .open(path)?
        .write_all(bytes)
}

#[test]
fn a_power_loss_at_any_instant_of_a_reset_leaves_everything_parked_or_everything_in_place() {
    let name =
        "a_power_loss_at_any_instant_of_a_reset_leaves_everything_parked_or_everything_in_place";
    ordinary(module_path!(), name, ROOMY, resets);
}

/// A power loss at each instant of a reset.
pub(super) fn resets(root: &Path) {
    for scope in Scope::ALL {
        let world = World::new(&root.join(format!("{scope:?}")));
        let effects = trace(&world, &world.reset_request(scope));
        world.again();
        for end in instants(effects.len() + 1) {
            let prefix = &effects[..end];
            let loose = loose(prefix);
            for (lost, torn) in variants(&loose) {
                replay(prefix, &loose, &lost, torn);
                settle(
                    &world,
                    &format!(
                        "{scope:?} {end}, lost {lost:?}, torn {torn}: {:?}",
                        prefix.last()
                    ),
                );
                world.again();
            }
        }
    }
}

#[test]
fn a_power_loss_at_any_instant_of_a_restore_leaves_both_disks_whole() {
    let name = "a_power_loss_at_any_instant_of_a_restore_leaves_both_disks_whole";
    ordinary(module_path!(), name, ROOMY, restores);
}

/// A power loss at each instant of a restore.
pub(super) fn restores(root: &Path) {
    for scope in [Scope::SystemDisk, Scope::Bundle] {
        let world = World::new(&root.join(format!("{scope:?}")));
        let first = trace(&world, &world.reset_request(scope));
        let copy = world.list()[0].id.clone();
        fill_missing(&world);
        let new = tree(&world.bundle);
        // The files that the app built, to put them there once more.
        let kept = world.root.join("kept/new");
        let effects = trace(&world, &Request::Restore { copy });
        let mut rounds = 0;
        for end in instants(effects.len() + 1) {
            let prefix = &effects[..end];
            let loose = loose(prefix);
            for (lost, torn) in variants(&loose) {
                rewind(&world, &first, &new, &kept, scope);
                replay(prefix, &loose, &lost, torn);
                let context = format!(
                    "{scope:?} {end}, lost {lost:?}, torn {torn}: {:?}",
                    prefix.last()
                );
                settle(&world, &context);
                assert_new_is_whole(&world, &new, &context);
                rounds += 1;
            }
        }
        let tried = instants(effects.len() + 1).count();
        assert!(rounds > tried && effects.len() > 60, "{rounds} of {tried}");
    }
}

/// The old disks parked by the same reset, and the very files that the app built since in their place.
fn rewind(world: &World, reset: &[Effect], new: &super::world::Tree, kept: &Path, scope: Scope) {
    fs::create_dir_all(kept).unwrap();
    let now = tree(&world.root);
    let old: Vec<u64> = world.original.values().map(|(inode, _)| *inode).collect();
    let folder = walkdir::WalkDir::new(&world.root)
        .into_iter()
        .filter_map(Result::ok)
        .find(|entry| entry.file_type().is_dir() && entry.path().join("keep-new").exists())
        .unwrap()
        .into_path();
    let built: Vec<_> = new
        .iter()
        .filter(|(_, (inode, _))| !old.contains(inode))
        .collect();
    for (name, (inode, _)) in &built {
        let at = now.iter().find(|(_, (other, _))| other == inode).unwrap().0;
        fs::rename(world.root.join(at), kept.join(name)).unwrap();
    }
    // A whole bundle is a folder with a number of its own.
    let spare = world.root.join("kept/folder");
    if scope == Scope::Bundle {
        fs::rename(&folder, &spare).unwrap();
        for entry in fs::read_dir(&spare).unwrap() {
            let path = entry.unwrap().path();
            assert!(path.ends_with(".auto_reinstall_attempted"), "{path:?}");
            fs::remove_file(path).unwrap();
        }
    }
    world.again();
    replay(reset, &[], &[], false);
    if scope == Scope::Bundle {
        fs::rename(&spare, &world.bundle).unwrap();
    }
    for (name, _) in &built {
        fs::rename(kept.join(name), world.bundle.join(name)).unwrap();
    }
    fs::remove_dir(kept).unwrap();
}
