//! Weights from the settings: what they change, what they do not, and the version of the ranking.

use codecompass_testkit::{Answer, TestWorkspace};
use serde_json::Value;

use crate::PROGRAM;

const QUESTION: &str = "how is a card charged";

const FIXTURE: &str = r#"
//- /app/cards.py
def charge_card(card, amount):
    """Charges a card."""
    card.total += amount
    card.count += 1
    return card
//- /core/cards.py
def charge_card(card):
    """Charges a card."""
    gateway = card.gateway
    gateway.begin()
    return gateway.charge(card)
//- /tests/test_cards.py
def test_charge_card():
    """Charges a card."""
    card = Card()
    charge_card(card)
    assert card.total
"#;

/// Every setting of the section at its default.
const DEFAULTS: &str = "[search]
local_rerank_token_overlap_weight = 2
local_rerank_phrase_boost = 0.5
confidence_top_score_weight = 0.5
confidence_score_margin_weight = 0.2
confidence_channel_agreement_weight = 0.3
lexical_fanout_multiplier = 1
semantic_limit_multiplier = 1
semantic_fanout_multiplier = 1
path_factors = {}
[search.role_factors]
source = 1
test = 1
generated = 1
vendored = 1
docs = 1
config = 1
example = 1
";

struct Shop(TestWorkspace);

impl Shop {
    fn new() -> Shop {
        Shop(TestWorkspace::git(FIXTURE))
    }

    /// Writes the user's settings. A repository's own file is indexed, so it would change scores.
    fn set(&self, settings: &str) {
        std::fs::create_dir_all(self.0.home()).unwrap();
        std::fs::write(self.0.home().join("config.toml"), settings).unwrap();
    }

    fn run(&self, args: &[&str]) -> Answer {
        self.0.run(PROGRAM, args)
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let answer = self.run(&[args, &["--json"]].concat());
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"))
    }

    #[track_caller]
    fn paths(&self, query: &str) -> Vec<String> {
        let results = self.json(&["search", query])["results"].clone();
        results.as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap().to_string()).collect()
    }

    #[track_caller]
    fn version(&self, args: &[&str]) -> String {
        let answer = self.json(&[args, &["--metadata", "full"]].concat());
        answer["metadata"]["rank_profile_version"].as_str().unwrap_or_else(|| panic!("{answer:#}")).to_string()
    }
}

#[test]
fn defaults_change_nothing() {
    let shop = Shop::new();
    let ask =
        || [QUESTION, "charge_card", "app/cards.py"].map(|query| shop.run(&["search", query, "--explain"]).stdout);
    shop.set("");
    let (without, version) = (ask(), shop.version(&["search", QUESTION]));
    assert!(without.iter().all(|text| text.contains("score") && !text.contains("path_rule")), "{without:?}");
    shop.set(DEFAULTS);
    assert_eq!(ask(), without);
    assert_eq!(shop.version(&["search", QUESTION]), version);
}

#[test]
fn factors_change_the_order() {
    let shop = Shop::new();
    shop.set("");
    assert_eq!(shop.paths(QUESTION), ["app/cards.py", "core/cards.py", "tests/test_cards.py"]);
    shop.set("[search]\npath_factors = { core = 1.5 }\n");
    assert_eq!(shop.paths(QUESTION), ["core/cards.py", "app/cards.py", "tests/test_cards.py"]);
    assert_eq!(shop.paths("charge_card")[0], "core/cards.py");
    let text = shop.run(&["search", QUESTION, "--explain", "-n1"]).stdout;
    assert!(text.contains("path_rule +"), "{text}");
    let explained = shop.run(&["explain", QUESTION, "1"]).stdout;
    assert!(explained.contains("the settings have a factor for its path"), "{explained}");
    shop.set("[search.role_factors]\nsource = 0.2\n");
    assert_eq!(shop.paths(QUESTION)[0], "tests/test_cards.py");
    // The factor of a role is not for questions that ask for it.
    shop.set("[search.role_factors]\ntest = 0.1\n");
    let tests = shop.run(&["search", "tests that charge a card", "--explain"]).stdout;
    assert!(!tests.contains("path_rule"), "{tests}");
}

#[test]
fn other_weights_reach_the_scores() {
    let shop = Shop::new();
    let part = |name: &str| -> f64 {
        let answer = shop.json(&["search", QUESTION, "--explain", "-n1"]);
        let parts = answer["results"][0]["ranking_reasons"].as_array().unwrap().clone();
        let part = parts.iter().find(|part| part["reason"] == name);
        part.map_or(0.0, |part| part["value"].as_f64().unwrap())
    };
    let question = ["search", QUESTION, "--metadata", "full", "--confidence-threshold", "0.8"];
    let confident = || shop.json(&question)["metadata"]["low_confidence"].clone();
    shop.set("");
    let (coverage, name) = (part("coverage"), part("name"));
    assert!(coverage > 0.0 && name > 0.0 && confident() == false);
    shop.set("[search]\nlocal_rerank_token_overlap_weight = 4\nlocal_rerank_phrase_boost = 1\n");
    assert!((part("coverage") - 2.0 * coverage).abs() < 0.001 && part("name") > name);
    // The two files are about equally good, so the lead alone gives no confidence in the results.
    shop.set("[search]\nconfidence_top_score_weight = 0\nconfidence_channel_agreement_weight = 0\n");
    assert_eq!(confident(), true);
}

#[test]
fn multipliers_change_the_number_of_candidates() {
    const LOOKS: [&str; 8] = ["red", "green", "large", "small", "early", "late", "broken", "foreign"];
    const GOODS: [&str; 8] = ["book", "shoe", "lamp", "table", "ticket", "phone", "coat", "bottle"];
    let shop = Shop::new();
    let refund = |look: &str, thing: &str| {
        let head = format!("def refund_{look}_{thing}(card):");
        format!("{head}\n    \"\"\"Gives money back for a {look} {thing}.\"\"\"\n    return card\n\n\n")
    };
    let refunds = LOOKS.iter().flat_map(|look| GOODS.iter().map(|thing| refund(look, thing)));
    shop.0.write("app/refunds.py", &refunds.collect::<String>());
    let total = |search: &str| -> u64 {
        // Words alone would be confident of the answer.
        shop.set(&format!("[semantic]\nlexical_short_circuit_threshold = 1\n[search]\n{search}\n"));
        let answer = shop.json(&["search", "refund card money back"]);
        answer["metadata"]["total_candidates"].as_u64().unwrap()
    };
    assert!(total("") >= 64);
    let few_words = total("lexical_fanout_multiplier = 0.1");
    let few = total("lexical_fanout_multiplier = 0.1\nsemantic_limit_multiplier = 0.1");
    assert!((30..=40).contains(&few) && few < few_words, "{few}, {few_words}");
}

#[test]
fn wrong_values_are_refused_with_the_range() {
    let shop = Shop::new();
    shop.set("[search]\nlexical_fanout_multiplier = 100\n");
    let answer = shop.run(&["search", QUESTION]).ended_with(2);
    assert!(answer.stderr.contains("search.lexical_fanout_multiplier is not a number from 0.1 to 10"), "{answer:?}");
    shop.set("[search]\nlexical_fanout_multiplyer = 2\n");
    let answer = shop.run(&["search", QUESTION]).ended_with(2);
    assert!(answer.stderr.contains("did you mean `search.lexical_fanout_multiplier`?"), "{answer:?}");
}

#[test]
fn the_version_tells_the_weights_in_force() {
    let shop = Shop::new();
    shop.set("");
    let version = shop.version(&["search", QUESTION]);
    assert!(version.starts_with("1-") && version.len() == 10, "{version}");
    assert_eq!(shop.version(&["context", QUESTION]), version);
    assert_eq!(shop.version(&["locate", "charge_card"]), version);
    assert!(shop.json(&["search", QUESTION])["metadata"].get("rank_profile_version").is_none());
    shop.set("[search]\nlocal_rerank_phrase_boost = 0.6\n");
    let tuned = shop.version(&["search", QUESTION]);
    assert!(tuned.starts_with("1-") && tuned != version, "{tuned}");
    // A repository may say how its code is ranked.
    shop.0.write(".codecompass/config.toml", "[search]\nlocal_rerank_phrase_boost = 0.5\n");
    assert_eq!(shop.version(&["search", QUESTION]), version);
}
