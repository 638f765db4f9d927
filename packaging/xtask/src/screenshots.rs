//! `cargo xtask screenshots`: the README's pictures, drawn by the real app on the demo machine.

use std::fs;

use crate::command::{self, built, cannot, cargo, command, found, workspace};
use crate::demo::on_demo_machine;
use crate::idle::on_a_desktop;
use crate::packages::{self, Need};
use crate::panel;
use crate::ui::{self, To};

pub(crate) fn run() -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Err("the pictures are drawn on a virtual display: on Linux only".to_owned());
    }
    packages::ensure(&[Need::Window, Need::Tests, Need::Disks, Need::Pictures])?;
    ui::build(&mut To::Terminal)?;
    let mut build = cargo();
    build.args([
        "build",
        "-p",
        "sandtray",
        "--features",
        "sandtray/custom-protocol",
    ]);
    command::run(&mut build)?;
    let folder = workspace().join("assets/pictures");
    fs::create_dir_all(&folder).map_err(|cause| cannot("create", &folder, &cause))?;
    let mut session = on_a_desktop("pictures::for_the_readme")?;
    session
        .env("SANDTRAY_APP", built("debug", "sandtray"))
        .env("SANDTRAY_PICTURES", &folder)
        .env("SANDTRAY_README", "1");
    command::run(&mut session)?;
    // The panel's picture is taken by programs of its own.
    on_demo_machine(&built("debug", "sandtray"))?;
    panel::draw(&folder.join("tray.png"))?;

    // Small enough to be cloned by everybody: 64 colours do for flat pictures.
    let entries = fs::read_dir(&folder).map_err(|cause| cannot("read", &folder, &cause))?;
    for entry in entries.flatten() {
        let file = entry.path();
        if found("convert").is_some() && file.extension().is_some_and(|end| end == "png") {
            let mut shrink = command("convert");
            shrink
                .arg(&file)
                .args(["-strip", "+dither", "-colors", "192"]);
            shrink.arg(format!("png8:{}", file.display()));
            command::run(&mut shrink)?;
        }
        let size = entry.metadata().map_or(0, |about| about.len());
        println!("{} ({} kB)", file.display(), size / 1000);
    }
    Ok(())
}
