//! The files of a model folder, and their settings for making vectors.
//!
//! The layout is that of Hugging Face's sentence-transformers. All files but the model and its
//! tokenizer may be absent; `codecompass.toml` is ours and outranks the others.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::pooling::Pooling;
use super::presets::{self, Preset};

/// Advice on exporting a file that works, for messages.
pub(super) const EXPORT: &str =
    "export it with `optimum-cli export onnx --task feature-extraction --model NAME FOLDER` (see docs/models.md)";

const OWN_FILE: &str = "codecompass.toml";

/// A model folder.
pub(super) struct Folder {
    pub(super) model: PathBuf,
    pub(super) tokenizer: PathBuf,
    pub(super) settings: Settings,
}

/// Settings for making the vectors of a model.
pub(super) struct Settings {
    /// Or why none fits; a model that pools by itself needs none.
    pub(super) pooling: Result<Pooling, String>,
    /// True if the user has chosen the pooling.
    pub(super) pooling_is_given: bool,
    pub(super) query_prefix: String,
    pub(super) document_prefix: String,
    pub(super) max_tokens: usize,
    pub(super) padding: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    pooling: Option<Pooling>,
    query_prefix: Option<String>,
    document_prefix: Option<String>,
    max_tokens: Option<usize>,
    /// The name of a family of models, or `none`; without it the model's name decides.
    preset: Option<String>,
}

#[derive(Default, Deserialize)]
struct Config {
    /// The name that the model was loaded by when it was saved.
    #[serde(rename = "_name_or_path")]
    name: Option<String>,
    max_position_embeddings: Option<usize>,
    pad_token_id: Option<u32>,
}

#[derive(Default, Deserialize)]
struct TokenizerConfig {
    /// A huge number, written in several ways, where there is no limit.
    model_max_length: Option<Value>,
}

#[derive(Default, Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Default, Deserialize)]
struct Prompts {
    #[serde(default)]
    prompts: HashMap<String, Option<String>>,
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    path: String,
}

/// Finds the files of a model and reads the small ones. Texts are cut at `max_tokens`, or where the
/// model's own limit is, unless the user has chosen another.
pub(super) fn read(folder: &Path, max_tokens: usize) -> Result<Folder, String> {
    if !folder.is_dir() {
        let what = if folder.exists() { "is not a folder" } else { "does not exist" };
        return Err(format!(
            "{} {what}: set `model` to a folder with `model.onnx` and `tokenizer.json`",
            folder.display()
        ));
    }
    let model = model_file(folder)?;
    let tokenizer = folder.join("tokenizer.json");
    if !tokenizer.is_file() {
        return Err(format!(
            "{} is missing: copy it from where the model comes from; `vocab.txt` and the like are not enough, \
             `AutoTokenizer.from_pretrained(NAME).save_pretrained(FOLDER)` in Python makes it of them",
            tokenizer.display()
        ));
    }
    Ok(Folder { model, tokenizer, settings: settings(folder, max_tokens)? })
}

fn model_file(folder: &Path) -> Result<PathBuf, String> {
    let places = [folder.to_path_buf(), folder.join("onnx")];
    if let Some(model) = places.iter().map(|place| place.join("model.onnx")).find(|path| path.is_file()) {
        return Ok(model);
    }
    let entries = places.iter().flat_map(std::fs::read_dir).flatten().flatten();
    let mut others: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    others.sort();
    let ends = |path: &PathBuf, ending: &str| path.extension().is_some_and(|extension| extension == ending);
    let shown = folder.display();
    if let Some(other) = others.iter().find(|path| ends(path, "onnx")) {
        return Err(format!("{shown} has no `model.onnx`, but {}: rename or link it to `model.onnx`", other.display()));
    }
    match others.iter().find(|path| ends(path, "safetensors") || ends(path, "bin")) {
        Some(weights) => {
            Err(format!("{shown} has no `model.onnx`, and {} is not in that format: {EXPORT}", weights.display()))
        }
        None => Err(format!("{shown} has no `model.onnx` and no `onnx/model.onnx`: {EXPORT}")),
    }
}

fn settings(folder: &Path, usual_max_tokens: usize) -> Result<Settings, String> {
    let own_path = folder.join(OWN_FILE);
    let own: Own = match text(&own_path)? {
        Some(text) => toml::from_str(&text).map_err(|error| format!("{}: {error}", own_path.display()))?,
        None => Own::default(),
    };
    let config: Config = json(&folder.join("config.json"))?.unwrap_or_default();
    let Prompts { mut prompts } = json(&folder.join("config_sentence_transformers.json"))?.unwrap_or_default();
    let mut prompt = |name: &str| prompts.remove(name).flatten();
    let preset = match own.preset.as_deref() {
        Some(name) => presets::named(name).map_err(|why| format!("`preset` in {OWN_FILE}: {why}"))?,
        None => preset(folder, config.name.as_deref()),
    };
    let of_preset = |prefix: fn(&Preset) -> &'static str| preset.map(prefix).map(str::to_string);
    let query_prefix = own.query_prefix.or_else(|| prompt("query")).or_else(|| of_preset(|it| it.query_prefix));
    let document_prefix = own.document_prefix.or_else(|| prompt("document")).or_else(|| prompt("passage"));
    let document_prefix = document_prefix.or_else(|| of_preset(|it| it.document_prefix));
    let pooling = match own.pooling {
        Some(pooling) => Ok(pooling),
        None => pooling(folder, preset.map_or(Pooling::Mean, |preset| preset.pooling))?,
    };
    Ok(Settings {
        pooling,
        pooling_is_given: own.pooling.is_some(),
        query_prefix: query_prefix.unwrap_or_default(),
        document_prefix: document_prefix.unwrap_or_default(),
        max_tokens: max_tokens(folder, own.max_tokens, usual_max_tokens, config.max_position_embeddings)?,
        padding: config.pad_token_id,
    })
}

/// The preset of the family that the model belongs to by its name, in `config.json` or on disk.
fn preset(folder: &Path, name: Option<&str>) -> Option<&'static Preset> {
    let of_folder = folder.file_name().map(|name| name.to_string_lossy());
    name.and_then(presets::of_model).or_else(|| presets::of_model(&of_folder?))
}

fn max_tokens(folder: &Path, own: Option<usize>, usual: usize, positions: Option<usize>) -> Result<usize, String> {
    // Models of RoBERTa's kind count positions from two; their tables are longer by that.
    let positions = positions.map(|count| if count % 8 == 2 { count - 2 } else { count }).filter(|count| *count > 0);
    if let Some(own) = own {
        let most = positions.unwrap_or(usize::MAX);
        return if (1..=most).contains(&own) {
            Ok(own)
        } else {
            Err(format!("`max_tokens` in {OWN_FILE} is {own}, but the model takes 1 to {most}"))
        };
    }
    let sentence: SentenceConfig = json(&folder.join("sentence_bert_config.json"))?.unwrap_or_default();
    let tokenizer: TokenizerConfig = json(&folder.join("tokenizer_config.json"))?.unwrap_or_default();
    let by_tokenizer = || tokenizer.model_max_length?.as_u64()?.try_into().ok();
    let said = sentence.max_seq_length.or_else(by_tokenizer).filter(|length| *length > 0);
    let limits = [said, positions].into_iter().flatten();
    Ok(limits.fold(usual, usize::min))
}

/// The pooling that the folder asks for, `usual` if it says nothing, or why it cannot be done.
fn pooling(folder: &Path, usual: Pooling) -> Result<Result<Pooling, String>, String> {
    let modules: Vec<Module> = json(&folder.join("modules.json"))?.unwrap_or_default();
    let mut place = "1_Pooling";
    for Module { kind, path } in &modules {
        match kind.rsplit('.').next().unwrap_or_default() {
            "Pooling" => place = path,
            // Vectors are always made to have length one.
            "Transformer" | "Normalize" => {}
            other => {
                let why = format!("modules.json asks for a `{other}` layer, which model.onnx does not have; {EXPORT}");
                return Ok(Err(why));
            }
        }
    }
    let path = folder.join(place).join("config.json");
    let Some(said) = json::<HashMap<String, Value>>(&path)? else { return Ok(Ok(usual)) };
    let by_flag = said.iter().filter(|(_, value)| **value == Value::Bool(true));
    let mut modes: Vec<&str> = by_flag.filter_map(|(key, _)| key.strip_prefix("pooling_mode_")).collect();
    modes.extend(said.get("pooling_mode").and_then(Value::as_str));
    modes.sort_unstable();
    Ok(match modes[..] {
        // The root of the length instead of the length makes no difference to a vector of length
        // one.
        [] | ["mean" | "mean_tokens" | "mean_sqrt_len_tokens"] => Ok(Pooling::Mean),
        ["cls" | "cls_token"] => Ok(Pooling::Cls),
        ["last" | "lasttoken"] => Ok(Pooling::Last),
        _ => Err(format!(
            "{} asks for the pooling {}, which is not supported; set `pooling` in {OWN_FILE} to mean, cls or last if one \
             of them suits the model",
            path.display(),
            modes.join(" and ")
        )),
    })
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, String> {
    let Some(text) = text(path)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| format!("{} cannot be understood: {error}", path.display()))
}

/// A file's text; none if there is no such file.
fn text(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}
