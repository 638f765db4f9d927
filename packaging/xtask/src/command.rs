//! Starting other programs: where they are, what they printed, and how they ended.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the workspace.
pub(crate) fn workspace() -> PathBuf {
    // Cargo sets it for `cargo run`; the built-in value serves a binary started by hand.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    manifest
        .ancestors()
        .nth(2)
        .map_or_else(|| manifest.clone(), Path::to_owned)
}

/// Where Cargo builds to.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => workspace().join(folder),
        None => workspace().join("target"),
    }
}

/// A folder for what tasks write: logs, stamps, pictures of tests.
pub(crate) fn scratch() -> Result<PathBuf, String> {
    let folder = target().join("xtask");
    fs::create_dir_all(&folder).map_err(|cause| cannot("create", &folder, &cause))?;
    Ok(folder)
}

/// A built program, with the system's suffix.
pub(crate) fn built(profile: &str, name: &str) -> PathBuf {
    target()
        .join(profile)
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Whether this runs where nobody answers questions and every skip has to be accounted for.
pub(crate) fn in_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true" || value == "1")
}

/// A command in the workspace's root.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(workspace());
    command
}

/// The Cargo that started this program.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// npm in the folder of the window.
pub(crate) fn npm() -> Command {
    let mut command = command(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(workspace().join("ui"));
    command
}

/// Where a program is. The folders of system programs are looked at too: an ordinary user's `PATH`
/// on Debian does not name them, and `mke2fs` needs no root.
pub(crate) fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if cfg!(unix) {
        folders.extend(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from));
    }
    folders.into_iter().find_map(|folder| {
        [program.to_owned(), format!("{program}.exe")]
            .into_iter()
            .map(|name| folder.join(name))
            .find(|file| file.is_file())
    })
}

/// Runs a command with this terminal.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let shown = shown(command);
    let status = command
        .status()
        .map_err(|cause| format!("cannot start {shown}: {cause}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{shown}: {status}"))
    }
}

/// What a short command prints.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let shown = shown(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| format!("cannot start {shown}: {cause}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(text)
    } else {
        let complaint = String::from_utf8_lossy(&output.stderr);
        Err(format!("{shown}: {}\n{text}{complaint}", output.status))
    }
}

/// A command as a person would type it; long argument lists are cut.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = vec![
        Path::new(command.get_program())
            .file_name()
            .unwrap_or(command.get_program())
            .to_string_lossy()
            .into_owned(),
    ];
    words.extend(
        command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned()),
    );
    if words.len() > 14 {
        let more = words.len() - 12;
        words.truncate(12);
        words.push(format!("… ({more} more)"));
    }
    words.join(" ")
}

/// Where the output of a step goes: to a file while it is well, to the screen when it is not.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    pub(crate) fn create(name: &str) -> Result<Self, String> {
        let folder = scratch()?.join("logs");
        fs::create_dir_all(&folder).map_err(|cause| cannot("create", &folder, &cause))?;
        let path = folder.join(format!("{name}.log"));
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .map_err(|cause| cannot("create", &path, &cause))?;
        Ok(Self { path, file })
    }

    /// Adds a line of our own.
    pub(crate) fn note(&mut self, line: &str) {
        // A log that cannot be written is no reason to stop a step.
        let _ignored = self.file.seek(SeekFrom::End(0));
        let _ignored = writeln!(self.file, "{line}");
    }

    /// Runs a command and gives back what it printed, on both streams, whether it failed or not.
    pub(crate) fn try_run(&mut self, command: &mut Command) -> Result<(bool, String), String> {
        let shown = shown(command);
        self.note(&format!("$ {shown}"));
        let from = self
            .file
            .seek(SeekFrom::End(0))
            .map_err(|cause| cannot("read", &self.path, &cause))?;
        let stream = || {
            self.file
                .try_clone()
                .map_err(|cause| cannot("write", &self.path, &cause))
        };
        let status = command
            .stdin(Stdio::null())
            .stdout(stream()?)
            .stderr(stream()?)
            .status()
            .map_err(|cause| format!("cannot start {shown}: {cause}"))?;
        let mut bytes = Vec::new();
        self.file
            .seek(SeekFrom::Start(from))
            .and_then(|_| self.file.read_to_end(&mut bytes))
            .map_err(|cause| cannot("read", &self.path, &cause))?;
        self.note(&format!("({status})"));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok((status.success(), text))
    }

    /// Runs a command that has to succeed.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<String, String> {
        let shown = shown(command);
        match self.try_run(command)? {
            (true, text) => Ok(text),
            (false, _) => Err(format!("failed: {shown}")),
        }
    }

    /// The end of the log, for the screen.
    pub(crate) fn tail(&self, lines: usize) -> String {
        let bytes = fs::read(&self.path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let all: Vec<&str> = text.lines().collect();
        let from = all.len().saturating_sub(lines);
        all.get(from..).unwrap_or_default().join("\n")
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The text of an error about a path.
pub(crate) fn cannot(operation: &str, path: &Path, cause: &std::io::Error) -> String {
    format!("cannot {operation} {}: {cause}", path.display())
}
