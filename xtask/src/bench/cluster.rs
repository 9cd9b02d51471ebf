//! `cargo xtask bench cluster PART...`: figures of a cluster with PostgreSQL, by
//! `tests/cluster/figures.py`.

use std::path::Path;
use std::process::Command;

use crate::outcome::Outcome;

/// Measures with the program at `binary`; without a part, those that need no data.
#[expect(clippy::disallowed_methods, reason = "the script starts the systems of a cluster")]
pub(crate) fn run(root: &Path, binary: &Path, part: &[&str]) -> Outcome<()> {
    let parts: Vec<Vec<&str>> = match part {
        [] => vec![vec!["many"], vec!["lease"]],
        part => vec![part.to_vec()],
    };
    for part in parts {
        println!("\n{}", part.join(" "));
        let script = root.join("tests/cluster/figures.py");
        let status = Command::new("python3").arg(script).arg(binary).args(&part).status()?;
        if !status.success() {
            return Err(format!("{} has missed a limit, or could not be measured", part.join(" ")).into());
        }
    }
    Ok(())
}
