//! Remembers what an installation changed in a file, so that it can be undone to the byte as long
//! as no other program has written the file. Only the changed piece is kept: settings files hold
//! secrets that have no place in our data directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The changes of one installation in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// The file was made.
    pub created: bool,
    /// Directories that were made for it, the deepest last.
    pub folders: Vec<PathBuf>,
    /// The number of tables around the entry that were made.
    pub tables: usize,
    /// The change of the text, if it can be undone.
    pub change: Option<Change>,
}

/// A piece of text that took the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    at: usize,
    inserted: usize,
    removed: String,
    /// The hash of the whole text after the change.
    after: String,
}

impl Change {
    pub(crate) fn between(before: &str, after: &str) -> Change {
        let common = |a: &mut dyn Iterator<Item = (char, char)>| {
            a.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
        };
        let at = common(&mut before.chars().zip(after.chars()));
        let tail = common(&mut before[at..].chars().rev().zip(after[at..].chars().rev()));
        let removed = before[at..before.len() - tail].to_string();
        Change { at, inserted: after.len() - tail - at, removed, after: hash(after.as_bytes()) }
    }

    /// The text before the change, if `text` is the one after it.
    pub(crate) fn undone(&self, text: &str) -> Option<String> {
        let tail = text.get(self.at.checked_add(self.inserted)?..)?;
        let head = text.get(..self.at)?;
        (hash(text.as_bytes()) == self.after).then(|| format!("{head}{}{tail}", self.removed))
    }
}

/// The receipts below the data directory.
pub(crate) struct Receipts {
    folder: PathBuf,
}

impl Receipts {
    pub(crate) fn at(data: &Path) -> Receipts {
        Receipts { folder: data.join("installs") }
    }

    fn place(&self, file: &Path) -> PathBuf {
        self.folder.join(&hash(file.as_os_str().as_encoded_bytes())[..32])
    }

    /// The receipt for `file`. One that cannot be read is none.
    pub(crate) fn load(&self, file: &Path) -> Option<Receipt> {
        let value: Value = serde_json::from_slice(&fs::read(self.place(file)).ok()?).ok()?;
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        let change = value.get("change").and_then(|change| {
            Some(Change {
                at: number(&change["at"])?,
                inserted: number(&change["inserted"])?,
                removed: change["removed"].as_str()?.to_string(),
                after: change["after"].as_str()?.to_string(),
            })
        });
        let folders = value["folders"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Some(Receipt {
            created: value["created"].as_bool()?,
            folders: folders.map(PathBuf::from).collect(),
            tables: number(&value["tables"])?,
            change,
        })
    }

    /// Keeps the receipt for `file`.
    pub(crate) fn store(&self, file: &Path, receipt: &Receipt) -> io::Result<()> {
        let change = receipt.change.as_ref().map(|change| {
            json!({"at": change.at, "inserted": change.inserted, "removed": change.removed, "after": change.after})
        });
        let folders: Vec<_> = receipt.folders.iter().map(|folder| folder.to_string_lossy()).collect();
        let value = json!({
            "file": file.to_string_lossy(), "created": receipt.created, "folders": folders,
            "tables": receipt.tables, "change": change,
        });
        fs::create_dir_all(&self.folder)?;
        super::apply::write(&self.place(file), value.to_string().as_bytes(), true)
    }

    /// Forgets the receipt for `file`; that there is none is fine.
    pub(crate) fn forget(&self, file: &Path) {
        let _ = fs::remove_file(self.place(file));
        let _ = fs::remove_dir(&self.folder);
    }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_is_undone_to_the_byte() {
        let pairs = [("", "a"), ("{}", "{\"ä\": 1}"), ("aa", "aaa"), ("ö", "ü"), ("same", "same"), ("abc", "")];
        for (before, after) in pairs {
            let change = Change::between(before, after);
            assert_eq!(change.undone(after).as_deref(), Some(before));
            assert_eq!(change.undone("something else entirely, and longer"), None);
        }
    }

    #[test]
    fn receipts_are_kept_and_forgotten() {
        let data = tempfile::tempdir().unwrap();
        let receipts = Receipts::at(data.path());
        let file = Path::new("/home/ann/.mcp.json");
        assert_eq!(receipts.load(file), None);
        let change = Some(Change::between("{}", "{\"a\": \"ü\"}"));
        let receipt = Receipt { created: true, folders: vec!["/home/ann".into()], tables: 2, change };
        receipts.store(file, &receipt).unwrap();
        assert_eq!(receipts.load(file), Some(receipt));
        receipts.forget(file);
        assert_eq!(receipts.load(file), None);
        assert!(!data.path().join("installs").exists());
    }
}
