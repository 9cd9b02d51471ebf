//! Points in time as people write them: `2026-11-17`, `2026-11`, `2 weeks ago`, `yesterday`.
//! Without a zone they are in UTC.

use crate::error::{Error, Result};

/// The end of a period that a date without a time of day stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodEnd {
    /// Its first second.
    First,
    /// Its last second.
    Last,
}

const DAY: i64 = 86_400;

/// Reads a date; `now` is what relative ones are counted from. Both are unix seconds.
pub fn parse_date(text: &str, end: PeriodEnd, now: i64) -> Result<i64> {
    let trimmed = text.trim();
    let found = absolute(trimmed, end).or_else(|| relative(&trimmed.to_lowercase(), end, now));
    found.ok_or_else(|| {
        Error::InvalidInput(format!(
            "`{text}` is no date; give one such as 2026-11-17, 2026-11-17T12:30:00Z, 2026-11, `2 weeks ago` or yesterday"
        ))
    })
}

fn absolute(text: &str, end: PeriodEnd) -> Option<i64> {
    if let Some(seconds) = text.strip_prefix('@') {
        return seconds.parse().ok();
    }
    if text.len() >= 9 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some(text[at + 1..].trim())),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let mut number = |digits: usize| -> Option<Option<i64>> {
        let Some(part) = parts.next() else { return Some(None) };
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse().ok())
    };
    let (year, month, day) = (number(4)??, number(2)?, number(2)?);
    if parts.next().is_some() || month.is_some_and(|month| !(1..=12).contains(&month)) {
        return None;
    }
    if let (Some(month), Some(day)) = (month, day) {
        let next = next_month(year, month);
        let length = days(next.0, next.1, 1) - days(year, month, 1);
        if !(1..=length).contains(&day) {
            return None;
        }
    }
    let first = days(year, month.unwrap_or(1), day.unwrap_or(1)) * DAY;
    if let Some(time) = time {
        day?;
        return Some(first + seconds_of_day(time)?);
    }
    let behind = match (month, day) {
        (_, Some(_)) => first + DAY,
        (Some(month), None) => {
            let (year, month) = next_month(year, month);
            days(year, month, 1) * DAY
        }
        (None, None) => days(year + 1, 1, 1) * DAY,
    };
    Some(if end == PeriodEnd::First { first } else { behind - 1 })
}

fn next_month(year: i64, month: i64) -> (i64, i64) {
    if month == 12 { (year + 1, 1) } else { (year, month + 1) }
}

/// Reads `12:30`, `12:30:15`, with `Z`, `+02:00` or `+0200` behind it.
fn seconds_of_day(text: &str) -> Option<i64> {
    let (clock, offset) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => (text[..at].trim(), offset(&text[at..])?),
        None => (text, 0),
    };
    let mut parts = clock.split(':').map(|part| match part.len() {
        1 | 2 => part.parse::<i64>().ok(),
        _ => None,
    });
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    let is_clock = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    (is_clock && parts.next().is_none()).then_some(hour * 3600 + minute * 60 + second - offset)
}

fn offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    if digits.len() != 4 {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    Some(sign * (number / 100 * 3600 + number % 100 * 60))
}

fn relative(text: &str, end: PeriodEnd, now: i64) -> Option<i64> {
    let today = now - now.rem_euclid(DAY);
    let of_day = |first: i64| if end == PeriodEnd::First { first } else { first + DAY - 1 };
    match text {
        "now" => return Some(now),
        "today" => return Some(of_day(today)),
        "yesterday" => return Some(of_day(today - DAY)),
        _ => {}
    }
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let words = match words.as_slice() {
        [rest @ .., "ago"] => rest,
        ["last", rest @ ..] if rest.len() == 1 => &["1", rest[0]],
        _ => return None,
    };
    if words.is_empty() || !words.len().is_multiple_of(2) {
        return None;
    }
    let mut time = now;
    for pair in words.chunks(2) {
        let count: i64 = match pair[0] {
            "a" | "an" | "one" => 1,
            number => number.parse().ok().filter(|count| (0..=1_000_000).contains(count))?,
        };
        time = match pair[1].trim_end_matches('s') {
            "second" | "sec" => time - count,
            "minute" | "min" => time - count * 60,
            "hour" => time - count * 3600,
            "day" => time - count * DAY,
            "week" => time - count * 7 * DAY,
            "month" => months_before(time, count),
            "year" => months_before(time, count * 12),
            _ => return None,
        };
    }
    Some(time)
}

fn months_before(time: i64, count: i64) -> i64 {
    let (year, month, day) = civil(time.div_euclid(DAY));
    let months = year * 12 + month - 1 - count;
    // A day beyond the end of the month rolls over into the next, as in git.
    days(months.div_euclid(12), months.rem_euclid(12) + 1, 1) * DAY + (day - 1) * DAY + time.rem_euclid(DAY)
}

/// Returns the days from 1970 to a day.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years are counted from March, so that the day that comes and goes is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns the year, month and day of a number of days since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// Returns the year, month and day of a point in time at a distance from UTC in seconds.
pub(super) fn local_date(seconds: i64, offset: i32) -> (i64, i64, i64) {
    let local = seconds.saturating_add(i64::from(offset));
    civil(local.div_euclid(DAY).clamp(-700_000, 3_000_000))
}

/// Returns the year and the number of the ISO week of a day.
pub(super) fn iso_week((year, month, day): (i64, i64, i64)) -> (i64, i64) {
    let days_since = days(year, month, day);
    // 1970 began on a Thursday, and a week belongs to the year of its Thursday.
    let thursday = days_since - (days_since + 3).rem_euclid(7) + 3;
    let (year, _, _) = civil(thursday);
    (year, (thursday - days(year, 1, 1)) / 7 + 1)
}

/// Writes a point in time as RFC 3339 with a distance from UTC in seconds.
pub fn format_time(seconds: i64, offset: i32) -> String {
    let local = seconds.saturating_add(i64::from(offset));
    let (year, month, day) = local_date(seconds, offset);
    let second = local.rem_euclid(DAY);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let zone = match offset {
        0 => "Z".to_string(),
        _ => {
            let minutes = offset.unsigned_abs() / 60;
            format!("{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
        }
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-17T09:30:00Z.
    const NOW: i64 = 1_794_907_800;

    fn first(text: &str) -> Option<String> {
        parse_date(text, PeriodEnd::First, NOW).ok().map(|time| format_time(time, 0))
    }

    #[test]
    fn dates_are_read() {
        assert_eq!(format_time(NOW, 3600), "2026-11-17T10:30:00+01:00");
        for (text, time) in [
            ("2024-02-29", "2024-02-29T00:00:00Z"),
            ("2024-02", "2024-02-01T00:00:00Z"),
            ("2024", "2024-01-01T00:00:00Z"),
            ("2024-02-29T12:30:15+02:00", "2024-02-29T10:30:15Z"),
            ("2024-02-29 12:30", "2024-02-29T12:30:00Z"),
            ("@0", "1970-01-01T00:00:00Z"),
            ("1794907800", "2026-11-17T09:30:00Z"),
            ("2 weeks ago", "2026-11-03T09:30:00Z"),
            ("1.day.ago", "2026-11-16T09:30:00Z"),
            ("1 month 1 day ago", "2026-10-16T09:30:00Z"),
            ("last year", "2025-11-17T09:30:00Z"),
            ("yesterday", "2026-11-16T00:00:00Z"),
        ] {
            assert_eq!(first(text).as_deref(), Some(time), "{text}");
        }
        for wrong in ["", "2024-13-01", "2023-02-29", "2024-02-29T25:00", "soon", "weeks ago", "2 fortnights ago"] {
            assert_eq!(first(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_period_has_an_end() {
        let last = |text: &str| parse_date(text, PeriodEnd::Last, NOW).map(|time| format_time(time, 0)).unwrap();
        assert_eq!(last("2024-02"), "2024-02-29T23:59:59Z");
        assert_eq!(last("2023"), "2023-12-31T23:59:59Z");
        assert_eq!(last("2024-02-28"), "2024-02-28T23:59:59Z");
        assert_eq!(last("yesterday"), "2026-11-16T23:59:59Z");
    }

    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        assert_eq!(iso_week((2026, 11, 17)), (2026, 47));
        assert_eq!(iso_week((2021, 1, 3)), (2020, 53));
        assert_eq!(iso_week((2024, 12, 30)), (2025, 1));
        assert_eq!(iso_week((1970, 1, 1)), (1970, 1));
    }
}
