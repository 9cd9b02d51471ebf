//! Pooling and prefixes of common families of models, for folders that do not say them: exports to
//! ONNX often leave these files behind, and vectors are much worse without them.

use super::pooling::Pooling;

/// The way a family of models makes vectors.
#[derive(Debug)]
pub(super) struct Preset {
    /// The name in settings.
    pub(super) name: &'static str,
    /// Parts of a model's name, in lower case; it belongs to the family if it has all of them.
    parts: &'static [&'static str],
    pub(super) pooling: Pooling,
    pub(super) query_prefix: &'static str,
    pub(super) document_prefix: &'static str,
}

const FOR_PASSAGES: &str = "Represent this sentence for searching relevant passages: ";
const FOR_CODE: &str = "Represent this query for searching relevant code: ";

/// The first that fits counts, so special ones stand before general ones.
const PRESETS: &[Preset] = &[
    Preset::new("nomic-code", &["nomic-embed-code"], Pooling::Last).query(FOR_CODE),
    Preset::new("nomic", &["nomic-embed-text"], Pooling::Mean).query("search_query: ").document("search_document: "),
    Preset::new("coderank", &["coderankembed"], Pooling::Cls).query(FOR_CODE),
    Preset::new("bge-m3", &["bge-m3"], Pooling::Cls),
    Preset::new("bge", &["bge-", "-en"], Pooling::Cls).query(FOR_PASSAGES),
    Preset::new("jina", &["jina-embeddings-v2"], Pooling::Mean),
    Preset::new("gte-v1.5", &["gte-", "-en-v1.5"], Pooling::Cls),
    Preset::new("gte-modernbert", &["gte-modernbert"], Pooling::Cls),
    Preset::new("gte", &["gte-"], Pooling::Mean),
    Preset::new("snowflake-v2", &["snowflake-arctic-embed", "v2.0"], Pooling::Cls).query("query: "),
    Preset::new("snowflake", &["snowflake-arctic-embed"], Pooling::Cls).query(FOR_PASSAGES),
];

impl Preset {
    const fn new(name: &'static str, parts: &'static [&'static str], pooling: Pooling) -> Preset {
        Preset { name, parts, pooling, query_prefix: "", document_prefix: "" }
    }

    const fn query(mut self, prefix: &'static str) -> Preset {
        self.query_prefix = prefix;
        self
    }

    const fn document(mut self, prefix: &'static str) -> Preset {
        self.document_prefix = prefix;
        self
    }
}

/// The preset of the family that a model belongs to by its name.
pub(super) fn of_model(name: &str) -> Option<&'static Preset> {
    let name = name.to_lowercase();
    PRESETS.iter().find(|preset| preset.parts.iter().all(|part| name.contains(part)))
}

/// The preset that settings call by this name; `none` is none.
pub(super) fn named(name: &str) -> Result<Option<&'static Preset>, String> {
    let found = PRESETS.iter().find(|preset| preset.name == name);
    match found {
        None if name != "none" => {
            let known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            Err(format!("`{name}` is not known; there are none, {}", known.join(", ")))
        }
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_their_names() {
        let preset = |model: &str| of_model(model).map(|preset| preset.name);
        for (model, name) in [
            ("nomic-ai/nomic-embed-text-v1.5", "nomic"),
            ("nomic-ai/nomic-embed-code", "nomic-code"),
            ("nomic-ai/CodeRankEmbed", "coderank"),
            ("BAAI/bge-small-en-v1.5", "bge"),
            ("BAAI/bge-m3", "bge-m3"),
            ("jinaai/jina-embeddings-v2-base-code", "jina"),
            ("thenlper/gte-small", "gte"),
            ("Alibaba-NLP/gte-base-en-v1.5", "gte-v1.5"),
            ("Alibaba-NLP/gte-modernbert-base", "gte-modernbert"),
            ("Snowflake/snowflake-arctic-embed-m", "snowflake"),
            ("Snowflake/snowflake-arctic-embed-m-v1.5", "snowflake"),
            ("Snowflake/snowflake-arctic-embed-l-v2.0", "snowflake-v2"),
        ] {
            assert_eq!(preset(model), Some(name), "{model}");
        }
        assert_eq!(preset("sentence-transformers/all-MiniLM-L6-v2"), None);
    }

    #[test]
    fn presets_have_names_of_their_own() {
        for preset in PRESETS {
            assert_eq!(named(preset.name).unwrap().unwrap().name, preset.name);
        }
        assert!(named("none").unwrap().is_none());
        assert!(named("bgee").unwrap_err().contains("bge-m3"));
    }
}
