//! `/proc/<pid>/cmdline`: how a process was started, or what it wrote over that.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The arguments of a process, its own name first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct CommandLine(Vec<Vec<u8>>);

/// What names another data folder.
const DATA_FOLDER: &[u8] = b"--user-data-dir";

impl CommandLine {
    /// Takes the arguments apart. Chromium writes a title over them: then they stand in one text with
    /// spaces between, and are parted where a switch begins.
    pub(in super::super) fn parse(text: &[u8], executable: &Path) -> Self {
        let end = text
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        let filled = text.get(..end).unwrap_or_default();
        // One NUL ends the last argument; empty arguments before it are real.
        let arguments: Vec<Vec<u8>> = match filled {
            [] => Vec::new(),
            filled => filled
                .split(|byte| *byte == 0)
                .map(<[u8]>::to_vec)
                .collect(),
        };
        match arguments.as_slice() {
            [title] if contains(title, b" --") => Self(parted(title, executable)),
            _ => Self(arguments),
        }
    }

    /// A process that the app started from its own executable: renderer, GPU, zygote, utility.
    pub(in super::super) fn is_child(&self) -> bool {
        self.switches().any(|switch| switch.starts_with(b"--type="))
    }

    /// The data folder it was told to use: the last one counts, as Chromium takes it.
    pub(in super::super) fn data_folder(&self) -> Option<PathBuf> {
        let mut found = None;
        let mut switches = self.switches();
        while let Some(switch) = switches.next() {
            match switch.strip_prefix(DATA_FOLDER) {
                Some([]) => found = switches.next(),
                Some([b'=', folder @ ..]) => found = Some(folder),
                _ => {}
            }
        }
        found
            .filter(|folder| !folder.is_empty())
            .map(super::path_of)
    }

    /// All of them as the system takes them.
    pub(in super::super) fn arguments(&self) -> Vec<OsString> {
        self.0
            .iter()
            .map(|argument| super::path_of(argument).into_os_string())
            .collect()
    }

    /// The arguments behind the name, up to the one that says that no more switches follow.
    fn switches(&self) -> impl Iterator<Item = &[u8]> {
        self.0
            .iter()
            .skip(1)
            .map(Vec::as_slice)
            .take_while(|argument| *argument != b"--")
    }
}

/// A title's parts: the program, which may have spaces in its path, then one for each ` --`.
fn parted(title: &[u8], executable: &Path) -> Vec<Vec<u8>> {
    let program = executable.as_os_str().as_encoded_bytes();
    let begin = match title.strip_prefix(program) {
        Some([b' ', ..]) => program.len(),
        _ => 0,
    };
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, begin);
    while at < title.len() {
        if title.get(at..).is_some_and(|rest| rest.starts_with(b" --")) {
            parts.push(title.get(from..at).unwrap_or_default().to_vec());
            from = at + 1;
        }
        at += 1;
    }
    parts.push(
        title
            .get(from..)
            .unwrap_or_default()
            .trim_ascii_end()
            .to_vec(),
    );
    parts
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = "/usr/lib/claude-desktop/claude-desktop";

    fn line(text: &str) -> CommandLine {
        CommandLine::parse(text.as_bytes(), Path::new(APP))
    }

    #[test]
    fn a_main_process_has_no_type_and_a_child_has() {
        assert!(!line(&format!("{APP}\0")).is_child());
        assert!(!line(&format!("{APP}\0--user-data-dir=/d\0--typed\0")).is_child());
        assert!(line(&format!("{APP}\0--type=renderer\0--lang=en\0")).is_child());
        assert!(
            line(&format!(
                "{APP} --type=gpu-process --user-data-dir=/d\0\0\0"
            ))
            .is_child()
        );
        // What follows `--` is a file to open, whatever it is called.
        assert!(!line(&format!("{APP}\0--\0--type=renderer\0")).is_child());
    }

    #[test]
    fn the_data_folder_is_found_in_every_spelling_and_the_last_one_counts() {
        let folder = |text: &str| line(text).data_folder();
        assert_eq!(folder(&format!("{APP}\0")), None);
        assert_eq!(
            folder(&format!("{APP}\0--user-data-dir=/a b\0")),
            Some("/a b".into())
        );
        assert_eq!(
            folder(&format!("{APP}\0--user-data-dir\0/a\0")),
            Some("/a".into())
        );
        assert_eq!(folder(&format!("{APP}\0--user-data-dir\0")), None);
        assert_eq!(folder(&format!("{APP}\0--user-data-dir=\0")), None);
        assert_eq!(folder(&format!("{APP}\0--user-data-dirs=/a\0")), None);
        assert_eq!(
            folder(&format!("{APP}\0--user-data-dir=/a\0--user-data-dir=/b\0")),
            Some("/b".into())
        );
        assert_eq!(
            folder(&format!("{APP} --user-data-dir=/a b/c --lang=en\0\0")),
            Some("/a b/c".into()),
            "written over as a title"
        );
    }

    #[test]
    fn arguments_come_back_as_they_were_given() {
        let given = |text: &str| line(text).arguments();
        assert_eq!(given("claude\0\0x\0"), ["claude", "", "x"]);
        assert_eq!(
            given(&format!("{APP} --a --b=c d\0\0\0")),
            [APP, "--a", "--b=c d"]
        );
        assert_eq!(given(""), Vec::<OsString>::new());
        assert_eq!(given("\0\0"), Vec::<OsString>::new());
    }

    #[test]
    fn a_program_with_spaces_and_dashes_in_its_path_stays_whole() {
        let program = "/opt/My --apps/claude-desktop";
        let line = CommandLine::parse(
            format!("{program} --type=zygote\0").as_bytes(),
            Path::new(program),
        );
        assert_eq!(line.arguments(), [program, "--type=zygote"]);
    }
}
