//! Sizes. Three different questions have three different types, so they cannot be added by accident.
//!
//! A 10 GB disk image can be 10 GB long, take 5.6 GB of blocks and hold a filesystem with 8.3 GB in
//! use; all three are true (#65577). Units are decimal everywhere: 1 GB = 10⁹ bytes.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Declares a size newtype that only mixes with itself and never wraps.
macro_rules! size {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, type = "number"))]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// No bytes at all.
            pub const ZERO: Self = Self(0);

            /// The same quantity as plain bytes, for display and division.
            #[must_use]
            pub const fn bytes(self) -> Bytes {
                Bytes(self.0)
            }

            /// The difference, or zero where `other` is larger.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 = self.0.saturating_add(other.0);
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
                sizes.fold(Self::ZERO, |sum, size| sum.add(size))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&decimal(self.0))
            }
        }
    };
}

size! {
    /// A number of bytes of a volume or of a guest's filesystem: total, used, available.
    Bytes
}
size! {
    /// Length of files as `ls -l` says; holes count.
    Apparent
}
size! {
    /// Bytes that blocks really take on the host (`st_blocks × 512`, `AllocationSize`).
    Allocated
}

const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];

/// Writes bytes with three significant digits in decimal units: `0 B`, `999 B`, `8.24 GB`, `143 GB`.
///
/// Rounds half up and carries: 999,950 bytes are `1.00 MB`, never `1000 kB`.
#[must_use]
pub fn decimal(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut unit: u64 = 1000;
    for name in UNITS {
        // The largest value this unit still prints in three digits is 999.5 units, exclusive.
        let limit = u128::from(unit).saturating_mul(9995) / 10;
        if u128::from(bytes) < limit || name == "EB" {
            return format!("{} {name}", three_digits(bytes, unit));
        }
        unit = unit.saturating_mul(1000);
    }
    format!("{bytes} B")
}

/// `bytes / unit` with three significant digits, rounded half up.
fn three_digits(bytes: u64, unit: u64) -> String {
    let bytes = u128::from(bytes);
    let unit = u128::from(unit);
    for (decimals, scale, bound) in [(2usize, 100u128, 10u128), (1, 10, 100), (0, 1, 1000)] {
        let scaled = rounded_quotient(bytes.saturating_mul(scale), unit);
        if scaled < bound.saturating_mul(scale) || decimals == 0 {
            let whole = scaled.checked_div(scale).unwrap_or_default();
            let rest = scaled.checked_rem(scale).unwrap_or_default();
            return if decimals == 0 {
                whole.to_string()
            } else {
                format!("{whole}.{rest:0decimals$}")
            };
        }
    }
    String::new()
}

fn rounded_quotient(dividend: u128, divisor: u128) -> u128 {
    dividend
        .saturating_add(divisor / 2)
        .checked_div(divisor)
        .unwrap_or_default()
}

/// Writes a count with thousands separators: `185,541`.
#[must_use]
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len().saturating_add(digits.len() / 3));
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digits.len().saturating_sub(at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A `u64` as a float, for ratios and rates only.
#[must_use]
#[allow(
    clippy::as_conversions,
    reason = "std has no From<u64> for f64; 2^53 is exact enough for a ratio"
)]
pub const fn ratio_part(value: u64) -> f64 {
    value as f64
}

/// The whole part of a non-negative float; 0 for what is negative or no number.
#[must_use]
#[allow(
    clippy::as_conversions,
    reason = "std has no From<f64> for u64; the cast saturates, and NaN becomes 0"
)]
pub const fn whole_part(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_print_three_significant_digits_in_decimal_units() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (1049, "1.05 kB"),
            (9_994_999, "9.99 MB"),
            (9_995_000, "10.0 MB"),
            (999_499, "999 kB"),
            (999_500, "1.00 MB"),
            (6_800_000, "6.80 MB"),
            (8_240_000_000, "8.24 GB"),
            (143_400_000_000, "143 GB"),
            (1_400_000_000_000, "1.40 TB"),
            (u64::MAX, "18.4 EB"),
        ] {
            assert_eq!(decimal(bytes), text, "{bytes}");
        }
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(185_541), "185,541");
        assert_eq!(grouped(1_048_576), "1,048,576");
    }

    #[test]
    fn adding_saturates_instead_of_wrapping() {
        assert_eq!(Allocated(u64::MAX) + Allocated(1), Allocated(u64::MAX));
    }
}
