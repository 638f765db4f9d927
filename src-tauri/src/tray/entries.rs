//! The menu as values: two status lines, then the acts, then Quit.
//!
//! Its shape never changes, only texts and what is enabled: a menu that is open while it is
//! replaced closes on some desktops.

use sandtray_core::status::Status;
use sandtray_core::words;

/// An entry of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A line to read.
    Line(String),
    /// A rule between groups.
    Rule,
    /// Something to do.
    Act {
        /// What.
        act: Act,
        /// Its label.
        text: String,
        /// Whether it can be done now.
        enabled: bool,
    },
    /// A menu within.
    Group {
        /// Its label.
        text: &'static str,
        /// What it holds.
        entries: Vec<Entry>,
    },
}

/// What the menu can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Opens or raises the window.
    Open,
    /// Opens the window at the reset.
    Reset,
    /// Opens the window at the leftovers.
    Clean,
    /// Measures everything now.
    Measure,
    /// No notices for an hour.
    SnoozeHour,
    /// No notices until this time tomorrow.
    SnoozeDay,
    /// Notices again.
    SnoozeOff,
    /// Ends the app.
    Quit,
}

impl Act {
    const ALL: [Self; 8] = [
        Self::Open,
        Self::Reset,
        Self::Clean,
        Self::Measure,
        Self::SnoozeHour,
        Self::SnoozeDay,
        Self::SnoozeOff,
        Self::Quit,
    ];

    /// The id of its native item.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Reset => "reset",
            Self::Clean => "clean",
            Self::Measure => "measure",
            Self::SnoozeHour => "snooze-hour",
            Self::SnoozeDay => "snooze-day",
            Self::SnoozeOff => "snooze-off",
            Self::Quit => "quit",
        }
    }

    /// The act of a native item's id.
    #[must_use]
    pub fn from_token(token: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|act| act.token() == token)
    }
}

/// The menu that belongs to a snapshot.
#[must_use]
pub fn entries(status: &Status) -> Vec<Entry> {
    let named = |act, text, enabled| Entry::Act { act, text, enabled };
    let act = |act, text: &str, enabled| named(act, text.to_owned(), enabled);
    let snoozed = status
        .gauges
        .iter()
        .any(|gauge| gauge.snoozed_until.is_some_and(|until| until > status.at));
    let [first, second] = words::menu_lines(status);
    vec![
        Entry::Line(first),
        Entry::Line(second),
        Entry::Rule,
        act(Act::Open, "Open Sandtray", true),
        act(
            Act::Reset,
            "Reset sandbox storage…",
            !status.bundles.is_empty(),
        ),
        named(
            Act::Clean,
            words::leftovers::menu_item(status.leftovers.as_ref()),
            true,
        ),
        act(Act::Measure, "Measure now", true),
        Entry::Group {
            text: "Snooze notices",
            entries: vec![
                act(Act::SnoozeHour, "For one hour", true),
                act(Act::SnoozeDay, "Until tomorrow", true),
                act(Act::SnoozeOff, "Off: tell me again", snoozed),
            ],
        },
        Entry::Rule,
        act(Act::Quit, "Quit Sandtray", true),
    ]
}

#[cfg(test)]
mod tests;
