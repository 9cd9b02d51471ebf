//! Every setting in every layer, and what a repository may not say.

use codecompass_engine::config::{RoleFactors, SearchConfig, SemanticMode};
use codecompass_engine::embed::Secret;
use codecompass_engine::embed::remote::{EmbeddingProvider, RerankProvider};
use codecompass_engine::model::Role;
use codecompass_engine::weights::TUNABLES;

use super::layers::load;
use super::table::SETTINGS;
use super::value::Kind;
use super::{Homes, Profile, Settings};
use crate::error::AppError;

/// Settings from the text of the user's file, of the repository's, and variables.
fn read(user: &str, own: &str, variables: &[(&str, &str)]) -> Result<Settings, AppError> {
    let dir = tempfile::tempdir().unwrap();
    let root = dunce::canonicalize(dir.path()).unwrap().join("root");
    std::fs::create_dir_all(root.join(".codecompass")).unwrap();
    std::fs::write(dir.path().join("config.toml"), user).unwrap();
    std::fs::write(root.join(".codecompass/config.toml"), own).unwrap();
    let homes = Homes { data: dir.path().to_path_buf(), config_file: dir.path().join("config.toml") };
    let variable = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
    load(&homes, &root, &variable).map(|layers| layers.settings)
}

fn of_user(text: &str) -> Result<Settings, AppError> {
    read(text, "", &[])
}

/// A value that is right, as TOML and as a variable, and one that is wrong.
fn samples(kind: &Kind) -> [String; 3] {
    match kind {
        Kind::Number(range, _) => [range.end().to_string(), range.start().to_string(), (range.end() + 1).to_string()],
        Kind::Share(_) => ["0.25".into(), "1".into(), "1.01".into()],
        Kind::Weight(weight, _) => {
            let (low, high) = weight.range;
            [high.to_string(), low.to_string(), (high + 0.01).to_string()]
        }
        Kind::Factors(..) => ["{ src = 1.2 }".into(), "src=1.2, /lib=2".into(), "{ src = 11 }".into()],
        Kind::Word(words, _) => [format!("\"{}\"", words[1]), words[0].to_string(), "\"nonsense\"".into()],
        Kind::Switch(_) => ["true".into(), "false".into(), "1".into()],
        Kind::Paths(_) => ["[\"api/**/*.ts\", \"gen\"]".into(), "api, *.g.py".into(), "[\"a[\"]".into()],
        Kind::List(_) => ["[\"some\", \"other\"]".into(), "some, other".into(), "[\"two\\nlines\"]".into()],
        Kind::Text(_) => ["\"some\"".into(), "some".into(), "\"two\\nlines\"".into()],
    }
}

#[test]
fn every_setting_is_taken_and_checked() {
    for setting in SETTINGS {
        let [right, variable, wrong] = samples(&setting.kind);
        let file = |value: &str| format!("[{}]\n{} = {value}\n", setting.section, setting.key);
        of_user(&file(&right)).unwrap();
        let error = of_user(&file(&wrong)).unwrap_err();
        assert!(error.message.contains(&format!("{} is not ", setting.name())), "{}", error.message);
        read("", "", &[(&setting.variable(), &variable)]).unwrap();
        let error = read("", "", &[(&setting.variable(), "a\nb")]).unwrap_err();
        assert!(error.message.starts_with(&format!("{} is not ", setting.variable())), "{}", error.message);
    }
    let mut variables: Vec<String> = SETTINGS.iter().map(|setting| setting.variable()).collect();
    variables.sort();
    variables.dedup();
    assert_eq!(variables.len(), SETTINGS.len());
}

/// The value of a row, read with the row's own getter, is what a file says.
#[test]
fn every_setting_is_shown_as_it_was_set() {
    for setting in SETTINGS {
        let [right, ..] = samples(&setting.kind);
        let text = format!("[{}]\n{} = {right}\n", setting.section, setting.key);
        let written: toml::Table = format!("value = {right}").parse().unwrap();
        let written = serde_json::to_value(&written["value"]).unwrap();
        let shown = (setting.get)(&of_user(&text).unwrap());
        let is_same = shown == written || shown.as_f64().is_some_and(|number| Some(number) == written.as_f64());
        assert!(is_same, "{}: {shown} is not {written}", setting.name());
    }
}

#[test]
fn values_arrive() {
    let settings = of_user(
        r#"
        [index]
        threads = 3
        generated = ["api/**/*.ts", "./out/"]
        [workspaces]
        groups = ["shop=/a", "shop=/b"]
        [clone]
        schemes = ["https", "file"]
        hosts = ["*.example.com"]
        allow_private_addresses = true
        max_mb = 3
        max_seconds = 7
        [remote]
        url = "s3://team/index"
        endpoint = "http://localhost:8333"
        region = "eu-west-1"
        path_style = true
        public_key = "key"
        auto_pull = false
        auto_pull_seconds = 5
        concurrency = 3
        [history]
        max_commits = 5000
        background = false
        [semantic]
        mode = "rerank_only"
        ratio = 0.3
        lexical_short_circuit_threshold = 1
        confidence_threshold = 0.25
        profile_advisor_mode = "suggest"
        external_provider_enabled = true
        allow_code_payload_to_external = true
        redact_secrets = false
        [semantic.embedding]
        profile = "external"
        provider = "openai"
        model = "text-embedding-3-small"
        model_version = "2"
        dimensions = 512
        batch_size = 8
        concurrency = 4
        max_text_bytes = 900
        base_url = "http://localhost:11434/v1"
        timeout_ms = 700
        [semantic.rerank]
        provider = "cohere"
        model = "m"
        project = "p"
        base_url = "http://localhost:1/v2"
        timeout_ms = 100
        [semantic.overrides.symbol]
        ratio = 0.1
        [semantic.overrides.path]
        ratio = 0.2
        [semantic.overrides.error]
        ratio = 0.3
        [semantic.overrides.natural_language]
        ratio = 0.4
        "#,
    )
    .unwrap();
    let generated = &settings.engine.index.generated;
    assert_eq!(["api/v1/a.ts", "out/x/b.py", "out.py"].map(|path| generated.matches(path)), [true, true, false]);
    assert_eq!(settings.engine.index.threads, 3);
    assert_eq!(settings.groups, ["shop=/a", "shop=/b"]);
    let clones = &settings.clones;
    assert_eq!(
        (&clones.schemes[..], &clones.hosts[..]),
        (&["https", "file"].map(String::from)[..], &["*.example.com".into()][..])
    );
    assert_eq!((clones.allow_private_addresses, clones.max_bytes, clones.max_seconds), (true, 3 << 20, 7));
    let remote = &settings.remote;
    assert_eq!(remote.url.as_deref(), Some("s3://team/index"));
    assert_eq!(remote.endpoint.as_deref(), Some("http://localhost:8333"));
    assert_eq!((remote.region.as_deref(), remote.path_style), (Some("eu-west-1"), Some(true)));
    assert_eq!((remote.public_key.as_deref(), remote.auto_pull), (Some("key"), false));
    assert_eq!((remote.auto_pull_seconds, remote.concurrency), (5, 3));
    assert_eq!((settings.engine.history.max_commits, settings.engine.history.background), (5000, false));
    let semantic = &settings.engine.semantic;
    assert_eq!((semantic.mode, semantic.ratio), (SemanticMode::RerankOnly, 0.3));
    assert_eq!((semantic.lexical_short_circuit_threshold, semantic.confidence_threshold), (1.0, 0.25));
    let overrides = &semantic.overrides;
    assert_eq!([overrides.symbol, overrides.path, overrides.error, overrides.natural_language], [0.1, 0.2, 0.3, 0.4]);
    let providers = &settings.providers;
    assert!(providers.may_leave() && providers.gives_advice && !providers.redact_secrets);
    assert_eq!(settings.reach()[..6], [true; 6]);
    let embedding = &providers.embedding;
    assert_eq!((embedding.profile, embedding.provider), (Profile::External, Some(EmbeddingProvider::OpenAi)));
    assert_eq!(embedding.model.as_deref(), Some("text-embedding-3-small"));
    assert_eq!((embedding.model_version.as_deref(), embedding.dimensions), (Some("2"), Some(512)));
    assert_eq!((embedding.batch_size, embedding.timeout_ms), (8, 700));
    assert_eq!((embedding.concurrency, embedding.max_text_bytes), (4, Some(900)));
    assert_eq!(embedding.base_url.as_deref(), Some("http://localhost:11434/v1"));
    let rerank = &providers.rerank;
    assert_eq!((rerank.provider, rerank.timeout_ms), (Some(RerankProvider::Cohere), 100));
    assert_eq!(rerank.project.as_deref(), Some("p"));
    assert_eq!((rerank.model.as_deref(), rerank.base_url.as_deref()), (Some("m"), Some("http://localhost:1/v2")));
}

#[test]
fn later_layers_win() {
    let user = "[semantic]\nratio = 0.1\nconfidence_threshold = 0.1\nmode = \"off\"\n";
    let own = "[semantic]\nratio = 0.2\nconfidence_threshold = 0.2\n";
    let semantic = read(user, own, &[("CODECOMPASS_SEMANTIC_RATIO", " 0.3 ")]).unwrap().engine.semantic;
    assert_eq!((semantic.ratio, semantic.confidence_threshold, semantic.mode), (0.3, 0.2, SemanticMode::Off));
    let profile = read("", "", &[("CODECOMPASS_SEMANTIC_EMBEDDING_PROFILE", "external")]).unwrap();
    assert_eq!(profile.providers.embedding.profile, Profile::External);
    let nested = read("", "", &[("CODECOMPASS_SEMANTIC_OVERRIDES_NATURAL_LANGUAGE_RATIO", "0")]).unwrap();
    assert_eq!(nested.engine.semantic.overrides.natural_language, 0.0);
}

#[test]
fn weights_arrive_from_every_layer() {
    let user = "[search]\nlocal_rerank_phrase_boost = 1\nlexical_fanout_multiplier = 2.5\n\
                path_factors = { src = 1.2, \"a/b\" = 0.5 }\n[search.role_factors]\ntest = 0.4\n";
    let own = "[search]\nlexical_fanout_multiplier = 3\n[search.path_factors]\ncore = 2\n";
    let search = of_user(user).unwrap().engine.search;
    assert_eq!((search.local_rerank_phrase_boost, search.lexical_fanout_multiplier), (1.0, 2.5));
    let factors = |search: &SearchConfig| -> Vec<(String, f64)> {
        search.path_factors.iter().map(|path| (path.path.clone(), path.factor)).collect()
    };
    let mut paths = factors(&search);
    paths.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(paths, [("a/b".to_string(), 0.5), ("src".to_string(), 1.2)]);
    assert_eq!(search.role_factors, RoleFactors { test: 0.4, ..RoleFactors::default() });
    let search = read(user, own, &[]).unwrap().engine.search;
    assert_eq!((search.lexical_fanout_multiplier, factors(&search)), (3.0, vec![("core".to_string(), 2.0)]));
    let variables = [("CODECOMPASS_SEARCH_PATH_FACTORS", "lib=1.5,"), ("CODECOMPASS_SEARCH_ROLE_FACTORS_DOCS", "2")];
    let search = read(user, own, &variables).unwrap().engine.search;
    assert_eq!((factors(&search), search.role_factors.docs), (vec![("lib".to_string(), 1.5)], 2.0));
    assert_eq!(of_user("").unwrap().engine.search, SearchConfig::default());
}

#[test]
fn weights_out_of_range_are_refused() {
    let message = |text: &str| of_user(text).unwrap_err().message;
    let multiplier = message("[search]\nsemantic_limit_multiplier = 0\n");
    assert!(multiplier.ends_with("search.semantic_limit_multiplier is not a number from 0.1 to 10"), "{multiplier}");
    let role = message("[search.role_factors]\ntest = -1\n");
    assert!(role.ends_with("search.role_factors.test is not a number from 0.1 to 10"), "{role}");
    for wrong in ["3", "\"src\"", "{ src = 0 }", "{ src = \"a\" }", "{ \"/\" = 2 }", "{ src = nan }"] {
        let path = message(&format!("[search]\npath_factors = {wrong}\n"));
        let wanted = "search.path_factors is not a table of paths with numbers from 0.1 to 10, such as { src = 1.2 }";
        assert!(path.ends_with(wanted), "{path}");
    }
    for wrong in ["src", "src=", "=2", "src=2;lib=2", "src=11"] {
        assert!(read("", "", &[("CODECOMPASS_SEARCH_PATH_FACTORS", wrong)]).is_err(), "{wrong}");
    }
    let hint = of_user("[search.role_factors]\ntests = 2\n").unwrap_err().remediation.for_cli();
    assert_eq!(hint, "did you mean `search.role_factors.test`?");
}

#[test]
fn the_table_of_weights_and_the_settings_agree() {
    let mut rows = Vec::new();
    for setting in SETTINGS.iter().filter(|setting| setting.section.starts_with("search")) {
        match setting.kind {
            Kind::Weight(weight, _) if setting.section == "search.role_factors" => {
                assert_eq!(weight.setting, "role_factors.ROLE");
            }
            Kind::Weight(weight, _) | Kind::Factors(weight, _) => {
                assert_eq!(weight.setting, setting.key);
                rows.push(weight.setting);
            }
            _ => panic!("{} is no weight", setting.name()),
        }
    }
    rows.push("role_factors.ROLE");
    rows.sort_unstable();
    let mut table: Vec<&str> = TUNABLES.iter().map(|tunable| tunable.setting).collect();
    table.sort_unstable();
    assert_eq!(rows, table);
    let roles = SETTINGS.iter().filter(|setting| setting.section == "search.role_factors").map(|setting| setting.key);
    assert_eq!(Vec::from_iter(roles), Role::ALL.map(Role::as_str));
}

#[test]
fn nothing_external_is_usual() {
    let settings = of_user("").unwrap();
    assert!(!settings.providers.external_provider_enabled && !settings.providers.allow_code_payload_to_external);
    assert!(settings.providers.asked_for().is_empty() && !settings.providers.gives_advice);
    assert!(settings.providers.redact_secrets && settings.providers.detected.is_empty());
}

#[test]
fn near_misses_are_told() {
    let hint = |text: &str| of_user(text).unwrap_err().remediation.for_cli();
    assert_eq!(hint("[index]\nthread = 3\n"), "did you mean `index.threads`?");
    assert_eq!(hint("[semantic]\nmod = \"off\"\n"), "did you mean `semantic.mode`?");
    assert_eq!(hint("[semantic.embeding]\nmodel = \"a\"\n"), "did you mean `semantic.embedding`?");
    assert_eq!(hint("[semantic.embedding]\nbase-url = \"a\"\n"), "did you mean `semantic.embedding.base_url`?");
    assert_eq!(hint("[semantic.overrides.paths]\nratio = 0\n"), "did you mean `semantic.overrides.path`?");
    assert_eq!(hint("[semantics]\n"), "did you mean `semantic`?");
    assert_eq!(hint("[idnex]\n"), "did you mean `index`?");
    let sections = hint("[output]\nlimit = 3\n");
    assert!(
        sections.starts_with("known sections are clone, cluster, freshness, history, index, ")
            && sections.contains(", watch"),
        "{sections}"
    );
    assert!(hint("[semantic.overrides]\nsomething = 0.5\n").starts_with("known settings are "));
    assert_eq!(hint("semantic = 1\n"), "write [semantic] and its settings below");
    assert!(hint("[semantic.embedding]\napi_key = \"a\"\n").contains("CODECOMPASS_EMBEDDING_API_KEY"));
    assert!(of_user("[index\n").is_err());
}

#[test]
fn a_repository_switches_nothing_external_on() {
    for (refused, allowed) in [
        ("[semantic]\nexternal_provider_enabled = true", "[semantic]\nexternal_provider_enabled = false"),
        ("[semantic]\nallow_code_payload_to_external = true", "[semantic]\nallow_code_payload_to_external = false"),
        ("[semantic.embedding]\nprofile = \"external\"", "[semantic.embedding]\nprofile = \"fast_local\""),
        ("[semantic.embedding]\nprofile = \"code_quality\"", "[semantic.embedding]\nbatch_size = 1"),
        ("[semantic.embedding]\nprovider = \"voyage\"", "[semantic.embedding]\nprovider = \"local\""),
        ("[semantic.embedding]\nbase_url = \"https://example.com\"", "[semantic.rerank]\ntimeout_ms = 10"),
        ("[semantic.embedding]\nmodel = \"a\"", "[semantic]\nmode = \"off\""),
        ("[semantic.embedding]\nmodel_version = \"a\"", "[semantic]\nmode = \"hybrid\""),
        ("[semantic.embedding]\nmax_text_bytes = 500", "[semantic.embedding]\nconcurrency = 1"),
        ("[semantic.embedding]\ndimensions = 8", "[semantic.overrides.symbol]\nratio = 0.5"),
        ("[semantic.rerank]\nprovider = \"cohere\"", "[semantic.rerank]\nprovider = \"none\""),
        ("[semantic.rerank]\nbase_url = \"https://example.com\"", "[semantic]\nprofile_advisor_mode = \"suggest\""),
        ("[semantic.rerank]\nmodel = \"a\"", "[index]\nthreads = 1"),
        ("[semantic.rerank]\nproject = \"a\"", "[index]\nthreads = 2"),
        ("[semantic]\nredact_secrets = false", "[semantic]\nratio = 0.1"),
        ("[history]\nbackground = true", "[history]\nbackground = false"),
        ("[semantic.embedding]\nprofile = \"high_quality\"", "[semantic.embedding]\ntimeout_ms = 1"),
    ] {
        let error = read("", refused, &[]).unwrap_err();
        assert!(error.message.contains("repository"), "{}", error.message);
        assert!(error.remediation.for_cli().contains("own config.toml"), "{:?}", error.remediation);
        assert!(!error.message.contains("example.com"));
        read("", allowed, &[]).unwrap();
        of_user(refused).unwrap();
    }
}

#[test]
fn the_server_is_the_users_alone() {
    let user =
        "[server]\ntools = [\"all\"]\nbind = \"127.0.0.1:1\"\nallowed_roots = [\"/a\", \"/b\"]\nmax_workspaces = 3\n";
    let server = of_user(user).unwrap().server;
    assert_eq!(
        (server.tools, server.bind.as_str(), server.max_workspaces),
        (vec!["all".to_string()], "127.0.0.1:1", 3)
    );
    assert_eq!(server.allowed_roots, ["/a", "/b"]);
    let variable = ("CODECOMPASS_SERVER_ALLOWED_ROOTS", " /c ,/d,");
    assert_eq!(read(user, "", &[variable]).unwrap().server.allowed_roots, ["/c", "/d"]);
    for setting in SETTINGS.iter().filter(|setting| matches!(setting.section, "server" | "clone")) {
        let [right, ..] = samples(&setting.kind);
        let error = read("", &format!("[{}]\n{} = {right}\n", setting.section, setting.key), &[]).unwrap_err();
        assert!(error.message.contains("is not for a repository to say"), "{}", error.message);
    }
    assert!(of_user("").unwrap().server.savings && !of_user("[savings]\nenabled = false\n").unwrap().server.savings);
    assert!(read("", "[savings]\nenabled = false\n", &[]).is_err());
    // A token would be a key in a file that is easily shown around.
    assert!(of_user("[server]\ntoken = \"secret\"\n").is_err());
}

#[test]
fn a_repository_does_not_undo_an_off() {
    let user = "[semantic]\nmode = \"off\"\nexternal_provider_enabled = true\nallow_code_payload_to_external = true\n\
                [semantic.rerank]\nprovider = \"voyage\"\n";
    let error = read(user, "[semantic]\nmode = \"hybrid\"\n", &[]).unwrap_err();
    assert!(error.message.contains("would make more leave this machine"), "{}", error.message);
    assert!(read(user, "", &[("CODECOMPASS_SEMANTIC_MODE", "hybrid")]).unwrap().reach()[5]);
    // Without a provider, or with a switch off, it is the repository's business.
    read("[semantic]\nmode = \"off\"\n", "[semantic]\nmode = \"hybrid\"\n", &[]).unwrap();
    let on = user.replace("mode = \"off\"", "mode = \"hybrid\"");
    assert_eq!(read(&on, "[semantic]\nexternal_provider_enabled = false\n", &[]).unwrap().reach(), [false; 7]);
    // Names are not sent because a repository would like that, but more of what is sent anyway may
    // count.
    let vectors = on.replace("[semantic.rerank]\nprovider", "[semantic.embedding]\nprofile = \"external\"\nprovider");
    assert!(read(&vectors, "[semantic.overrides.symbol]\nratio = 0.1\n", &[]).is_err());
    assert!(read(&vectors, "[semantic]\nratio = 0.9\n", &[]).is_ok());
    let without = vectors.replace("mode = \"hybrid\"", "ratio = 0.0");
    assert!(read(&without, "[semantic]\nratio = 0.9\n", &[]).is_err());
}

#[test]
fn keys_are_never_shown() {
    let variables = [("CODECOMPASS_EMBEDDING_API_KEY", "abc123"), ("CODECOMPASS_RERANK_API_KEY", "def456")];
    let settings = read("", "", &variables).unwrap();
    assert!(settings.providers.embedding.key.is_some() && settings.providers.rerank.key.is_some());
    let shown = format!("{settings:?}");
    assert!(!shown.contains("abc123") && !shown.contains("def456"));
    assert!(read("", "", &[("CODECOMPASS_EMBEDDING_API_KEY", " ")]).unwrap().providers.embedding.key.is_none());
}

#[test]
fn keys_of_other_tools_are_used_where_they_belong() {
    let variables = [("OPENAI_API_KEY", "abc123"), ("NOMIC_API_KEY", "def456"), ("OLLAMA_HOST", "0.0.0.0:11434")];
    let key = |text: &str, more: &[(&str, &str)]| {
        let settings = read(text, "", &[&variables, more].concat()).unwrap();
        assert!(!format!("{settings:?}").contains("abc123"));
        settings.providers.embedding.key
    };
    let section = "[semantic.embedding]\nprovider = ";
    assert_eq!(key("", &[]), None);
    assert_eq!(key(&format!("{section}\"nomic\""), &[]), Some(Secret::new("def456")));
    assert_eq!(key(&format!("{section}\"openai\""), &[]), Some(Secret::new("abc123")));
    assert_eq!(key(&format!("{section}\"voyage\""), &[]), None);
    let own = ("CODECOMPASS_EMBEDDING_API_KEY", "ghi789");
    assert_eq!(key(&format!("{section}\"openai\""), &[own]), Some(Secret::new("ghi789")));
    // Another address is not the one that the key is for.
    assert_eq!(key(&format!("{section}\"openai\"\nbase_url = \"https://example.com/v1\""), &[]), None);
    let settings = read("", "", &variables).unwrap();
    let detected: Vec<&str> = settings.providers.detected.iter().map(|detected| detected.variable).collect();
    assert_eq!(detected, ["OLLAMA_HOST", "OPENAI_API_KEY", "NOMIC_API_KEY"]);
    assert!(settings.providers.asked_for().is_empty() && !settings.providers.may_leave());
}

#[cfg(unix)]
#[test]
fn variables_that_are_no_text_are_wrong() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let dir = tempfile::tempdir().unwrap();
    let homes = Homes { data: dir.path().to_path_buf(), config_file: dir.path().join("config.toml") };
    for setting in SETTINGS {
        let bad = |name: &str| (name == setting.variable()).then(|| OsString::from_vec(vec![0xff, 0x31]));
        assert!(load(&homes, dir.path(), &bad).is_err(), "{}", setting.name());
    }
}
