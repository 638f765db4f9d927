//! Node, which builds the window.

use crate::command::{command, output};

/// Says what is wrong with the Node on this machine, if anything.
pub(crate) fn check() -> Result<(), String> {
    let said = output(command("node").arg("--version")).map_err(|_| {
        format!(
            "Node is needed to build the window and was not found.\n{}",
            hint()
        )
    })?;
    if fits(&said) {
        Ok(())
    } else {
        Err(format!(
            "Node {} is too old: the window needs 20.19 or newer, or 22.12 or newer.\n{}",
            said.trim(),
            hint()
        ))
    }
}

/// What the bundler of the window supports.
fn fits(version: &str) -> bool {
    let mut numbers = version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let major = numbers.next().unwrap_or(0);
    let minor = numbers.next().unwrap_or(0);
    match major {
        20 => minor >= 19,
        22 => minor >= 12,
        _ => major > 22,
    }
}

fn hint() -> &'static str {
    if cfg!(target_os = "macos") {
        "Install it: brew install node"
    } else if cfg!(windows) {
        "Install it: winget install OpenJS.NodeJS.LTS"
    } else {
        "Install it from your distribution where that is new enough, or from nodejs.org, or with nvm: nvm install 22"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_the_bundler_supports_are_told_from_others() {
        for (version, expected) in [
            ("v18.20.4\n", false),
            ("v20.18.0", false),
            ("v20.19.0", true),
            ("v20.20.2", true),
            ("v21.7.3", false),
            ("v22.11.0", false),
            ("v22.12.0", true),
            ("v24.1.0", true),
            ("nonsense", false),
        ] {
            assert_eq!(fits(version), expected, "{version}");
        }
    }
}
