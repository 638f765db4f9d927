//! Session homes in a line.

use crate::bytes::grouped;
use crate::inside::HomesSummary;

/// The homes on a sessions disk: `1,634 session folders, the oldest from 2026-05-21, 8.24 GB`.
#[must_use]
pub fn homes(homes: &HomesSummary) -> String {
    let folders = if homes.count == 1 {
        "folder"
    } else {
        "folders"
    };
    let count = grouped(homes.count);
    let oldest = homes.oldest.map_or_else(String::new, |oldest| {
        let moment = oldest.utc();
        let date = moment.split(' ').next().unwrap_or_default();
        format!(", the oldest from {date}")
    });
    format!("{count} session {folders}{oldest}, {}", homes.allocated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Allocated;
    use crate::inside::DiskId;
    use crate::time::Time;

    #[test]
    fn homes_are_told_in_a_line_and_an_unknown_age_is_left_out() {
        let mut summary = HomesSummary {
            disk: DiskId("guest_sessions:a".into()),
            count: 1_634,
            allocated: Allocated(8_240_000_000),
            oldest: Some(Time(1_779_321_600)),
            read_at: Time(1_790_000_000),
        };
        assert_eq!(
            homes(&summary),
            "1,634 session folders, the oldest from 2026-05-21, 8.24 GB"
        );
        (summary.count, summary.oldest) = (1, None);
        assert_eq!(homes(&summary), "1 session folder, 8.24 GB");
    }
}
