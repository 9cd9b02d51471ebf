//! Points in time as people and programs write them, in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::civil::DateTime;

/// The seconds of a day.
pub const DAY: i64 = 86_400;

/// Now, as RFC 3339 with milliseconds.
pub fn now() -> String {
    format!("{:.3}Z", utc(since_1970(SystemTime::now())))
}

/// Returns the seconds since 1970.
pub fn unix_seconds() -> i64 {
    i64::try_from(since_1970(SystemTime::now()).as_secs()).unwrap_or(i64::MAX)
}

/// Unix seconds as RFC 3339.
pub fn rfc3339(seconds: i64) -> String {
    format!("{:.0}Z", utc(Duration::from_secs(seconds.try_into().unwrap_or(0))))
}

/// The day of a point in time, such as `2026-11-17`.
pub fn day(time: SystemTime) -> String {
    utc(since_1970(time)).date().to_string()
}

fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)
}

fn utc(since_1970: Duration) -> DateTime {
    DateTime::constant(1970, 1, 1, 0, 0, 0, 0).saturating_add(since_1970)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_right() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (i64::MAX, "9999-12-31T23:59:59Z"),
            (-1, "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
        assert_eq!(day(UNIX_EPOCH + Duration::from_secs(951_868_799)), "2000-02-29");
        assert_eq!(now().len(), "2000-02-29T00:00:00.000Z".len());
    }
}
