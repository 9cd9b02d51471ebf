//! The checks of `doctor` on models, vectors and providers. They send nothing.

use std::time::Instant;

use codecompass_engine::Coverage;
use codecompass_engine::config::SemanticMode;
use codecompass_engine::embed::{Document, Embedder};

use super::{CheckView, look};
use crate::session::Session;
use crate::session::providers;
use crate::settings::Profile;
use crate::units;

const KEPT: &str = "correct [semantic.embedding]; until then words alone answer, and vectors that are there are kept";

/// The model in use, or why there is none.
pub(super) fn model(session: &Session) -> CheckView {
    let profile = providers::profile_in_use(&session.providers.settings).name();
    let detail = match (session.engine.embedder(), &session.providers.embedding_problem) {
        _ if session.engine.config().semantic.mode == SemanticMode::Off => "none: semantic.mode is off".into(),
        (_, Some(problem)) => {
            return CheckView::new("model", false, format!("{profile}: {problem}"), KEPT);
        }
        (Some(embedder), _) => {
            format!("{profile}: {}, {}", embedder.id(), units::count(embedder.dimensions(), "dimension"))
        }
        (None, _) => format!("{profile}: none"),
    };
    CheckView::fine("model", detail)
}

/// Checks how much of the view has vectors, and adds advice about profiles if settings ask for it.
pub(super) fn vectors(session: &Session, bytes: u64) -> Vec<CheckView> {
    let (coverage, embedder) = match (look(|| session.engine.coverage()), session.engine.embedder()) {
        (Ok(Some(coverage)), Some(embedder)) => (coverage, embedder),
        (Err(error), _) => return vec![CheckView::failed("vectors", error)],
        _ => return Vec::new(),
    };
    let Coverage { documents, embedded } = coverage;
    let rest = if embedded >= documents {
        ""
    } else if embedder.is_fast() {
        "; the next question makes the rest"
    } else {
        "; `codecompass index` makes the rest"
    };
    let detail = format!("{embedded} of {documents} search documents, {}{rest}", units::bytes(bytes));
    let advice = session
        .providers
        .settings
        .gives_advice
        .then(|| CheckView::fine("advice", advice(session, &*embedder, documents)));
    std::iter::once(CheckView::fine("vectors", detail)).chain(advice).collect()
}

/// The providers that settings ask for; none is usual and not worth a line.
pub(super) fn external(session: &Session) -> Option<CheckView> {
    let settings = &session.providers.settings;
    let asked_for = settings.asked_for();
    if asked_for.is_empty() {
        return None;
    }
    let asked_for = asked_for.join(", ");
    if session.engine.config().semantic.mode == SemanticMode::Off {
        return Some(CheckView::fine("providers", format!("{asked_for}: not used, as semantic.mode is off")));
    }
    if session.providers.is_blocked() {
        let switches = settings.switched_off().join(" and ");
        return Some(CheckView::fine(
            "providers",
            format!("{asked_for}: blocked, as {switches} is off; nothing is sent"),
        ));
    }
    Some(match &session.providers.rerank_problem {
        Some(problem) => CheckView::new(
            "providers",
            false,
            format!("{asked_for}: {problem}"),
            "correct [semantic.rerank]; until then the order of answers is the local one",
        ),
        None => CheckView::fine("providers", format!("{asked_for}: allowed; code and questions are sent there")),
    })
}

/// Variables of other tools that speak of a provider, while none is asked for. They change nothing.
pub(super) fn detected(session: &Session) -> Option<CheckView> {
    let settings = &session.providers.settings;
    let is_quiet = settings.detected.is_empty() || settings.embedding.profile == Profile::External;
    let advice: Vec<String> = settings.detected.iter().map(|detected| detected.advice()).collect();
    (!is_quiet).then(|| CheckView::fine("detected", format!("nothing is sent; {}", advice.join("; "))))
}

/// Some lines of code, and how often they make a usual search document.
const SAMPLE: &str = "fn total_price(order: &Order) -> u64 {\n    order.lines.iter().map(|line| line.price).sum()\n}\n";
const REPEATED: usize = 10;

/// Describes what the size of the repository means for the choice of a profile. Says only what was
/// counted or measured here.
fn advice(session: &Session, embedder: &dyn Embedder, documents: usize) -> String {
    let settings = &session.providers.settings;
    let shown = units::count(documents, "search document");
    let first = if providers::profile_in_use(settings) == Profile::External {
        let requests = documents.div_ceil(settings.embedding.batch_size.max(1));
        let (verb, requests) = (if documents == 1 { "is" } else { "are" }, units::count(requests, "request"));
        format!("{shown} {verb} at least {requests} for the first index")
    } else {
        match texts_per_second(embedder) {
            Some(speed) => format!(
                "{shown}; this model makes about {speed:.0} vectors a second here, all of them in \
                 about {}",
                duration(documents as f64 / speed)
            ),
            None => format!("{shown}; the speed of this model could not be measured"),
        }
    };
    format!(
        "{first}; a model of 20 a second would need {}. How often questions are asked in words is not counted: \
         `codecompass eval` tells whether another profile answers them better",
        duration(documents as f64 / 20.0)
    )
}

fn texts_per_second(embedder: &dyn Embedder) -> Option<f64> {
    let text = SAMPLE.repeat(REPEATED);
    let count = if embedder.is_fast() { 256 } else { 8 };
    let documents = vec![Document { path: "src/orders.rs", text: &text }; count];
    let start = Instant::now();
    embedder.embed_documents(&documents).ok()?;
    Some(count as f64 / start.elapsed().as_secs_f64().max(1e-6))
}

fn duration(seconds: f64) -> String {
    match seconds {
        ..1.0 => "a second".into(),
        ..120.0 => units::count(seconds.round_ties_even() as usize, "second"),
        ..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}
