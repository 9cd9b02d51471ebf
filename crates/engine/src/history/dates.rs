//! Points in time as people write them: `2026-11-17`, `2026-11`, `2 weeks ago`, `yesterday`.
//! Without a zone they are in UTC.

use jiff::Span;
use jiff::civil::{Date, date};

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
const EPOCH: Date = date(1970, 1, 1);
/// The first day of the year 0 and the last one of the year 9999, in days from 1970.
const FIRST_DAY: i64 = -719_528;
const LAST_DAY: i64 = 2_932_896;
/// More months before any date than there are in the calendar.
const MAX_MONTHS: i64 = 12 * 19_998;

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
    let mut number = |digits: usize| -> Option<Option<i16>> {
        let Some(part) = parts.next() else { return Some(None) };
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse().ok())
    };
    let (year, month, day) = (number(4)??, number(2)?, number(2)?);
    if parts.next().is_some() {
        return None;
    }
    let first = Date::new(year, month.unwrap_or(1).try_into().ok()?, day.unwrap_or(1).try_into().ok()?).ok()?;
    if let Some(time) = time {
        day?;
        return Some(midnight(first) + seconds_of_day(time)?);
    }
    let last = match (month, day) {
        (_, Some(_)) => first,
        (Some(_), None) => first.last_of_month(),
        (None, None) => first.last_of_year(),
    };
    Some(if end == PeriodEnd::First { midnight(first) } else { midnight(last) + DAY - 1 })
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
    let date = local_date(time, 0);
    let first = date.first_of_month().saturating_sub(Span::new().months(count.min(MAX_MONTHS)));
    // A day beyond the end of the month rolls over into the next, as in git.
    midnight(first) + i64::from(date.day() - 1) * DAY + time.rem_euclid(DAY)
}

/// Returns the unix seconds of the beginning of a day in UTC.
fn midnight(date: Date) -> i64 {
    i64::from((date - EPOCH).get_days()) * DAY
}

/// Returns the day of a point in time at a distance from UTC in seconds; the nearest that has four
/// digits in its year.
pub(super) fn local_date(seconds: i64, offset: i32) -> Date {
    let days = seconds.saturating_add(i64::from(offset)).div_euclid(DAY);
    EPOCH.saturating_add(Span::new().days(days.clamp(FIRST_DAY, LAST_DAY)))
}

/// Writes a point in time as RFC 3339 with a distance from UTC in seconds.
pub fn format_time(seconds: i64, offset: i32) -> String {
    let second = seconds.saturating_add(i64::from(offset)).rem_euclid(DAY);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let date = local_date(seconds, offset);
    let zone = match offset {
        0 => "Z".to_string(),
        _ => {
            let minutes = offset.unsigned_abs() / 60;
            format!("{}{:02}:{:02}", if offset < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
        }
    };
    format!("{date}T{hour:02}:{minute:02}:{second:02}{zone}")
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
    fn the_calendar_has_ends() {
        assert_eq!(first("9999-12-31").as_deref(), Some("9999-12-31T00:00:00Z"));
        assert_eq!(first("0000").as_deref(), Some("0000-01-01T00:00:00Z"));
        assert_eq!(format_time(i64::MAX, 0), "9999-12-31T15:30:07Z");
        assert_eq!(format_time(i64::MIN, 3600), "0000-01-01T09:29:52+01:00");
        assert!(parse_date("1000000 years ago", PeriodEnd::First, NOW).is_ok_and(|time| time < 0));
    }
}
