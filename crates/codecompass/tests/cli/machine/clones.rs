//! Git URLs as workspaces: cloned once, asked without the network, fetched by `index`.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use codecompass_testkit::{Answer, Git, TestWorkspace, until, write_fixture};
use serde_json::Value;

use crate::PROGRAM;

const SHOP: &str = "
//- /cart.py
def total_price(cart):
    \"\"\"Adds up the prices of a cart.\"\"\"
    return sum(line.price for line in cart.lines)
";

/// An empty directory, a repository beside it at `git/shop`, and settings that allow its URL.
struct Origin {
    workspace: TestWorkspace,
    url: String,
}

impl Origin {
    fn new() -> Origin {
        let workspace = TestWorkspace::plain("");
        let place = workspace.beside("git/shop");
        write_fixture(&place, SHOP);
        Git::at(&place).run(&["init", "--quiet", "--initial-branch=main"]);
        let origin = Origin { url: format!("file://{}", place.display()), workspace };
        origin.commit();
        origin.settings("schemes = [\"https\", \"ssh\", \"file\"]");
        origin
    }

    fn place(&self) -> PathBuf {
        self.workspace.beside("git/shop")
    }

    fn commit(&self) {
        Git::at(&self.place()).run(&["add", "--all"]);
        Git::at(&self.place()).run(&["commit", "--quiet", "--message", "a commit"]);
    }

    fn settings(&self, clone: &str) {
        let groups = format!("groups = [\"all={}\", \"all={}\"]", self.url, self.workspace.root().display());
        let text = format!("[clone]\n{clone}\n[workspaces]\n{groups}\n");
        fs::write(self.workspace.home().join("config.toml"), text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Answer {
        self.workspace.run(PROGRAM, args)
    }

    fn ask(&self, args: &[&str]) -> Answer {
        self.run(&[args, &["--workspace", &self.url]].concat())
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.run(&[args, &["--json"]].concat()).ended_with(0).stdout).unwrap()
    }

    /// Folders of clones, and files that have to do with them.
    fn clones(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(self.workspace.home().join("clones")) else { return Default::default() };
        entries.map(|entry| entry.unwrap().path()).partition(|path| path.is_dir())
    }

    fn remove(&self) {
        fs::remove_dir_all(self.place()).unwrap();
    }
}

fn repositories(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap().iter();
    results.map(|result| result["repository"].as_str().unwrap_or("?")).collect()
}

#[test]
fn the_first_question_clones_and_later_ones_need_no_network() {
    let origin = Origin::new();
    let first = origin.ask(&["search", "prices of a cart"]).ended_with(0);
    assert!(first.stdout.starts_with("cart.py:1-3  function  total_price\n"), "{}", first.stdout);
    assert!(first.stderr.contains(&format!("codecompass: cloning {}\n", origin.url)), "{}", first.stderr);
    assert_eq!(origin.clones().0.len(), 1);
    origin.remove();
    let second = origin.ask(&["search", "prices of a cart"]).ended_with(0);
    assert_eq!((second.stdout, second.stderr.as_str()), (first.stdout, ""));
    // Flags of `grep` are its own.
    assert!(origin.ask(&["grep", "total_price"]).found().contains("cart.py"));
    assert!(origin.ask(&["branches"]).found().starts_with("* main  "));
    assert!(origin.ask(&["locate", "total_price", "--ref", "main"]).found().contains("cart.py:1-3"));
    // Without the clone there is nothing to ask.
    fs::remove_dir_all(&origin.clones().0[0]).unwrap();
    let error = origin.ask(&["search", "prices"]).ended_with(2).stderr;
    assert!(
        error.contains("does not appear to be a git repository") && error.contains("help: check the URL"),
        "{error}"
    );
    assert_eq!(origin.clones().0, [] as [PathBuf; 0], "a clone that failed leaves nothing");
}

#[test]
fn index_fetches_and_says_what_changed() {
    let origin = Origin::new();
    origin.ask(&["index"]).ended_with(0);
    write_fixture(&origin.place(), "//- /refund.py\ndef refund(order):\n    return -order.total\n");
    origin.commit();
    origin.ask(&["locate", "refund"]).ended_with(1);
    let fetched = origin.ask(&["index"]).ended_with(0).stderr;
    assert!(
        fetched.contains(&format!("fetched {}: main at ", origin.url)) && fetched.contains(", before main at "),
        "{fetched}"
    );
    assert!(origin.ask(&["locate", "refund"]).found().contains("refund.py:1"));
    let again = origin.ask(&["index"]).ended_with(0).stderr;
    assert!(again.contains(&format!("{} is up to date: main at ", origin.url)), "{again}");
    assert_eq!(origin.ask(&["index", "--quiet"]).ended_with(0).stderr, "");
    // Another default branch is followed, even one that could not be beside the old one.
    Git::at(&origin.place()).run(&["checkout", "--quiet", "--detach"]);
    Git::at(&origin.place()).run(&["branch", "--quiet", "--delete", "--force", "main"]);
    Git::at(&origin.place()).run(&["checkout", "--quiet", "-b", "main/next"]);
    assert!(origin.ask(&["index"]).ended_with(0).stderr.contains(": main/next at "));
    assert!(origin.ask(&["branches"]).found().starts_with("* main/next  "));
}

#[test]
fn a_remote_that_is_gone_leaves_what_was_fetched() {
    let origin = Origin::new();
    origin.ask(&["index"]).ended_with(0);
    origin.remove();
    let answer = origin.ask(&["index"]).ended_with(0);
    assert!(answer.stderr.contains("does not appear to be a git repository; using main at "), "{}", answer.stderr);
    assert!(origin.ask(&["locate", "total_price"]).found().contains("cart.py:1-3"));
}

#[test]
fn branches_and_names() {
    let origin = Origin::new();
    Git::at(&origin.place()).run(&["checkout", "--quiet", "-b", "next"]);
    write_fixture(&origin.place(), "//- /next.py\ndef only_next():\n    return 1\n");
    origin.commit();
    Git::at(&origin.place()).run(&["checkout", "--quiet", "main"]);
    let next = format!("{}#next", origin.url);
    let found = origin.json(&["search", "total_price", "-w", &origin.url, "-w", &next]);
    assert_eq!(repositories(&found), ["git/shop", "next/shop"], "{found}");
    assert!(origin.run(&["locate", "only_next", "-w", &next]).found().contains("next.py:1"));
    origin.ask(&["locate", "only_next"]).ended_with(1);
    assert_eq!(origin.clones().0.len(), 2);
}

#[test]
fn a_url_among_directories_and_in_groups() {
    let origin = Origin::new();
    origin.workspace.write("bank.py", "def total_price(transfer):\n    return transfer.amount\n");
    let both = ["--workspace", &origin.url, "--workspace", "."];
    let found = origin.json(&[&["search", "total_price"], &both[..]].concat());
    let mut names = repositories(&found);
    names.sort();
    assert_eq!(names, ["shop", "workspace"], "{found}");
    assert_eq!(origin.json(&["search", "total_price", "-w", "@all"])["results"], found["results"]);
    assert_eq!(origin.json(&["search", "total_price", "--all"])["results"], found["results"]);
    let one = origin.run(&[&["status"], &both[..]].concat()).ended_with(2).stderr;
    assert!(one.contains("about one workspace"), "{one}");
}

#[test]
fn what_is_refused() {
    let origin = Origin::new();
    let refused = |url: &str| {
        let error = origin.run(&["search", "price", "-w", url]).ended_with(2).stderr;
        assert_eq!(origin.clones().0, [] as [PathBuf; 0], "{url}");
        error
    };
    for (url, reason) in [
        ("http://example.com/a/b", "the scheme http is not allowed"),
        ("ftp://example.com/a/b", "its scheme is not https, ssh, http or file"),
        ("https://example.com/../b", "a part that is . or .."),
        ("https://127.0.0.1/a/b", "an address of this machine or of a private network"),
        ("git@169.254.169.254:a/b", "an address of this machine or of a private network"),
    ] {
        let error = refused(url);
        assert!(error.contains(reason) && error.contains("\nhelp: "), "{url}: {error}");
    }
    for url in ["https://me:hunter2@example.com/a/b", "https://hunter2@example.com/a", "me:hunter2@example.com:a/b"] {
        let error = refused(url);
        assert!(error.contains("is refused") && !error.contains("hunter2"), "{error}");
    }
    origin.settings("hosts = [\"*.example.com\"]");
    assert!(refused("https://example.org/a/b").contains("the host example.org is not allowed"));
    let error = refused(&origin.url);
    assert!(error.contains("the scheme file is not allowed") && error.contains("`schemes`"), "{error}");
    // A repository does not say what may be cloned.
    origin.workspace.write(".codecompass/config.toml", "[clone]\nschemes = [\"file\"]\n");
    let error = origin.run(&["search", "price"]).ended_with(2).stderr;
    assert!(error.contains("clone.schemes is not for a repository to say"), "{error}");
    origin.settings("schemes = [\"file\"]\nmax_mb = 1");
    let noise: Vec<u8> = (0..500_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    fs::write(origin.place().join("noise"), noise).unwrap();
    origin.commit();
    origin.workspace.remove(".codecompass/config.toml");
    let error = refused(&origin.url);
    assert!(error.contains("is larger than 1048576 bytes") && error.contains("`max_mb`"), "{error}");
}

#[test]
fn many_processes_make_one_clone() {
    let origin = Origin::new();
    let args = ["search", "prices of a cart", "--workspace", &origin.url];
    let asked: Vec<_> = (0..4).map(|_| origin.workspace.command(PROGRAM, &args).spawn().unwrap()).collect();
    let answers: Vec<Answer> = asked.into_iter().map(|child| Answer::wait_for(child).ended_with(0)).collect();
    let cloned = answers.iter().filter(|answer| answer.stderr.contains("codecompass: cloning ")).count();
    assert_eq!(cloned, 1, "{answers:?}");
    assert!(answers.iter().all(|answer| answer.stdout == answers[0].stdout));
}

/// A git that never ends goes with the process that started it.
#[cfg(unix)]
#[test]
fn a_request_to_end_ends_git() {
    use std::os::unix::fs::PermissionsExt as _;

    use crate::watch::signal;
    let origin = Origin::new();
    let (bin, started) = (origin.workspace.beside("bin"), origin.workspace.beside("started"));
    fs::create_dir(&bin).unwrap();
    fs::write(
        bin.join("git"),
        format!("#!/bin/sh\necho $$ > {0}.new\nmv {0}.new {0}\nexec sleep 600\n", started.display()),
    )
    .unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = origin.workspace.command(PROGRAM, &["search", "prices", "--workspace", &origin.url]);
    let child = command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).spawn().unwrap();
    until("git runs", || started.exists());
    signal(child.id(), "TERM");
    let error = Answer::wait_for(child).ended_with(2).stderr;
    assert!(error.contains("cancelled"), "{error}");
    let git = fs::read_to_string(&started).unwrap();
    assert!(!PathBuf::from(format!("/proc/{}/cmdline", git.trim())).exists(), "git is gone");
    assert_eq!(origin.clones().0, [] as [PathBuf; 0]);
}

/// A killed process leaves a folder without a record.
#[test]
fn what_a_killed_clone_left_is_not_believed() {
    let origin = Origin::new();
    origin.ask(&["search", "prices"]).ended_with(0);
    let clone = origin.clones().0.remove(0);
    fs::remove_file(clone.join("clone.json")).unwrap();
    let again = origin.ask(&["search", "prices"]).ended_with(0);
    assert!(again.stderr.contains("codecompass: cloning "), "{}", again.stderr);
    // Nor is one that was moved with the data directory: it has objects of the old place.
    fs::write(clone.join("at/git/shop/objects/info/alternates"), "/no/such/place\n").unwrap();
    origin.ask(&["search", "prices"]).ended_with(0);
    fs::remove_file(clone.join("clone.json")).unwrap();
    origin.run(&["gc", "--all"]).ended_with(0);
    assert_eq!(origin.clones(), (Vec::new(), vec![clone.with_extension("lock")]));
}

#[test]
fn clones_are_listed_and_removed() {
    let origin = Origin::new();
    origin.ask(&["index"]).ended_with(0);
    let listed = origin.json(&["workspaces"]);
    assert_eq!(listed["stores"][0]["url"], origin.url.as_str(), "{listed}");
    assert!(origin.run(&["workspaces"]).found().contains(&format!("clone of {}\n", origin.url)));
    // One that was not asked about is as old as its record.
    let next = format!("{}#main", origin.url);
    origin.run(&["config", "show", "--workspace", &next]).ended_with(0);
    assert_eq!(origin.json(&["gc", "--all"])["removed_clones"], Value::Array(Vec::new()));
    for clone in origin.clones().0 {
        let record = fs::File::options().write(true).open(clone.join("clone.json")).unwrap();
        record.set_modified(SystemTime::now() - Duration::from_secs(15 * 86_400)).unwrap();
    }
    assert_eq!(origin.json(&["gc"])["removed_clones"], Value::Array(Vec::new()), "only with --all");
    let removed = origin.json(&["gc", "--all"]);
    assert_eq!(removed["removed_clones"], Value::Array(vec![next.into()]), "the other was asked about today");
    assert_eq!(origin.clones().0.len(), 1);
    // Who deletes the folder that is listed wants neither the rest of the clone nor its index.
    fs::remove_dir_all(listed["stores"][0]["identity"].as_str().unwrap()).unwrap();
    let removed = origin.json(&["gc", "--all"]);
    assert_eq!(removed["removed_stores"].as_array().unwrap().len(), 1, "{removed}");
    assert_eq!(origin.clones().0, [] as [PathBuf; 0]);
    assert!(!origin.run(&["workspaces"]).stdout.contains("clone of"));
}

#[test]
fn a_clone_shares_the_index_of_a_checkout() {
    let origin = Origin::new();
    let place = origin.place();
    let checkout = place.to_str().unwrap();
    origin.run(&["index", "--workspace", checkout]).ended_with(0);
    let first = origin.ask(&["search", "prices of a cart"]).ended_with(0);
    assert!(first.stderr.contains(&format!("shares the index of {checkout}")), "{}", first.stderr);
    let known = origin.json(&["workspaces"]);
    assert_eq!(known["stores"].as_array().unwrap().len(), 1, "{known}");
    assert_eq!(known["stores"][0]["shared_by"][0]["url"], origin.url);
    assert!(origin.run(&["workspaces"]).found().contains(&format!("clone of {}", origin.url)));
    // Two repositories of the same name; each is asked.
    assert_eq!(repositories(&origin.json(&["locate", "total_price", "--all"])).len(), 2);
    // While the index is in use, so is the clone.
    let long_ago = SystemTime::now() - Duration::from_secs(400 * 24 * 3600);
    let clone = origin.clones().0[0].clone();
    let record = fs::File::options().write(true).open(clone.join("clone.json")).unwrap();
    record.set_modified(long_ago).unwrap();
    let collected = origin.json(&["gc", "--all", "--workspace", checkout]);
    assert_eq!(collected["removed_clones"].as_array().unwrap().len(), 0, "{collected}");
    // The index outlives the clone.
    fs::remove_dir_all(&clone).unwrap();
    let collected = origin.json(&["gc", "--all", "--workspace", checkout]);
    assert_eq!(collected["removed_stores"].as_array().unwrap().len(), 0, "{collected}");
    let known = origin.json(&["workspaces"]);
    assert_eq!(known["stores"][0]["shared_by"], Value::Null, "{known}");
    assert!(origin.run(&["locate", "total_price", "--workspace", checkout]).found().contains("cart.py"));
}
