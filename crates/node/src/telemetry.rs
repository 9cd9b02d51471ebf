//! Figures of a node in the form of Prometheus, and its log: one JSON object a line on stderr.
//! Neither has code, questions, tokens or addresses with secrets in them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use codecompass_app::terminal::output;
use serde_json::{Map, Value};

/// Upper bounds of the classes of times, in milliseconds.
const BOUNDS_MS: [u64; 8] = [5, 20, 50, 100, 250, 1000, 5000, 30_000];

/// Counts of what a node has done.
#[derive(Default)]
pub(super) struct NodeFigures {
    pub questions: AtomicU64,
    pub failures: AtomicU64,
    /// Answers that lacked a repository.
    pub partial: AtomicU64,
    pub forwarded: AtomicU64,
    pub fanned_out: AtomicU64,
    pub refused_tokens: AtomicU64,
    pub jobs_done: AtomicU64,
    pub jobs_failed: AtomicU64,
    pub leases_lost: AtomicU64,
    pub installed: AtomicU64,
    times: [AtomicU64; BOUNDS_MS.len() + 1],
    time_sum_us: AtomicU64,
}

pub(super) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl NodeFigures {
    /// Counts an answer that took so long.
    pub(super) fn took(&self, time: std::time::Duration) {
        let class = BOUNDS_MS.iter().position(|bound| time.as_millis() <= u128::from(*bound));
        add(&self.times[class.unwrap_or(BOUNDS_MS.len())]);
        self.time_sum_us.fetch_add(time.as_micros() as u64, Ordering::Relaxed);
    }

    /// Returns all figures, with gauges that the caller knows.
    pub(super) fn text(&self, gauges: &[(&str, &str, u64)]) -> String {
        let mut text = String::new();
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        for (name, about, value) in [
            ("questions_total", "Questions that arrived.", read(&self.questions)),
            ("failures_total", "Questions that ended with an error.", read(&self.failures)),
            ("partial_answers_total", "Answers that lacked a repository.", read(&self.partial)),
            ("forwarded_total", "Questions that another node answered.", read(&self.forwarded)),
            ("fanned_out_total", "Questions that several nodes answered together.", read(&self.fanned_out)),
            ("refused_tokens_total", "Requests with a missing or wrong token.", read(&self.refused_tokens)),
            ("jobs_done_total", "Index jobs that were done.", read(&self.jobs_done)),
            ("jobs_failed_total", "Index jobs that failed.", read(&self.jobs_failed)),
            ("leases_lost_total", "Index jobs whose lease was over before they were done.", read(&self.leases_lost)),
            ("views_installed_total", "Generations taken from the object store.", read(&self.installed)),
        ] {
            text.push_str(&format!(
                "# HELP codecompass_{name} {about}\n# TYPE codecompass_{name} counter\ncodecompass_{name} {value}\n"
            ));
        }
        for (name, about, value) in gauges {
            text.push_str(&format!(
                "# HELP codecompass_{name} {about}\n# TYPE codecompass_{name} gauge\ncodecompass_{name} {value}\n"
            ));
        }
        let name = "codecompass_answer_seconds";
        text.push_str(&format!("# HELP {name} Time to answer a question.\n# TYPE {name} histogram\n"));
        let mut sum = 0;
        for (class, counter) in self.times.iter().enumerate() {
            sum += read(counter);
            let bound = BOUNDS_MS.get(class).map_or("+Inf".to_string(), |ms| (*ms as f64 / 1000.0).to_string());
            text.push_str(&format!("{name}_bucket{{le=\"{bound}\"}} {sum}\n"));
        }
        let seconds = read(&self.time_sum_us) as f64 / 1e6;
        text.push_str(&format!("{name}_sum {seconds}\n{name}_count {sum}\n"));
        text
    }
}

/// Writes a line of the log.
pub(super) fn log(event: &str, fields: &[(&str, Value)]) {
    let ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
    let mut line = Map::new();
    line.insert("time_ms".into(), ms.into());
    line.insert("event".into(), event.into());
    for (name, value) in fields {
        line.insert((*name).to_string(), value.clone());
    }
    output::log_line(&Value::Object(line));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn figures_have_the_form_of_prometheus() {
        let figures = NodeFigures::default();
        add(&figures.questions);
        figures.took(Duration::from_millis(7));
        figures.took(Duration::from_secs(100));
        let text = figures.text(&[("cache_bytes", "Bytes in the cache.", 42)]);
        for line in [
            "codecompass_questions_total 1",
            "# TYPE codecompass_cache_bytes gauge",
            "codecompass_cache_bytes 42",
            "codecompass_answer_seconds_bucket{le=\"0.005\"} 0",
            "codecompass_answer_seconds_bucket{le=\"0.02\"} 1",
            "codecompass_answer_seconds_bucket{le=\"+Inf\"} 2",
            "codecompass_answer_seconds_count 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
