//! `cargo xtask run`: from a fresh clone to the icon on the screen.

use std::path::PathBuf;

use crate::command::{self, built, cargo};
use crate::demo::on_demo_machine;
use crate::packages::{self, Need};
use crate::ui::{self, To};

/// Which front end this machine can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surface {
    Window,
    Terminal,
}

struct Wish {
    demo: bool,
    release: bool,
    rest: Vec<String>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let wish = wish(arguments)?;
    let surface = surface();
    if surface == Surface::Terminal {
        println!(
            "No display here (neither DISPLAY nor WAYLAND_DISPLAY is set): \
             going on in the terminal with `sandtrayctl watch`, the same engine. Ctrl-C ends it."
        );
    }
    prepare(surface, wish.demo)?;
    let program = build(surface, wish.release)?;
    let mut start = if wish.demo {
        on_demo_machine(&program)?
    } else {
        command::command(&program)
    };
    // A newcomer would look for a small icon; later starts come from the desktop, without `--open`.
    start.arg(match surface {
        Surface::Window => "--open",
        Surface::Terminal => "watch",
    });
    command::run(start.args(&wish.rest))
}

fn wish(arguments: &[String]) -> Result<Wish, String> {
    let mut wish = Wish {
        demo: false,
        release: false,
        rest: Vec::new(),
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--demo" => wish.demo = true,
            "--release" => wish.release = true,
            "--" => wish.rest = words.by_ref().cloned().collect(),
            other => {
                return Err(format!(
                    "`run` knows --demo, --release and -- ARGS, not {other:?}"
                ));
            }
        }
    }
    Ok(wish)
}

fn surface() -> Surface {
    let set =
        |name| std::env::var_os(name).is_some_and(|value: std::ffi::OsString| !value.is_empty());
    if cfg!(not(target_os = "linux")) || set("DISPLAY") || set("WAYLAND_DISPLAY") {
        Surface::Window
    } else {
        Surface::Terminal
    }
}

fn prepare(surface: Surface, demo: bool) -> Result<(), String> {
    let mut needs = vec![Need::Compiler];
    if surface == Surface::Window {
        needs.push(Need::Window);
    }
    if demo {
        needs.push(Need::Disks);
    }
    packages::ensure(&needs)
}

/// Builds the program for a surface and gives back where it is.
fn build(surface: Surface, release: bool) -> Result<PathBuf, String> {
    let mut build = cargo();
    build.arg("build");
    if release {
        build.arg("--release");
    }
    let name = match surface {
        Surface::Window => {
            ui::build(&mut To::Terminal)?;
            // The feature embeds the window's files; without it the app asks a development server.
            build.args(["-p", "sandtray", "--features", "sandtray/custom-protocol"]);
            "sandtray"
        }
        Surface::Terminal => {
            build.args(["-p", "sandtrayctl"]);
            "sandtrayctl"
        }
    };
    command::run(&mut build)?;
    Ok(built(if release { "release" } else { "debug" }, name))
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_after_the_dashes_go_to_the_app_and_unknown_ones_are_refused() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let wish = super::wish(&words("--demo -- --open --release")).unwrap();
        assert!(wish.demo && !wish.release);
        assert_eq!(wish.rest, ["--open", "--release"]);
        assert!(super::wish(&words("--damo")).is_err());
    }
}
