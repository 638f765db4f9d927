//! The lines at which gauges become low or critical, and what is done about lines that make no sense.

use serde::{Deserialize, Serialize};

/// The lines at which gauges become low or critical.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(default)]
pub struct Thresholds {
    /// Sessions disk: percent of what is usable at which it is low.
    pub sessions_low_percent: u8,
    /// Sessions disk: percent at which it is critical.
    pub sessions_critical_percent: u8,
    /// Sessions disk: percent at which a critical one is told once more as full.
    pub sessions_full_percent: u8,
    /// System disk: available bytes below which it is low. Percent says nothing here: it is 86 %
    /// full on its first day (#37860).
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub system_low_available: u64,
    /// System disk: available bytes below which it is critical.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub system_critical_available: u64,
    /// Host volume: available bytes below which it is low (or a tenth of the volume, if that is less).
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub host_low_available: u64,
    /// Host volume: available bytes below which it is critical (or a twenty-fifth of it, if that is less).
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub host_critical_available: u64,
    /// Inodes: percent at which they are low.
    pub inodes_low_percent: u8,
    /// Inodes: percent at which they are critical.
    pub inodes_critical_percent: u8,
    /// Days to full at which a filling gauge is low.
    pub low_days: u8,
    /// Hours to full at which a filling gauge is critical.
    pub critical_hours: u8,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            sessions_low_percent: 80,
            sessions_critical_percent: 90,
            sessions_full_percent: 99,
            // The app's own janitor wakes at 1 GiB and 500 MiB free (facts of the VM §6): be earlier.
            system_low_available: 1_000_000_000,
            system_critical_available: 300_000_000,
            // A rebuild peaks near 12 GB, and 10 GB were not enough (#34602).
            host_low_available: 15_000_000_000,
            host_critical_available: 5_000_000_000,
            inodes_low_percent: 85,
            inodes_critical_percent: 95,
            low_days: 7,
            critical_hours: 24,
        }
    }
}

/// A value that makes no sense, and what is in force instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The key, as in the settings file.
    pub key: &'static str,
    /// What is wrong, and what holds instead.
    pub text: String,
}

impl Thresholds {
    /// Puts lines that make no sense right: a percentage beyond 100, a low line past its critical one.
    pub fn correct(&mut self) -> Vec<Correction> {
        let default = Self::default();
        let mut wrong = Vec::new();
        for (key, value, default) in [
            (
                "thresholds.sessions_low_percent",
                &mut self.sessions_low_percent,
                default.sessions_low_percent,
            ),
            (
                "thresholds.sessions_critical_percent",
                &mut self.sessions_critical_percent,
                default.sessions_critical_percent,
            ),
            (
                "thresholds.sessions_full_percent",
                &mut self.sessions_full_percent,
                default.sessions_full_percent,
            ),
            (
                "thresholds.inodes_low_percent",
                &mut self.inodes_low_percent,
                default.inodes_low_percent,
            ),
            (
                "thresholds.inodes_critical_percent",
                &mut self.inodes_critical_percent,
                default.inodes_critical_percent,
            ),
        ] {
            if !(1..=100).contains(value) {
                let text = format!("{value} is no percentage from 1 to 100; {default} is in force");
                wrong.push(Correction { key, text });
                *value = default;
            }
        }
        let mut at_most = |key, value: &mut u8, most: u8| {
            if *value > most {
                let text = format!("{value} is past the next line; {most} is in force");
                wrong.push(Correction { key, text });
                *value = most;
            }
        };
        at_most(
            "thresholds.sessions_critical_percent",
            &mut self.sessions_critical_percent,
            self.sessions_full_percent,
        );
        at_most(
            "thresholds.sessions_low_percent",
            &mut self.sessions_low_percent,
            self.sessions_critical_percent,
        );
        at_most(
            "thresholds.inodes_low_percent",
            &mut self.inodes_low_percent,
            self.inodes_critical_percent,
        );
        at_most(
            "thresholds.critical_hours",
            &mut self.critical_hours,
            self.low_days.saturating_mul(24),
        );
        let mut at_least = |key, value: &mut u64, least: u64| {
            if *value < least {
                let text = format!("{value} is past the next line; {least} is in force");
                wrong.push(Correction { key, text });
                *value = least;
            }
        };
        at_least(
            "thresholds.system_low_available",
            &mut self.system_low_available,
            self.system_critical_available,
        );
        at_least(
            "thresholds.host_low_available",
            &mut self.host_low_available,
            self.host_critical_available,
        );
        wrong
    }
}
