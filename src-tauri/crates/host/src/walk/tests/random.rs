//! Random trees with links, holes and strange names: always what `du` and `walkdir` say.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode};

use super::*;

/// One thing to make. Numbers pick among what exists already, modulo how much there is.
#[derive(Clone, Debug)]
enum Make {
    Dir,
    File { length: usize },
    Sparse { length: u64, tail: usize },
    LinkInside(usize),
    LinkOutside(usize),
    SymlinkTo(usize),
    Dangling,
    Fifo,
    Socket,
}

fn make() -> impl Strategy<Value = Make> {
    prop_oneof![
        4 => Just(Make::Dir),
        4 => (0..40_000_usize).prop_map(|length| Make::File { length }),
        1 => (0..3_000_000_u64, 0..5000_usize).prop_map(|(length, tail)| Make::Sparse { length, tail }),
        2 => any::<usize>().prop_map(Make::LinkInside),
        1 => any::<usize>().prop_map(Make::LinkOutside),
        1 => any::<usize>().prop_map(Make::SymlinkTo),
        1 => Just(Make::Dangling),
        1 => Just(Make::Fifo),
        1 => Just(Make::Socket),
    ]
}

/// Any bytes a name may have: newlines and what is not UTF-8 included.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let byte = any::<u8>().prop_filter("no slash, no NUL", |byte| !matches!(byte, 0 | b'/'));
    let any_bytes = prop::collection::vec(byte, 1..40)
        .prop_filter("no dots", |name| name != b"." && name != b"..");
    prop_oneof![3 => any_bytes, 1 => "[a-z]{1,3}".prop_map(String::into_bytes), 1 => Just(vec![b'n'; 255])]
}

/// Makes things below `root`, each in one of the directories made before; some link to files that
/// lie beside the root.
fn build(base: &Path, things: &[(usize, Vec<u8>, Make)]) -> PathBuf {
    let (root, outside) = (base.join("root"), base.join("outside"));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&outside).unwrap();
    for number in 0..3 {
        file(&outside.join(number.to_string()), 6000 * number);
    }
    let mut dirs = vec![root.clone()];
    let mut files: Vec<PathBuf> = Vec::new();
    for (parent, name, make) in things {
        let path = dirs[parent % dirs.len()].join(OsStr::from_bytes(name));
        if path.as_os_str().len() > 3500 || fs::symlink_metadata(&path).is_ok() {
            continue;
        }
        match make {
            Make::Dir => {
                fs::create_dir(&path).unwrap();
                dirs.push(path);
            }
            Make::File { length } => {
                file(&path, *length);
                files.push(path);
            }
            Make::Sparse { length, tail } => {
                let sparse = fs::File::create(&path).unwrap();
                std::os::unix::fs::FileExt::write_all_at(&sparse, &vec![1; *tail], *length)
                    .unwrap();
                sparse.set_len(length + *tail as u64 + 10_000).unwrap();
                files.push(path);
            }
            Make::LinkInside(which) => {
                if let Some(target) = files.get(which % files.len().max(1)) {
                    fs::hard_link(target, &path).unwrap();
                }
            }
            Make::LinkOutside(which) => {
                fs::hard_link(outside.join((which % 3).to_string()), &path).unwrap();
            }
            Make::SymlinkTo(which) => {
                std::os::unix::fs::symlink(&dirs[which % dirs.len()], &path).unwrap();
            }
            Make::Dangling => std::os::unix::fs::symlink("nowhere", &path).unwrap(),
            Make::Fifo => special(&path, FileType::Fifo),
            Make::Socket => special(&path, FileType::Socket),
        }
    }
    root
}

fn special(path: &Path, kind: FileType) {
    rustix::fs::mknodat(CWD, path, kind, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// The same sums by `walkdir`.
fn by_walkdir(root: &Path) -> Usage {
    let mut usage = Usage {
        complete: true,
        ..Usage::default()
    };
    let mut met = HashSet::new();
    for entry in walkdir::WalkDir::new(root).min_depth(0) {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        let kind = metadata.file_type();
        if entry.depth() > 0 {
            usage.entries += 1;
            if kind.is_dir() {
                usage.dirs += 1;
            } else if kind.is_file() {
                usage.files += 1;
            } else if kind.is_symlink() {
                usage.symlinks += 1;
            } else {
                usage.others += 1;
            }
        }
        let is_shared = !kind.is_dir() && metadata.nlink() > 1;
        if !is_shared || met.insert((metadata.dev(), metadata.ino())) {
            usage.apparent.0 += metadata.len();
            usage.allocated.0 += metadata.blocks() * 512;
            usage.shared.0 += if is_shared {
                metadata.blocks() * 512
            } else {
                0
            };
        }
    }
    usage
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_tree_measures_as_du_and_walkdir_say(
        things in prop::collection::vec((any::<usize>(), name(), make()), 0..120)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let root = build(folder.path(), &things);
        let usage = sum_in_every_way(&root);
        prop_assert_eq!(usage, by_walkdir(&root));
        assert_is_du(&root, &usage);
    }
}
