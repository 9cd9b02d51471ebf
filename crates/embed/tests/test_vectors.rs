//! The model inside the binary makes the vectors that came with it.

use codecompass_embed::{Document, Embedder, StaticModel};
use serde_json::Value;

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().unwrap_or_default()
}

#[test]
fn vectors_are_those_of_the_specification() {
    let given: Value = serde_json::from_str(include_str!("../model/static-code-256/test_vectors.json")).unwrap();
    let tolerance = given["tolerance"].as_f64().unwrap() as f32;
    let model = StaticModel::embedded().unwrap();
    let items = given["items"].as_array().unwrap();
    let vectors: Vec<Vec<f32>> = items
        .iter()
        .map(|item| match text(item, "kind") {
            "q" => model.embed_query(text(item, "text")).unwrap(),
            _ => model.document(Document { path: text(item, "path"), text: text(item, "text") }),
        })
        .collect();
    assert_eq!(vectors.len(), 20);
    for (item, vector) in items.iter().zip(&vectors) {
        let first: Vec<f32> = item["first8"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
        let is_near = first.iter().zip(vector).all(|(a, b)| (a - b).abs() <= tolerance);
        assert!(is_near, "{}: {first:?} {:?}", text(item, "text"), &vector[..8]);
    }
    for pair in given["cosine_pairs"].as_array().unwrap() {
        let index = |n: usize| pair[n].as_u64().unwrap() as usize;
        let cosine: f32 = vectors[index(0)].iter().zip(&vectors[index(1)]).map(|(a, b)| a * b).sum();
        assert!((cosine - pair[2].as_f64().unwrap() as f32).abs() <= tolerance, "{pair}");
    }
}
