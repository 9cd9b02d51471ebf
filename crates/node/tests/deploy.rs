//! The files of `deploy/` hang together: names lead somewhere, and nothing runs as root, without
//! limits or in an unknown version.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use saphyr::{LoadableYamlNode, Yaml};

/// The port that nodes listen on.
const PORT: i64 = 4870;
/// Variables that a node knows.
const VARIABLES: [&str; 11] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "CODECOMPASS_CLUSTER_CACHE",
    "CODECOMPASS_CLUSTER_CACHE_MIB",
    "CODECOMPASS_CLUSTER_DATABASE",
    "CODECOMPASS_CLUSTER_ENDPOINT",
    "CODECOMPASS_CLUSTER_OBJECTS",
    "CODECOMPASS_CLUSTER_PATH_STYLE",
    "CODECOMPASS_CLUSTER_REGION",
    "CODECOMPASS_HOME",
    "PGPASSWORD",
];
/// Variables with a secret.
const SECRETS: [&str; 3] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD"];

/// A value in a YAML file, and its place for messages.
#[derive(Clone)]
struct Value {
    yaml: Yaml<'static>,
    place: String,
}

impl Value {
    /// Returns the value of a key, which may come from `<<`.
    fn find(&self, key: &str) -> Option<Value> {
        let own = self.yaml.as_mapping_get(key);
        let yaml = own.or_else(|| self.yaml.as_mapping_get("<<").and_then(|merged| merged.as_mapping_get(key)))?;
        Some(Value { yaml: yaml.clone(), place: format!("{}.{key}", self.place) })
    }

    /// Returns the value at the end of a path with dots, which must exist.
    #[track_caller]
    fn at(&self, path: &str) -> Value {
        let step = |value: Value, key: &str| value.find(key).unwrap_or_else(|| panic!("{} has no {key}", value.place));
        path.split('.').fold(self.clone(), step)
    }

    #[track_caller]
    fn text(&self) -> String {
        self.yaml.as_str().unwrap_or_else(|| panic!("{} is no text", self.place)).to_string()
    }

    #[track_caller]
    fn number(&self) -> i64 {
        self.yaml.as_integer().unwrap_or_else(|| panic!("{} is no number", self.place))
    }

    fn is_true(&self) -> bool {
        self.yaml.as_bool() == Some(true)
    }

    /// Returns the items of a list, which must be one.
    #[track_caller]
    fn items(&self) -> Vec<Value> {
        let items = self.yaml.as_sequence().unwrap_or_else(|| panic!("{} is no list", self.place));
        let item = |(number, yaml): (usize, &Yaml<'static>)| Value {
            yaml: yaml.clone(),
            place: format!("{}[{number}]", self.place),
        };
        items.iter().enumerate().map(item).collect()
    }

    fn texts(&self) -> Vec<String> {
        self.items().iter().map(Value::text).collect()
    }

    /// Returns the keys and values of a table, which must be one.
    #[track_caller]
    fn entries(&self) -> Vec<(String, Value)> {
        let table = self.yaml.as_mapping().unwrap_or_else(|| panic!("{} is no table", self.place));
        let keys = table.keys().map(|key| key.as_str().unwrap().to_string());
        keys.map(|key| (key.clone(), self.at_key(&key))).collect()
    }

    /// Returns the value of a key that may have dots.
    fn at_key(&self, key: &str) -> Value {
        self.find(key).unwrap()
    }

    /// Returns keys and texts of a table in the order of keys.
    #[track_caller]
    fn pairs(&self) -> BTreeSet<(String, String)> {
        self.entries().into_iter().map(|(key, value)| (key, value.text())).collect()
    }

    fn keys(&self) -> Vec<String> {
        self.entries().into_iter().map(|(key, _)| key).collect()
    }
}

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn documents(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap().to_string();
    let documents = Yaml::load_from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(!documents.is_empty(), "{name} is empty");
    documents.into_iter().map(|yaml| Value { yaml, place: name.clone() }).collect()
}

/// Returns all objects of Kubernetes below a folder.
fn objects(folder: &Path) -> Vec<Value> {
    let mut objects = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "yaml") {
            objects.extend(documents(&path));
        } else {
            assert!(path.is_dir(), "{} is no YAML", path.display());
        }
    }
    objects
}

#[track_caller]
fn of_kind(kind: &str) -> Vec<Value> {
    let found: Vec<Value> =
        objects(&deploy().join("kubernetes")).into_iter().filter(|object| object.at("kind").text() == kind).collect();
    assert!(!found.is_empty(), "there is no {kind}");
    found
}

fn node() -> Value {
    of_kind("StatefulSet")[0].at("spec.template.spec.containers").items().remove(0)
}

fn example_secret() -> Value {
    objects(&deploy().join("kubernetes/examples")).remove(0)
}

/// Asserts that an image names its version.
#[track_caller]
fn assert_version(image: &str) {
    let tag = image.rsplit('/').next().and_then(|name| name.split_once(':')).map(|(_, tag)| tag);
    assert!(tag.is_some_and(|tag| !tag.is_empty() && !tag.contains("latest")), "{image} names no version");
}

#[test]
fn every_object_has_a_name_and_a_namespace() {
    let mut seen = BTreeSet::new();
    for object in objects(&deploy().join("kubernetes")).into_iter().chain([example_secret()]) {
        let (kind, name) = (object.at("kind").text(), object.at("metadata.name").text());
        let group = match kind.as_str() {
            "StatefulSet" => "apps/v1",
            "CronJob" => "batch/v1",
            "PodDisruptionBudget" => "policy/v1",
            "NetworkPolicy" => "networking.k8s.io/v1",
            _ => "v1",
        };
        assert_eq!(object.at("apiVersion").text(), group, "{kind} {name}");
        if kind != "Namespace" {
            assert_eq!(
                object.at("metadata.namespace").text(),
                of_kind("Namespace")[0].at("metadata.name").text(),
                "{kind} {name}"
            );
        }
        assert!(seen.insert((kind.clone(), name.clone())), "{kind} {name} is there twice");
    }
}

#[test]
fn selectors_match_the_pods() {
    let set = of_kind("StatefulSet").remove(0);
    let labels = set.at("spec.template.metadata.labels").pairs();
    let mut selectors = vec![set.at("spec.selector.matchLabels")];
    selectors.extend(of_kind("Service").iter().map(|service| service.at("spec.selector")));
    selectors.extend(of_kind("PodDisruptionBudget").iter().map(|budget| budget.at("spec.selector.matchLabels")));
    selectors.extend(of_kind("NetworkPolicy").iter().map(|policy| policy.at("spec.podSelector.matchLabels")));
    let spread = set.at("spec.template.spec.topologySpreadConstraints").items();
    selectors.extend(spread.iter().map(|constraint| constraint.at("labelSelector.matchLabels")));
    for selector in selectors {
        let pairs = selector.pairs();
        assert!(!pairs.is_empty() && pairs.is_subset(&labels), "{} matches no pod", selector.place);
    }
    let policy = of_kind("NetworkPolicy").remove(0);
    let first = policy.at("spec.ingress").items()[0].at("from").items().remove(0);
    assert_eq!(first.at("podSelector.matchLabels").pairs(), labels, "nodes reach each other");
}

#[test]
fn ports_lead_to_the_node() {
    let ports = node().at("ports").items();
    assert_eq!(ports.iter().map(|port| port.at("containerPort").number()).collect::<Vec<_>>(), [PORT]);
    let names: Vec<String> = ports.iter().map(|port| port.at("name").text()).collect();
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        let request = node().at(probe).at("httpGet");
        assert!(names.contains(&request.at("port").text()), "{probe}");
        assert_eq!(request.at("path").text(), "/health");
    }
    for service in of_kind("Service") {
        for port in service.at("spec.ports").items() {
            assert!(names.contains(&port.at("targetPort").text()), "{}", port.place);
        }
    }
    for rule in of_kind("NetworkPolicy")[0].at("spec.ingress").items() {
        assert!(rule.find("from").is_some(), "{} lets everything in", rule.place);
        assert!(rule.at("ports").items().iter().all(|port| port.at("port").number() == PORT), "{}", rule.place);
    }
    let arguments = node().at("args").texts();
    assert_eq!(arguments, ["serve", "--bind", "0.0.0.0:4870", "--address", "http://$(POD_NAME).codecompass:4870"]);
}

#[test]
fn nodes_find_each_other_by_name() {
    let set = of_kind("StatefulSet").remove(0);
    let governing = set.at("spec.serviceName").text();
    let service =
        of_kind("Service").into_iter().find(|service| service.at("metadata.name").text() == governing).unwrap();
    assert_eq!(service.at("spec.clusterIP").text(), "None");
    assert!(service.at("spec.publishNotReadyAddresses").is_true());
    assert_eq!(service.at("spec.ports").items()[0].at("port").number(), PORT, "a name with a port leads to the pod");
}

#[test]
fn the_collection_is_no_node() {
    let job = of_kind("CronJob").remove(0);
    let pod = job.at("spec.jobTemplate.spec.template");
    let labels = pod.at("metadata.labels").pairs();
    for service in of_kind("Service") {
        assert!(!service.at("spec.selector").pairs().is_subset(&labels), "{} leads to it", service.place);
    }
    assert_eq!(job.at("spec.concurrencyPolicy").text(), "Forbid");
    let container = pod.at("spec.containers").items().remove(0);
    assert_eq!(container.at("args").texts(), ["gc"]);
    assert_eq!(container.at("image").text(), node().at("image").text());
    let sources = |container: &Value| -> Vec<_> {
        container.at("envFrom").items().iter().map(|source| source.entries()[0].1.at("name").text()).collect()
    };
    assert_eq!(sources(&container), sources(&node()));
    let volumes: Vec<String> = pod.at("spec.volumes").items().iter().map(|volume| volume.at("name").text()).collect();
    let mounts = container.at("volumeMounts").items();
    assert_eq!(mounts.iter().map(|mount| mount.at("name").text()).collect::<Vec<_>>(), volumes);
    assert_without_rights(&pod.at("spec"));
}

#[test]
fn nodes_run_without_rights_and_within_limits() {
    assert_without_rights(&of_kind("StatefulSet")[0].at("spec.template.spec"));
    for egress in of_kind("NetworkPolicy")[0].at("spec.egress").items() {
        assert!(egress.find("to").is_some() && egress.find("ports").is_some(), "{} lets everything out", egress.place);
    }
}

/// Asserts that a pod has no rights, and limits.
#[track_caller]
fn assert_without_rights(pod: &Value) {
    assert!(pod.at("securityContext.runAsNonRoot").is_true());
    assert!(pod.at("securityContext.runAsUser").number() > 0);
    assert_eq!(pod.at("securityContext.seccompProfile.type").text(), "RuntimeDefault");
    assert_eq!(pod.at("automountServiceAccountToken").yaml.as_bool(), Some(false));
    for container in pod.at("containers").items() {
        assert_version(&container.at("image").text());
        assert_eq!(container.at("securityContext.allowPrivilegeEscalation").yaml.as_bool(), Some(false));
        assert!(container.at("securityContext.readOnlyRootFilesystem").is_true());
        assert_eq!(container.at("securityContext.capabilities.drop").texts(), ["ALL"]);
        container.at("resources.requests.cpu").text();
        assert_ne!(container.at("resources.requests.memory").text(), "");
        assert_ne!(container.at("resources.limits.memory").text(), "");
    }
}

#[test]
fn volumes_are_mounted() {
    let set = of_kind("StatefulSet").remove(0);
    let mut volumes: BTreeSet<String> =
        set.at("spec.template.spec.volumes").items().iter().map(|volume| volume.at("name").text()).collect();
    volumes.extend(set.at("spec.volumeClaimTemplates").items().iter().map(|claim| claim.at("metadata.name").text()));
    let mounts = node().at("volumeMounts").items();
    let mounted: BTreeSet<String> = mounts.iter().map(|mount| mount.at("name").text()).collect();
    assert_eq!(volumes, mounted);
    let cache = mounts.iter().find(|mount| mount.at("name").text() == "cache").unwrap().at("mountPath").text();
    let map = of_kind("ConfigMap").remove(0);
    assert!(map.at("data.CODECOMPASS_CLUSTER_CACHE").text().starts_with(&format!("{cache}/")));
}

#[test]
fn variables_of_kubernetes_are_known_and_secrets_are_apart() {
    for source in node().at("envFrom").items() {
        let (kind, reference) = source.entries().remove(0);
        let name = reference.at("name").text();
        let target = match kind.as_str() {
            "configMapRef" => of_kind("ConfigMap").remove(0),
            "secretRef" => example_secret(),
            _ => panic!("{kind}"),
        };
        assert_eq!(target.at("metadata.name").text(), name);
    }
    let settings = of_kind("ConfigMap").remove(0).at("data");
    for (name, value) in settings.pairs() {
        assert!(VARIABLES.contains(&name.as_str()) && !SECRETS.contains(&name.as_str()), "{name}");
        assert!(!value.is_empty());
    }
    let secrets = example_secret().at("stringData").pairs();
    let names: Vec<&str> = secrets.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, SECRETS);
    assert!(secrets.iter().all(|(_, value)| value == "CHANGE-ME"), "an example has no real values");
    for variable in node().at("env").items() {
        let name = variable.at("name").text();
        assert!(name == "POD_NAME" || VARIABLES.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn services_of_the_compose_file_hang_together() {
    let file = documents(&deploy().join("compose.yaml")).remove(0);
    let services = file.at("services");
    let (names, volumes) = (services.keys(), file.at("volumes").keys());
    let mut mounted = BTreeSet::new();
    for (name, service) in services.entries() {
        assert_version(&service.at("image").text());
        service.at("mem_limit").text();
        service.at("cpus").number();
        if let Some(needed) = service.find("depends_on") {
            assert!(needed.keys().iter().all(|needed| names.contains(needed)), "{name}");
        }
        if let Some(mode) = service.find("network_mode") {
            assert!(names.contains(&mode.text().trim_start_matches("service:").to_string()), "{name}");
            assert!(service.find("ports").is_none(), "{name} has the ports of another service");
        }
        for volume in service.find("volumes").map(|volumes| volumes.texts()).unwrap_or_default() {
            assert!(mounted.insert(volume.split(':').next().unwrap().to_string()), "{volume} is mounted twice");
        }
    }
    assert_eq!(mounted, volumes.into_iter().collect());
}

#[test]
fn nodes_of_the_compose_file_are_alike() {
    let file = documents(&deploy().join("compose.yaml")).remove(0);
    let published = file.at("services.objects.ports").texts();
    let nodes: Vec<(String, Value)> =
        file.at("services").entries().into_iter().filter(|(name, _)| name.starts_with("node-")).collect();
    assert!(nodes.len() >= 2);
    for (number, (_, node)) in (PORT..).zip(&nodes) {
        let address = format!("http://127.0.0.1:{number}");
        assert_eq!(
            node.at("command").texts(),
            ["serve", "--bind", &format!("0.0.0.0:{number}"), "--address", &address]
        );
        assert!(published.contains(&format!("127.0.0.1:{number}:{number}")));
        let test = node.at("healthcheck.test").texts().pop().unwrap();
        assert!(test.contains(&format!("/127.0.0.1/{number} ")) && test.contains("GET /health "), "{test}");
        assert_eq!(node.at("user").text(), "10001:10001");
        assert!(node.at("read_only").is_true());
        assert_eq!(
            node.at("environment").keys().into_iter().collect::<BTreeSet<_>>(),
            VARIABLES.map(String::from).into()
        );
        for secret in SECRETS {
            let value = node.at("environment").at(secret).text();
            assert!(value.starts_with("${") && value.contains(":?"), "{secret} must come from outside");
        }
    }
}

#[test]
fn the_image_does_not_run_as_root() {
    let text = fs::read_to_string(deploy().join("Dockerfile")).unwrap();
    let lines = |word: &str| -> Vec<String> {
        let found = text.lines().filter_map(|line| line.strip_prefix(word)).map(|rest| rest.trim().to_string());
        found.collect()
    };
    for image in lines("FROM ") {
        assert_version(image.split(' ').next().unwrap());
    }
    let user = of_kind("StatefulSet")[0].at("spec.template.spec.securityContext.runAsUser").number();
    assert_eq!(lines("USER "), [format!("{user}:{user}")]);
    assert_eq!(lines("EXPOSE "), [PORT.to_string()]);
    let toolchain = fs::read_to_string(deploy().join("../Cargo.toml")).unwrap();
    let version =
        toolchain.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"').to_string();
    assert!(lines("FROM ")[0].starts_with(&format!("rust:{version}")), "the toolchain of the workspace");
    assert!(text.contains("cargo build --release --locked -p codecompass-node\n"));
}
