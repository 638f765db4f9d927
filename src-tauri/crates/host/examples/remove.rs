//! What removing leftovers costs, beside `rm -rf` and `find -delete`: `cargo xtask bench` runs it. Takes
//! `empty` and a folder, whose empty folders go one by one, or `tree` and a folder, which goes as a whole.

#![cfg_attr(not(unix), allow(unused, reason = "the bench runs on Linux"))]

use std::path::Path;

use sandtray_core::leftover::evidence::FileId;
use sandtray_core::leftover::{Kind, Removal};
use sandtray_host::leftovers::remove::{Base, Skip, Target};
use sandtray_host::walk::Cancel;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(how), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("empty or tree, and which folder?".into());
    };
    let folder = Path::new(&folder).canonicalize()?;
    if how == "empty" {
        let names = std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name()));
        let names: Vec<_> = names.collect::<std::io::Result<_>>()?;
        remove(&folder, names.iter().map(Path::new), Removal::Empty)
    } else {
        let above = folder.parent().ok_or("it has no parent")?;
        let name = folder.file_name().ok_or("it has no name")?;
        remove(above, std::iter::once(Path::new(name)), Removal::Tree)
    }
}

fn remove<'a>(
    base: &Path,
    paths: impl Iterator<Item = &'a Path>,
    removal: Removal,
) -> Result<(), Box<dyn std::error::Error>> {
    let machine = sandtray_host::machine::current()?;
    let opened = Base::open(base, &machine).map_err(|skip| skip.to_string())?;
    let now = sandtray_host::machine::now(&machine).plus(1);
    for path in paths {
        let target = Target {
            path,
            id: id(&base.join(path))?,
            kind: Kind::Directory,
            removal,
            touched: now,
            own_repository: false,
        };
        match opened.remove(&target, &Cancel::default(), &mut |_| Ok(())) {
            Ok(_) | Err(Skip::Gone) => {}
            Err(skip) => return Err(format!("{}: {skip}", path.display()).into()),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn id(path: &Path) -> std::io::Result<FileId> {
    use std::os::unix::fs::MetadataExt;
    let found = path.symlink_metadata()?;
    Ok(FileId {
        device: found.dev(),
        inode: found.ino(),
    })
}

#[cfg(not(unix))]
fn id(_path: &Path) -> std::io::Result<FileId> {
    Err(std::io::ErrorKind::Unsupported.into())
}
