//! Which programs may make and use what we look for, by the names they go by.

use std::path::{Component, Path};

/// A version of Claude Code.
pub(super) type Version = (u32, u32, u32);

/// A program that makes leftovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// Claude Code, and which version where that can be told.
    Claude(Option<Version>),
    /// Bun, or a program that was built with it.
    Bun,
}

/// The package by which Claude Code is installed beside Node.
const PACKAGE: &[u8] = b"@anthropic-ai/claude-code";

/// Recognises a program by its process's name, its executable and its arguments. The process of an
/// installed version is called by that version (jemishavasoya/dev-cleaner PR 62).
pub(super) fn recognise(
    name: &[u8],
    executable: Option<&Path>,
    arguments: &dyn Fn() -> Vec<Vec<u8>>,
) -> Option<Program> {
    if let Some(found) = executable.and_then(installed) {
        return Some(Program::Claude(Some(found)));
    }
    let file = executable
        .and_then(Path::file_name)
        .map(std::ffi::OsStr::as_encoded_bytes);
    if name == b"claude" || file == Some(b"claude") || file == Some(b"claude.exe") {
        return Some(Program::Claude(None));
    }
    if let Some(found) = version(name).filter(|_| file.is_none_or(|file| file == name)) {
        return Some(Program::Claude(Some(found)));
    }
    match file.unwrap_or(name) {
        b"node" | b"node.exe" | b"nodejs" | b"bun" | b"bun.exe" | b"MainThread"
        | b"node-MainThread"
            if is_claude(&arguments()) =>
        {
            Some(Program::Claude(None))
        }
        b"bun" | b"bunx" | b"bun.exe" => Some(Program::Bun),
        _ => None,
    }
}

/// Whether a script's runtime was told to run Claude Code.
fn is_claude(arguments: &[Vec<u8>]) -> bool {
    arguments.iter().skip(1).take(8).any(|argument| {
        argument
            .windows(PACKAGE.len())
            .any(|window| window == PACKAGE)
            || argument.rsplit(|byte| *byte == b'/').next() == Some(b"claude")
    })
}

/// The version in `…/claude/versions/2.1.280`.
fn installed(executable: &Path) -> Option<Version> {
    let mut parts = executable.components().rev().map(|part| match part {
        Component::Normal(part) => part.as_encoded_bytes(),
        _ => b"",
    });
    let version = version(parts.next()?.strip_suffix(b".exe").unwrap_or_default())
        .or_else(|| version(executable.file_name()?.as_encoded_bytes()))?;
    (parts.next()? == b"versions" && parts.next()? == b"claude").then_some(version)
}

/// `2.1.280`, and nothing longer.
pub(super) fn version(text: &[u8]) -> Option<Version> {
    let mut parts = text.split(|byte| *byte == b'.');
    let mut part = || {
        let digits = parts.next()?;
        let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        str::from_utf8(digits).ok().filter(|_| plain)?.parse().ok()
    };
    let version = (part()?, part()?, part()?);
    parts.next().is_none().then_some(version)
}

/// Whether a process that goes by this name, or runs this file, is one whose children may hold leftovers:
/// Claude, node, bun, bwrap, socat, a VM. Names are cut at 15 bytes.
#[cfg(any(target_os = "linux", target_os = "macos", test))]
pub(super) fn is_kin(name: &[u8]) -> bool {
    matches!(
        name,
        b"claude"
            | b"claude.exe"
            | b"claude-desktop"
            | b"node"
            | b"nodejs"
            | b"MainThread"
            | b"bun"
            | b"bunx"
            | b"bwrap"
            | b"socat"
            | b"virtiofsd"
    ) || [
        &b"claude-"[..],
        b"node-",
        b"npm ",
        b"npx ",
        b"socat",
        b"qemu-",
        b"cowork-",
    ]
    .iter()
    .any(|begin| name.starts_with(begin))
        || version(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, executable: Option<&str>, arguments: &[&str]) -> Option<Program> {
        recognise(name.as_bytes(), executable.map(Path::new), &|| {
            arguments
                .iter()
                .map(|argument| argument.as_bytes().to_vec())
                .collect()
        })
    }

    #[test]
    fn claude_code_is_known_in_every_way_it_is_installed() {
        let claude = |version| Some(Program::Claude(version));
        let installed = "/home/ada/.local/share/claude/versions/2.1.280";
        assert_eq!(
            found("2.1.280", Some(installed), &[]),
            claude(Some((2, 1, 280)))
        );
        assert_eq!(
            found("claude", Some(installed), &[]),
            claude(Some((2, 1, 280)))
        );
        assert_eq!(found("2.1.280", None, &[]), claude(Some((2, 1, 280))));
        assert_eq!(found("claude", Some("/usr/bin/node"), &[]), claude(None));
        assert_eq!(found("x", Some("/usr/local/bin/claude"), &[]), claude(None));
        let script = "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js";
        for told in [script, "/usr/local/bin/claude"] {
            let node = found("node", Some("/usr/bin/node"), &["node", told]);
            assert_eq!(node, claude(None), "{told}");
        }
        let flags = ["node", "--max-old-space-size=4096", script];
        assert_eq!(
            found("node-MainThread", Some("/usr/bin/node"), &flags),
            claude(None)
        );
    }

    #[test]
    fn what_only_looks_like_it_is_another_program() {
        for (name, executable, arguments) in [
            ("node", Some("/usr/bin/node"), &["node", "server.js"][..]),
            ("bash", Some("/bin/bash"), &["bash", "claude"]),
            ("python3.11", Some("/usr/bin/python3.11"), &[]),
            ("2.1.280", Some("/opt/other/tool"), &[]),
            (
                "claude-desktop",
                Some("/usr/lib/claude-desktop/claude-desktop"),
                &[],
            ),
            ("claudette", None, &[]),
        ] {
            assert_eq!(found(name, executable, arguments), None, "{name}");
        }
        assert_eq!(
            found("bun", Some("/usr/bin/bun"), &["bun", "x.ts"]),
            Some(Program::Bun)
        );
    }

    #[test]
    fn versions_are_three_numbers() {
        assert_eq!(version(b"2.1.280"), Some((2, 1, 280)));
        for text in [
            "",
            "2.1",
            "2.1.x",
            "2.1.280.1",
            "2..1",
            "+2.1.3",
            "99999999999.1.1",
        ] {
            assert_eq!(version(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn kin_are_known_by_cut_names_too() {
        for name in [
            "qemu-system-x86",
            "2.1.280",
            "node-MainThread",
            "cowork-linux-he",
            "npm exec @x/y",
        ] {
            assert!(is_kin(name.as_bytes()), "{name}");
        }
        for name in ["bash", "sshd", "nodemon", "claudette", "bubblewrap", ""] {
            assert!(!is_kin(name.as_bytes()), "{name}");
        }
    }
}
