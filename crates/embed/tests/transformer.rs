//! A model folder of the user's: the vectors are those of the reference, and what is wrong with a
//! folder is told.
//!
//! The model is in `tiny-transformer`, with the script that makes it and the vectors it should
//! give.
#![cfg(feature = "transformer")]
#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::path::{Path, PathBuf};

use codecompass_embed::{Document, Embedder, TransformerModel, TransformerOptions};
use serde_json::Value;
use tempfile::TempDir;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tiny-transformer")
}

fn open(folder: &Path) -> TransformerModel {
    TransformerModel::open(folder, TransformerOptions::default()).unwrap()
}

fn why_not(folder: &Path) -> String {
    match TransformerModel::open(folder, TransformerOptions::default()) {
        Ok(_) => panic!("{} was opened", folder.display()),
        Err(error) => error.to_string(),
    }
}

/// A copy of the model with other files beside it.
fn folder(model: &str, files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in [(model, "model.onnx"), ("tokenizer.json", "tokenizer.json"), ("config.json", "config.json")] {
        std::fs::copy(fixture().join(from), folder.path().join(to)).unwrap();
    }
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn expected() -> Vec<Value> {
    serde_json::from_str(include_str!("tiny-transformer/expected.json")).unwrap()
}

fn documents(items: &[Value]) -> Vec<Document<'_>> {
    let documents = items.iter().map(|item| {
        let (path, text) = (item["path"].as_str(), item["text"].as_str());
        Document { path: path.unwrap(), text: text.unwrap() }
    });
    documents.collect()
}

fn check_vectors(model: &TransformerModel, key: &str) {
    let items = expected();
    let vectors = model.embed_documents(&documents(&items)).unwrap();
    assert_eq!(vectors.len(), items.len());
    for (item, vector) in items.iter().zip(&vectors) {
        let wanted: Vec<f32> = item[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
        assert_eq!((vector.len(), wanted.len()), (model.dimensions(), model.dimensions()));
        let is_near = wanted.iter().zip(vector).all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(is_near, "{key} of {}: {wanted:?} {vector:?}", item["text"]);
    }
}

#[test]
fn vectors_are_those_of_the_reference() {
    let model = open(&fixture());
    assert_eq!(model.dimensions(), 16);
    assert!(!model.is_fast());
    check_vectors(&model, "mean");
}

#[test]
fn pooling_is_read_from_the_folder() {
    let flags = |mode: &str| format!(r#"{{"word_embedding_dimension": 16, "pooling_mode_{mode}": true}}"#);
    check_vectors(&open(folder("model.onnx", &[("1_Pooling/config.json", &flags("cls_token"))]).path()), "cls");
    check_vectors(&open(folder("model.onnx", &[("1_Pooling/config.json", &flags("lasttoken"))]).path()), "last");
    check_vectors(
        &open(folder("model.onnx", &[("1_Pooling/config.json", r#"{"pooling_mode": "cls"}"#)]).path()),
        "cls",
    );
    let modules = r#"[{"path": "", "type": "sentence_transformers.models.Transformer"},
        {"path": "elsewhere", "type": "sentence_transformers.models.Pooling"},
        {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]"#;
    let files = [("modules.json", modules), ("elsewhere/config.json", &flags("cls_token"))];
    check_vectors(&open(folder("model.onnx", &files).path()), "cls");
    let files = [("1_Pooling/config.json", &*flags("cls_token")), ("codecompass.toml", "pooling = \"mean\"")];
    check_vectors(&open(folder("model.onnx", &files).path()), "mean");
    let why = why_not(folder("model.onnx", &[("1_Pooling/config.json", &flags("max_tokens"))]).path());
    assert!(why.contains("max_tokens") && why.contains("codecompass.toml"), "{why}");
}

#[test]
fn a_model_may_pool_by_itself() {
    let dense = r#"[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#;
    let model = open(folder("pooled.onnx", &[("modules.json", dense)]).path());
    assert_eq!(model.dimensions(), 8);
    check_vectors(&model, "pooled");
    check_vectors(&open(folder("pooled.onnx", &[("codecompass.toml", "pooling = \"last\"")]).path()), "last");
    let why = why_not(folder("model.onnx", &[("modules.json", dense)]).path());
    assert!(why.contains("`Dense`"), "{why}");
}

#[test]
fn the_model_may_stand_where_hugging_face_has_it() {
    let folder = folder("model.onnx", &[("onnx/README.md", "")]);
    std::fs::rename(folder.path().join("model.onnx"), folder.path().join("onnx/model.onnx")).unwrap();
    check_vectors(&open(folder.path()), "mean");
}

#[test]
fn a_vector_depends_on_its_text_alone() {
    let items = expected();
    let mut documents = documents(&items);
    documents.extend(documents.clone().iter().rev().cycle().take(80));
    let options = |batch_size, threads| TransformerOptions { batch_size, threads, ..TransformerOptions::default() };
    let together = TransformerModel::open(&fixture(), options(32, 2)).unwrap().embed_documents(&documents).unwrap();
    let alone = TransformerModel::open(&fixture(), options(1, 1)).unwrap();
    for (document, vector) in documents.iter().zip(&together) {
        assert_eq!(&alone.embed_documents(&[*document]).unwrap()[0], vector, "{document:?}");
        let length: f32 = vector.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
}

#[test]
fn texts_are_cut_at_the_limit() {
    let long = |count: usize| "password ".repeat(count);
    let same = |model: &TransformerModel, a: usize, b: usize| {
        model.embed_query(&long(a)).unwrap() == model.embed_query(&long(b)).unwrap()
    };
    let model = open(&fixture());
    assert!(same(&model, 30, 3000) && !same(&model, 29, 30));
    let model = open(folder("model.onnx", &[("codecompass.toml", "max_tokens = 9")]).path());
    assert!(same(&model, 7, 30) && !same(&model, 6, 7));
    let model = open(folder("model.onnx", &[("sentence_bert_config.json", "{\"max_seq_length\": 10}")]).path());
    assert!(same(&model, 8, 30) && !same(&model, 7, 8));
    let model = open(folder("model.onnx", &[("tokenizer_config.json", "{\"model_max_length\": 1e30}")]).path());
    assert!(same(&model, 30, 31) && !same(&model, 29, 30));
    let why = why_not(folder("model.onnx", &[("codecompass.toml", "max_tokens = 33")]).path());
    assert!(why.contains("takes 1 to 32"), "{why}");
}

#[test]
fn prefixes_stand_before_texts() {
    let plain = open(&fixture());
    let query = |model: &TransformerModel| model.embed_query("get user").unwrap();
    let document = |model: &TransformerModel, text| model.embed_documents(&[Document { path: "", text }]).unwrap();
    let own = "query_prefix = \"find \"\ndocument_prefix = \"text: \"";
    let prompts = r#"{"prompts": {"query": "find ", "document": "text: ", "other": null}}"#;
    for files in [("codecompass.toml", own), ("config_sentence_transformers.json", prompts)] {
        let model = open(folder("model.onnx", &[files]).path());
        assert_eq!(query(&model), plain.embed_query("find get user").unwrap());
        assert_eq!(document(&model, "hash"), document(&plain, "text: hash"));
        assert_ne!(query(&model), query(&plain));
    }
    let files = [("codecompass.toml", "query_prefix = \"\""), ("config_sentence_transformers.json", prompts)];
    assert_eq!(query(&open(folder("model.onnx", &files).path())), query(&plain));
}

#[test]
fn presets_fill_in_what_the_folder_does_not_say() {
    let plain = open(&fixture());
    let query = |model: &TransformerModel, text: &str| model.embed_query(text).unwrap();
    let of_config = r#"{"_name_or_path": "nomic-ai/nomic-embed-text-v1.5", "max_position_embeddings": 32}"#;
    let of_setting = "preset = \"nomic\"";
    for files in [("config.json", of_config), ("codecompass.toml", of_setting)] {
        let model = open(folder("model.onnx", &[files]).path());
        assert_eq!(query(&model, "get user"), query(&plain, "search_query: get user"));
        let text = |text| Document { path: "", text };
        let made = model.embed_documents(&[text("hash")]).unwrap();
        assert_eq!(made, plain.embed_documents(&[text("search_document: hash")]).unwrap());
    }
    // By the name of the folder, with another pooling.
    let parent = folder("model.onnx", &[]);
    let named = parent.path().join("bge-small-en-v1.5");
    std::fs::create_dir(&named).unwrap();
    for name in ["model.onnx", "tokenizer.json", "config.json"] {
        std::fs::copy(fixture().join(name), named.join(name)).unwrap();
    }
    let text = "Represent this sentence for searching relevant passages: get user";
    let cls = open(folder("model.onnx", &[("codecompass.toml", "pooling = \"cls\"")]).path());
    assert_eq!(query(&open(&named), "get user"), query(&cls, text));
    // Everything else goes before it.
    std::fs::write(named.join("codecompass.toml"), "query_prefix = \"\"\npooling = \"mean\"").unwrap();
    assert_eq!(query(&open(&named), "get user"), query(&plain, "get user"));
    std::fs::write(named.join("codecompass.toml"), "preset = \"none\"").unwrap();
    assert_eq!(query(&open(&named), "get user"), query(&plain, "get user"));
    let why = why_not(folder("model.onnx", &[("codecompass.toml", "preset = \"bgee\"")]).path());
    assert!(why.contains("`preset` in codecompass.toml") && why.contains("bge"), "{why}");
}

#[test]
fn options_limit_the_length_of_texts() {
    let long = |count: usize| "password ".repeat(count);
    let options = |max_tokens| TransformerOptions { max_tokens, ..TransformerOptions::default() };
    let model = TransformerModel::open(&fixture(), options(9)).unwrap();
    assert_eq!(model.embed_query(&long(7)).unwrap(), model.embed_query(&long(20)).unwrap());
    // The model's own limit is 32.
    let model = TransformerModel::open(&fixture(), options(2048)).unwrap();
    assert_eq!(model.embed_query(&long(30)).unwrap(), model.embed_query(&long(300)).unwrap());
    assert_ne!(model.embed_query(&long(7)).unwrap(), model.embed_query(&long(20)).unwrap());
}

#[test]
fn nothing_is_all_zeros() {
    let model = open(&fixture());
    assert_eq!(model.embed_query(" \n").unwrap(), [0.0; 16]);
    let empty = Document { path: "", text: "" };
    let vectors = model.embed_documents(&[empty, Document { path: "a.rs", text: "" }]).unwrap();
    assert!(vectors[0].iter().all(|x| *x == 0.0) && vectors[1].iter().any(|x| *x != 0.0));
    assert!(model.embed_documents(&[]).unwrap().is_empty());
}

#[test]
fn ids_tell_models_apart() {
    let id = |folder: TempDir| {
        let model = open(folder.path());
        let (name, hash) = model.id().rsplit_once('@').unwrap();
        assert_eq!(name, folder.path().file_name().unwrap().to_str().unwrap());
        hash.to_string()
    };
    let plain = id(folder("model.onnx", &[]));
    assert_eq!(plain, id(folder("model.onnx", &[("README.md", "text")])));
    let changed = folder("model.onnx", &[]);
    let mut bytes = std::fs::read(changed.path().join("model.onnx")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(changed.path().join("model.onnx"), bytes).unwrap();
    let others = [
        id(changed),
        id(folder("pooled.onnx", &[])),
        id(folder("pooled.onnx", &[("codecompass.toml", "pooling = \"mean\"")])),
        id(folder("model.onnx", &[("codecompass.toml", "pooling = \"cls\"")])),
        id(folder("model.onnx", &[("codecompass.toml", "document_prefix = \"a\"")])),
        id(folder("model.onnx", &[("codecompass.toml", "max_tokens = 20")])),
        id(folder("model.onnx", &[("model.onnx_data", "more weights")])),
    ];
    assert!(!others.contains(&plain));
    assert_eq!(others.iter().collect::<std::collections::HashSet<_>>().len(), others.len());
}

#[test]
fn errors_name_the_file_and_the_remedy() {
    let check = |folder: &Path, words: &[&str]| {
        let why = why_not(folder);
        assert!(words.iter().all(|word| why.contains(word)), "{why}");
    };
    check(Path::new("no/such/folder"), &["no/such/folder does not exist", "`model`"]);
    check(&fixture().join("model.onnx"), &["is not a folder"]);

    let without = |name: &str, files: &[(&str, &str)]| {
        let folder = folder("model.onnx", files);
        std::fs::remove_file(folder.path().join(name)).unwrap();
        folder
    };
    check(without("tokenizer.json", &[]).path(), &["tokenizer.json is missing", "save_pretrained"]);
    check(without("model.onnx", &[]).path(), &["no `model.onnx`", "optimum-cli"]);
    check(without("model.onnx", &[("model.safetensors", "")]).path(), &["model.safetensors", "optimum-cli"]);
    check(without("model.onnx", &[("pytorch_model.bin", "")]).path(), &["pytorch_model.bin", "optimum-cli"]);
    check(without("model.onnx", &[("onnx/model_int8.onnx", "")]).path(), &["model_int8.onnx", "rename or link"]);

    check(folder("wrong-output.onnx", &[]).path(), &["output"]);
    check(folder("wrong-input.onnx", &[]).path(), &["`past_key_values`", "feature-extraction"]);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 90\n";
    check(folder("model.onnx", &[("model.onnx", pointer)]).path(), &["git lfs pull"]);
    check(folder("model.onnx", &[("model.onnx", "")]).path(), &["model.onnx is damaged", "0 bytes"]);
    check(folder("model.onnx", &[("tokenizer.json", "{}")]).path(), &["tokenizer.json is damaged"]);
    check(folder("model.onnx", &[("config.json", "{")]).path(), &["config.json cannot be understood"]);
    check(folder("model.onnx", &[("codecompass.toml", "poling = 1")]).path(), &["codecompass.toml", "poling"]);
    check(folder("model.onnx", &[("codecompass.toml", "pooling = \"max\"")]).path(), &["mean", "cls", "last"]);
}

/// Damage is an error, or goes unnoticed where it hits a weight; it never ends the program.
#[test]
fn damaged_files_are_refused() {
    for (name, rounds) in [("model.onnx", 300), ("tokenizer.json", 150), ("config.json", 50)] {
        let whole = std::fs::read(fixture().join(name)).unwrap();
        let damaged = folder("model.onnx", &[]);
        let path = damaged.path().join(name);
        let mut random = 7u64;
        for round in 0..rounds {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (random >> 33) as usize % whole.len();
            let mut bytes = whole.clone();
            match round % 3 {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 1 << (random >> 20 & 7),
                _ => bytes[at] = 0xff,
            }
            std::fs::write(&path, &bytes).unwrap();
            if let Ok(model) = TransformerModel::open(damaged.path(), TransformerOptions::default()) {
                assert!(model.embed_query("get user name").map_or(true, |vector| vector.iter().all(|x| x.is_finite())));
            }
        }
    }
}
