//! Measures the speed of the model inside the binary: `cargo run --release -p codecompass-embed
//! --example speed FILE…` encodes the files' stretches of forty lines, again and again for two
//! seconds, and prints documents a second on one core.

#![allow(clippy::print_stdout, reason = "it prints a figure")]

use std::time::{Duration, Instant};

use codecompass_embed::{Document, StaticModel};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = StaticModel::embedded()?;
    let mut texts = Vec::new();
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path)?;
        let lines: Vec<&str> = text.lines().collect();
        texts.extend(lines.chunks(40).map(|part| (path.clone(), part.join("\n"))));
    }
    let (start, mut count, mut sum) = (Instant::now(), 0_usize, 0.0);
    while start.elapsed() < Duration::from_secs(2) && !texts.is_empty() {
        for (path, text) in &texts {
            sum += model.document(Document { path, text })[0];
            count += 1;
        }
    }
    println!("{:.0} documents a second ({sum:.3})", count as f64 / start.elapsed().as_secs_f64());
    Ok(())
}
