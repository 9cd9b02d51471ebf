//! Objects of a repository as packs, for other nodes.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::error::{GitError, file_error};
use super::fetch::HEAD;
use super::policy::GitPolicy;
use super::process::{GitRun, HARMLESS, check_size};
use super::repository::LockedRepository;
use super::url::is_commit;

/// Writes a pack with all objects that the commit `want` needs and the commits `have` do not, and
/// returns its bytes. Commits of `have` that the repository has not are left out.
pub fn pack(
    repository: &Path,
    want: &str,
    have: &[String],
    out: &Path,
    policy: &GitPolicy,
    cancelled: &dyn Fn() -> bool,
) -> Result<u64, GitError> {
    let repository = std::path::absolute(repository).map_err(file_error("read", repository))?;
    if !is_commit(want) || !have.iter().all(|commit| is_commit(commit)) {
        return Err(GitError::Commit);
    }
    let asked: String = have.iter().map(|commit| format!("{commit}\n")).collect();
    let check =
        GitRun::new(&repository, policy, cancelled).args(["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
    let known = check.text(&asked)?.run()?.succeeded()?;
    let known = known.lines().filter_map(|line| line.strip_suffix(" commit")).map(|commit| format!("^{commit}\n"));
    let revisions: String = std::iter::once(format!("{want}\n")).chain(known).collect();
    let options = ["--revs", "--stdout", "--quiet", "--delta-base-offset", "--threads=1"];
    let file = File::create(out).map_err(file_error("write", out))?;
    let run = GitRun::new(&repository, policy, cancelled).args(["pack-objects"]).args(options).text(&revisions)?;
    let packed = run.output(file).run().and_then(|end| end.succeeded());
    if packed.is_err() {
        let _ = fs::remove_file(out);
    }
    packed?;
    Ok(fs::metadata(out).map_err(file_error("read", out))?.len())
}

/// Puts the objects of a pack into a bare repository, which is created if it is absent.
///
/// `expected` is the BLAKE3 hash of the pack, in hexadecimal digits. Every object is checked, and
/// what it refers to must be in the pack or in the repository. If that fails, the repository is as
/// it was before.
pub fn unpack(
    repository: &Path,
    pack_file: &Path,
    expected: &str,
    policy: &GitPolicy,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), GitError> {
    let failed = file_error("read", pack_file);
    let mut file = File::open(pack_file).map_err(&failed)?;
    if !hash(&mut file).map_err(&failed)?.eq_ignore_ascii_case(expected) {
        return Err(GitError::Damaged("its hash is another"));
    }
    // The same open file: it cannot be replaced after the check.
    file.seek(SeekFrom::Start(0)).map_err(&failed)?;
    let repository = LockedRepository::open(repository)?;
    let faults = HARMLESS.map(|fault| format!("{fault}=warn")).join(",");
    let place = pack_file.display().to_string();
    let run = GitRun::new(repository.path(), policy, cancelled).about(&place).input(file).growing();
    let run = run.args(["index-pack".to_string(), "--stdin".into(), format!("--strict={faults}")]);
    let run = run.args([format!("--max-input-size={}", policy.max_bytes)]);
    let done = run.run().and_then(|end| end.succeeded());
    let done = done.and_then(|_| check_size(repository.path(), policy, &place));
    if done.is_err() {
        repository.take_back();
    }
    done
}

/// Returns whether a repository has a commit and everything that it refers to.
pub fn is_complete(
    repository: &Path,
    commit: &str,
    policy: &GitPolicy,
    cancelled: &dyn Fn() -> bool,
) -> Result<bool, GitError> {
    let repository = std::path::absolute(repository).map_err(file_error("read", repository))?;
    if !is_commit(commit) {
        return Err(GitError::Commit);
    }
    if !repository.join("HEAD").is_file() {
        return Ok(false);
    }
    let run = GitRun::new(&repository, policy, cancelled);
    let run = run.args(["rev-list", "--objects", "--quiet", "--end-of-options", &format!("{commit}^{{commit}}"), "--"]);
    Ok(run.run()?.success)
}

/// Makes a complete commit the one that later fetches go on from, as if it had been fetched.
pub fn adopt(
    repository: &Path,
    commit: &str,
    policy: &GitPolicy,
    cancelled: &dyn Fn() -> bool,
) -> Result<(), GitError> {
    let repository = LockedRepository::open(repository)?;
    if !is_complete(repository.path(), commit, policy, cancelled)? {
        return Err(GitError::Incomplete);
    }
    let run = GitRun::new(repository.path(), policy, cancelled).args(["update-ref", HEAD, commit]);
    run.run()?.succeeded().map(drop)
}

/// Returns the BLAKE3 hash of the rest of a file, in hexadecimal digits.
fn hash(file: &mut File) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finalize().to_hex().to_string()),
            length => drop(hasher.update(&buffer[..length])),
        }
    }
}
