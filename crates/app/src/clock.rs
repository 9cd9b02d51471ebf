//! Points in time as people and programs write them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The seconds of a day.
pub const DAY: i64 = 86_400;

/// Now, as RFC 3339 with milliseconds, in UTC.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    format!("{}.{:03}Z", date_and_time(seconds), since.subsec_millis())
}

/// Returns the seconds since 1970.
pub fn unix_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// Unix seconds as RFC 3339, in UTC.
pub fn rfc3339(seconds: i64) -> String {
    format!("{}Z", date_and_time(seconds))
}

/// The day of a point in time in UTC, such as `2026-11-17`.
pub fn day(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let mut text = date_and_time(i64::try_from(since.as_secs()).unwrap_or(i64::MAX));
    text.truncate("2026-11-17".len());
    text
}

fn date_and_time(seconds: i64) -> String {
    // Beyond that a year has more than four digits, which the format does not know.
    let seconds = seconds.clamp(0, 253_402_300_799);
    let (days, second) = (seconds / DAY, seconds % DAY);
    // Years are counted from March, so that the day that comes and goes is the last one. 719,468
    // days lie between March of the year 0 and 1970; 400 years have 146,097.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
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
