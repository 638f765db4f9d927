//! Gates about sessions of Claude Code.
//!
//! A session's id goes stale after `/clear` (#53037), so every session that works in a project keeps all of
//! that project's. A date says nothing: an idle session's output can be hours old (#91402).

use super::{Judged, Says, live, unknown};
use crate::leftover::candidate::{Candidate, project_folder};
use crate::leftover::evidence::{Evidence, Session};

/// What is longer than this is cut by Claude Code, with a hash behind it.
const FOLDER_LIMIT: usize = 200;

pub(super) fn session_gone(candidate: &Candidate, evidence: &Evidence) -> Says {
    let (id, project) = (candidate.session(), candidate.origin.project.as_deref());
    if id.is_none() && project.is_none() {
        return unknown("neither its session nor its project is known");
    }
    quiet(evidence, |session| {
        if Some(session.id.as_str()) == id {
            return Concerns::Yes;
        }
        match (project, &session.cwd) {
            (None, _) => Concerns::No,
            (Some(project), Some(cwd)) if is_folder_of(project, &project_folder(cwd)) => {
                Concerns::Yes
            }
            (Some(_), Some(_)) => Concerns::No,
            (Some(_), None) => Concerns::Perhaps,
        }
    })
}

/// Nobody works where it lies, and no repository tracks it. Where it lies in no project, such as in the home,
/// every session counts.
pub(super) fn project_quiet(candidate: &Candidate, evidence: &Evidence) -> Says {
    let project = candidate.origin.project.as_deref();
    let used = quiet(evidence, |session| match (project, &session.cwd) {
        (None, _) => Concerns::Yes,
        (Some(project), Some(cwd)) => {
            let below = cwd.starts_with(&candidate.base);
            if below || is_folder_of(project, &project_folder(cwd)) {
                Concerns::Yes
            } else {
                Concerns::No
            }
        }
        (Some(_), None) => Concerns::Perhaps,
    });
    match (used, candidate.content.untracked) {
        (Judged::Live(reason), _) => live(reason),
        (_, Some(false)) => live("a repository tracks it"),
        (Judged::Unknown(reason), _) => unknown(reason),
        (Judged::Dead, None) => unknown("whether a repository tracks it was not seen"),
        (Judged::Dead, Some(true)) => Judged::Dead,
    }
}

/// Whether a session has to do with a candidate.
enum Concerns {
    Yes,
    Perhaps,
    No,
}

/// No session that may live has to do with it.
fn quiet(evidence: &Evidence, concerns: impl Fn(&Session) -> Concerns) -> Says {
    let mut found: Option<(bool, u32, String)> = None;
    for session in &evidence.sessions {
        let lives = match session.alive {
            Some(false) => continue,
            Some(true) => true,
            None => false,
        };
        let id = session.id.get(..8).unwrap_or(&session.id);
        let says = match concerns(session) {
            Concerns::No => continue,
            // Environments name a session without its folder; its record may know it.
            Concerns::Perhaps if is_known_elsewhere(session, evidence) => continue,
            Concerns::Perhaps => (
                true,
                session.pid,
                format!("session {id} may run in its project"),
            ),
            Concerns::Yes if lives => (
                false,
                session.pid,
                format!("session {id} ({}) runs in its project", session.pid),
            ),
            Concerns::Yes => (
                true,
                session.pid,
                format!("whether session {id} still runs cannot be told"),
            ),
        };
        // A session that lives is the better reason; of several the one with the lowest number.
        if found.as_ref().is_none_or(|before| says < *before) {
            found = Some(says);
        }
    }
    match found {
        None => Judged::Dead,
        Some((false, _, reason)) => live(reason),
        Some((true, _, reason)) => unknown(reason),
    }
}

/// Whether another record of the same session, that may live too, says where it works.
fn is_known_elsewhere(session: &Session, evidence: &Evidence) -> bool {
    evidence
        .sessions
        .iter()
        .any(|other| other.id == session.id && other.cwd.is_some() && other.alive != Some(false))
}

/// Whether a project's folder may be the one that a path gives. Case is left out: a drive is `d:` or `D:`.
fn is_folder_of(project: &str, folder: &str) -> bool {
    let (project, folder) = (project.as_bytes(), folder.as_bytes());
    project.eq_ignore_ascii_case(folder)
        || match (project.get(..FOLDER_LIMIT), folder.get(..FOLDER_LIMIT)) {
            (Some(project), Some(folder)) => project.eq_ignore_ascii_case(folder),
            _ => false,
        }
}
