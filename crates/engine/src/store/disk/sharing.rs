//! Stores that several clones of a repository share.
//!
//! A store is made for one git directory. The folder that the store of another clone would have may
//! hold a file `shared` instead of an index: it names the folder, beside it, of the store that
//! serves this clone as well, and the family that both belong to. Where that store is gone or of
//! another family, the file says nothing, and the clone has a store of its own again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::store::disk::layout;

const FILE: &str = "shared";

/// A store on disk: its folder, and the repository or directory that it was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StorePlace {
    pub root: PathBuf,
    pub identity: PathBuf,
}

/// Returns the store that serves the clone whose own folder is `own`, if it is another one.
pub(crate) fn shared_place(own: &Path) -> Option<StorePlace> {
    let text = fs::read_to_string(own.join(FILE)).ok()?;
    let (name, family) = text.trim_end().split_once('\n')?;
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':']);
    let root = own.parent()?.join(name);
    if !is_plain || root == own || root.join(FILE).exists() || layout::noted_family(&root).as_deref() != Some(family) {
        return None;
    }
    let identity = layout::read_identity(&root)?;
    Some(StorePlace { root, identity })
}

/// Makes the store at `root`, whose family must be noted, the one of the clone whose own folder is
/// `own`. Only the holder of the writer's lock of `own` may call this.
pub(crate) fn share(own: &StorePlace, root: &Path, family: &str) -> Result<()> {
    layout::claim(&own.root, &own.identity)?;
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    layout::replace(&own.root, FILE, format!("{name}\n{family}\n").as_bytes())
}

/// Ends the sharing of the clone whose own folder is `own`, which gets a store of its own.
pub(crate) fn end(own: &Path) {
    let _ = fs::remove_file(own.join(FILE));
}

/// Returns the folders of the clones that share the store at `root`, and their git directories,
/// sorted; without the one that it was made for.
pub(crate) fn sharers(root: &Path) -> Vec<StorePlace> {
    let folders = root.parent().and_then(|stores| fs::read_dir(stores).ok()).into_iter().flatten().flatten();
    let mut sharers: Vec<StorePlace> = folders
        .map(|folder| folder.path())
        .filter(|own| shared_place(own).is_some_and(|place| place.root == root))
        .filter_map(|own| Some(StorePlace { identity: layout::read_identity(&own)?, root: own }))
        .collect();
    sharers.sort_by(|a, b| a.identity.cmp(&b.identity));
    sharers
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILY: &str = "0123456789012345678901234567890123456789";

    #[test]
    fn only_a_whole_store_of_the_same_family_is_shared() {
        let stores = tempfile::tempdir().unwrap();
        let place = |name: &str| {
            let root = stores.path().join(name);
            fs::create_dir_all(&root).unwrap();
            StorePlace { root, identity: PathBuf::from(format!("/{name}/.git")) }
        };
        let (first, second, third) = (place("first-1"), place("second-2"), place("third-3"));
        layout::claim(&first.root, &first.identity).unwrap();
        share(&second, &first.root, FAMILY).unwrap();
        assert_eq!(shared_place(&second.root), None, "the family of the first is not known");
        layout::note_family(&first.root, FAMILY);
        assert_eq!(shared_place(&second.root), Some(first.clone()));
        assert_eq!(sharers(&first.root), std::slice::from_ref(&second));
        // A store that is shared is no clone that shares one.
        share(&third, &second.root, FAMILY).unwrap();
        layout::note_family(&second.root, FAMILY);
        assert_eq!(shared_place(&third.root), None);
        for nonsense in ["", "first-1", "../x\n", "..\nx", "/first-1\n", &format!("first-1\n{}", "a".repeat(40))] {
            fs::write(second.root.join(FILE), nonsense).unwrap();
            assert_eq!(shared_place(&second.root), None, "{nonsense}");
        }
        share(&second, &first.root, FAMILY).unwrap();
        fs::remove_dir_all(&first.root).unwrap();
        assert_eq!(shared_place(&second.root), None, "it is gone");
        end(&second.root);
        assert!(!second.root.join(FILE).exists());
    }
}
