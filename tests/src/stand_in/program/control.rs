//! A socket that takes one command for each line and answers each with one line.

use std::io::{BufRead, BufReader, Error, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::mpsc::Sender;

/// A command that has come in; no text where its connection has ended.
#[derive(Debug)]
pub(super) struct Line {
    /// Number of the connection.
    pub(super) from: usize,
    /// What was said.
    pub(super) text: Option<String>,
    back: UnixStream,
}

impl Line {
    /// Answers; whoever asked may be gone.
    pub(super) fn answer(&self, text: &str) {
        let flat = text.replace('\n', "; ");
        let _asker_gone = (&self.back).write_all(format!("{flat}\n").as_bytes());
    }
}

/// Takes connections for as long as the process lives, and sends what they say.
pub(super) fn serve<T>(listener: UnixListener, lines: Sender<T>) -> Result<(), Error>
where
    T: From<Line> + Send + 'static,
{
    let _thread = std::thread::Builder::new()
        .name("control".to_owned())
        .spawn(move || {
            for (from, stream) in listener.incoming().flatten().enumerate() {
                let lines = lines.clone();
                let _thread = std::thread::Builder::new()
                    .name("asked".to_owned())
                    .spawn(move || listen(from, stream, &lines));
            }
        })?;
    Ok(())
}

fn listen<T: From<Line>>(from: usize, stream: UnixStream, lines: &Sender<T>) {
    let say = |text| {
        let Ok(back) = stream.try_clone() else {
            return false;
        };
        lines.send(Line { from, text, back }.into()).is_ok()
    };
    for line in BufReader::new(&stream).lines().map_while(Result::ok) {
        if !say(Some(line)) {
            return;
        }
    }
    let _told = say(None);
}
