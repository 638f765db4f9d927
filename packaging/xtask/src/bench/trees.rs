//! The trees: what a leaking sandbox leaves (200,000 empty siblings, #85576 and #96129), what work leaves
//! (files of all small sizes in nested folders, some with two names), and what fills the disk of the
//! sessions (1,634 homes, #91680).

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::cannot;

/// A tree on disk, removed at the end.
pub(super) struct Tree {
    folder: PathBuf,
    pub(super) described: String,
}

impl Tree {
    /// An empty folder of that name below `at`.
    pub(super) fn empty(name: &str, at: &Path) -> Result<Self, String> {
        let folder = at.join(format!("sandtray-bench-{name}-{}", std::process::id()));
        create(&folder)?;
        Ok(Self {
            folder,
            described: String::new(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if let Err(cause) = fs::remove_dir_all(&self.folder) {
            eprintln!("{}", cannot("remove", &self.folder, &cause));
        }
    }
}

/// Makes the tree of that name below `at`, `size` times smaller than in full.
pub(super) fn make(name: &str, size: u32, at: &Path) -> Result<Tree, String> {
    println!("(making the {name} tree)");
    let mut tree = Tree::empty(name, at)?;
    tree.described = match name {
        "wide" => wide(&tree.folder, 200_000 / size)?,
        "homes" => homes(&tree.folder, 1634 / size, 100_000 / size)?,
        _ => mixed(&tree.folder, 20_000 / size, 200_000 / size)?,
    };
    Ok(tree)
}

fn wide(root: &Path, folders: u32) -> Result<String, String> {
    for number in 0..folders {
        // Spread as random names are, the same on every run.
        let name = number.wrapping_mul(7919) % (1 << 24);
        create(&root.join(format!("claude-empty-{name:06x}")))?;
    }
    Ok(format!("wide tree: {folders} empty folders side by side"))
}

fn mixed(root: &Path, folders: u32, files: u32) -> Result<String, String> {
    let mut chance = Chance(1);
    let mut paths = vec![root.to_owned()];
    for number in 0..folders {
        // Among the newest ones, so that the tree is some forty levels deep.
        let newest = paths.len().saturating_sub(2000);
        let parent = chance
            .pick(&paths[newest..])
            .join(format!("folder-{number}"));
        let path = if parent.as_os_str().len() < 3000 {
            parent
        } else {
            root.join(format!("folder-{number}"))
        };
        create(&path)?;
        paths.push(path);
    }
    let content = [b'x'; 5000];
    let mut last: Option<PathBuf> = None;
    for number in 0..files {
        let path = chance.pick(&paths).join(format!("file-{number}.txt"));
        let made = match &last {
            Some(last) if number % 100 == 99 => fs::hard_link(last, &path),
            _ => {
                let length = *chance.pick(&[0, 0, 1, 100, 5000]);
                fs::write(&path, &content[..length])
            }
        };
        made.map_err(|cause| cannot("create", &path, &cause))?;
        last = Some(path);
    }
    Ok(format!("mixed tree: {files} files in {folders} folders"))
}

fn homes(root: &Path, homes: u32, entries: u32) -> Result<String, String> {
    const FOLDERS: [&str; 6] = ["mnt", ".cache", ".npm", "work", "work/src", "work/src/lib"];
    let mut chance = Chance(3);
    let content = [b'x'; 20_000];
    for number in 0..homes {
        let home = root.join(format!("session-{number:04}"));
        create(&home)?;
        let mut paths = vec![home.clone()];
        for name in FOLDERS {
            create(&home.join(name))?;
            paths.push(home.join(name));
        }
        for number in 6..entries / homes {
            let path = chance.pick(&paths).join(format!("file-{number:03}.txt"));
            let length = *chance.pick(&[10, 100, 2000, 5000, 20_000]);
            fs::write(&path, &content[..length])
                .map_err(|cause| cannot("create", &path, &cause))?;
        }
    }
    Ok(format!("{homes} homes with {entries} files and folders"))
}

fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir(folder).map_err(|cause| cannot("create", folder, &cause))
}

/// Numbers that look random and are the same on every run.
struct Chance(u64);

impl Chance {
    fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let number = usize::try_from(self.0 >> 33).unwrap_or_default();
        &among[number % among.len()]
    }
}
