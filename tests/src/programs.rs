//! Programs of the system that make disks.

use std::ffi::OsStr;
use std::io::{Error, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where a program is. Folders of system programs are looked at too: an ordinary user's `PATH` on
/// Debian does not name them, and making a filesystem in a file needs no root.
#[must_use]
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(
            [
                "/usr/sbin",
                "/sbin",
                "/opt/homebrew/opt/e2fsprogs/sbin",
                "/usr/local/opt/e2fsprogs/sbin",
            ]
            .map(PathBuf::from),
        )
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Runs a program to its end, with `input` on its standard input, and gives what it printed.
///
/// # Errors
/// Where it is not there or fails; the text names it and carries its complaint.
pub fn run<I, S>(program: &str, arguments: I, input: &str) -> Result<String, Error>
where
    I: IntoIterator<Item = S>,
    S: AsRef<OsStr>,
{
    let file = find(program).ok_or_else(|| {
        Error::other(format!(
            "{program} is not installed (Debian: e2fsprogs; macOS: brew install e2fsprogs)"
        ))
    })?;
    let mut child = Command::new(file)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // On a thread: a program that prints as it reads would else wait for us, and we for it.
    let (stdin, input) = (child.stdin.take(), input.as_bytes().to_vec());
    let feeding = std::thread::spawn(move || match stdin {
        Some(mut stdin) => stdin.write_all(&input),
        None => Ok(()),
    });
    let output = child.wait_with_output()?;
    let fed = feeding
        .join()
        .unwrap_or_else(|_| Err(Error::other("nobody fed it")));
    if output.status.success() {
        fed?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let complaint = String::from_utf8_lossy(&output.stderr);
        Err(Error::other(format!(
            "{program}: {}: {complaint}",
            output.status
        )))
    }
}
