//! Projects of small repositories of every kind: members, dependencies, the files that belong to
//! each, and manifests that lead nowhere.

use std::fmt::Write as _;

use codecompass_engine::query::{self, Navigator, ProjectsOptions};
use codecompass_engine::{Config, Engine, NoProgress, Snapshot, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;
use expect_test::{Expect, expect};

fn ask<T>(text: &str, question: impl Fn(&Engine, &Snapshot) -> T) -> T {
    let workspace = TestWorkspace::plain(text);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let snapshot = engine.snapshot().unwrap().unwrap();
    question(&engine, &snapshot)
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&ask(text, |engine, snapshot| {
        let options = ProjectsOptions { limit: usize::MAX, ..ProjectsOptions::default() };
        let answer = query::projects(snapshot, engine.source(), &engine.config().index, &options).unwrap();
        let mut out = String::new();
        for project in &answer.projects.items {
            let workspace = project.workspace.as_deref().map(|it| format!(" of {it}")).unwrap_or_default();
            let (name, kind, folder, files) = (&project.name, project.kind, &project.folder, project.files);
            let _ = writeln!(
                out,
                "{kind} {name} '{folder}' {}:{}{workspace}, {files} files",
                project.manifest, project.line
            );
            for to in &project.dependencies {
                let _ = writeln!(out, "  -> {} '{}' {}:{}", to.name, to.folder, to.path, to.line);
            }
        }
        for problem in &answer.problems {
            let _ = writeln!(out, "{}:{} {}", problem.path, problem.line, problem.reason);
        }
        answer.left_out.iter().for_each(|path| _ = writeln!(out, "left out {path}"));
        out
    }));
}

#[test]
fn cargo_workspaces() {
    check(
        r#"
//- /Cargo.toml
[workspace]
members = ["crates/*", "tools/gone", "../outside"]
exclude = ["crates/old"]
[workspace.dependencies]
core = { path = "crates/core" }
//- /crates/core/Cargo.toml
[package]
name = "core"
//- /crates/core/src/lib.rs
pub fn start() {}
//- /crates/cli/Cargo.toml
[package]
name = "cli"
[dependencies]
core.workspace = true
serde = "1"
[dev-dependencies]
helper = { path = "../helper" }
away = { path = "../../../away" }
//- /crates/helper/Cargo.toml
[package]
name = "helper"
//- /crates/old/Cargo.toml
[package]
name = "old"
//- /crates/broken/Cargo.toml
[package
//- /crates/core/tests/fixtures/app/Cargo.toml
[package]
name = "app"
"#,
        expect![[r#"
            cargo cli 'crates/cli' crates/cli/Cargo.toml:2 of Cargo.toml, 1 files
              -> core 'crates/core' crates/cli/Cargo.toml:4
              -> helper 'crates/helper' crates/cli/Cargo.toml:7
            cargo core 'crates/core' crates/core/Cargo.toml:2 of Cargo.toml, 3 files
            cargo helper 'crates/helper' crates/helper/Cargo.toml:2 of Cargo.toml, 1 files
            cargo old 'crates/old' crates/old/Cargo.toml:2, 1 files
            Cargo.toml:2 names `../outside`, which is outside of the repository
            Cargo.toml:2 names `tools/gone`, where no cargo project is
            crates/broken/Cargo.toml:1 is not valid TOML: unclosed table, expected `]`
            crates/cli/Cargo.toml:8 depends on `../../../away`, which is outside of the repository
            left out crates/core/tests/fixtures/app/Cargo.toml
        "#]],
    );
}

#[test]
fn packages_of_javascript() {
    check(
        r#"
//- /package.json
{ "name": "shop", "private": true, "devDependencies": { "@shop/tools": "*" } }
//- /pnpm-workspace.yaml
packages:
  - packages/*
  - '!packages/skipped'
//- /packages/core/package.json
{ "name": "@shop/core" }
//- /packages/core/src/a.ts
export const a = 1
//- /packages/core/esm/package.json
{ "type": "module" }
//- /packages/web/package.json
{
  "name": "@shop/web",
  "dependencies": {
    "@shop/core": "workspace:*",
    "@shop/skipped": "^1.0.0",
    "linked": "file:../tools"
  }
}
//- /packages/tools/package.json
{ "name": "@shop/tools" }
//- /packages/tools/project.json
{ "name": "tools", "targets": {}, "implicitDependencies": ["@shop/web"] }
//- /packages/skipped/package.json
{ "name": "@shop/skipped" }
//- /apps/api/project.json
{ "name": "api", "sourceRoot": "apps/api", "implicitDependencies": ["tools"] }
"#,
        expect![[r#"
            npm shop '' package.json:1 of pnpm-workspace.yaml, 2 files
              -> @shop/tools 'packages/tools' package.json:1
            npm api 'apps/api' apps/api/project.json:1, 1 files
              -> @shop/tools 'packages/tools' apps/api/project.json:1
            npm @shop/core 'packages/core' packages/core/package.json:1 of pnpm-workspace.yaml, 3 files
            npm @shop/skipped 'packages/skipped' packages/skipped/package.json:1, 1 files
            npm @shop/tools 'packages/tools' packages/tools/package.json:1 of pnpm-workspace.yaml, 2 files
              -> @shop/web 'packages/web' packages/tools/project.json:1
            npm @shop/web 'packages/web' packages/web/package.json:2 of pnpm-workspace.yaml, 1 files
              -> @shop/core 'packages/core' packages/web/package.json:4
              -> @shop/tools 'packages/tools' packages/web/package.json:6
        "#]],
    );
}

#[test]
fn modules_of_go() {
    check(
        "
//- /go.work
go 1.22
use ./api
use ./core
//- /api/go.mod
module example.com/shop/api
require example.com/shop/core v1.0.0
//- /core/go.mod
module example.com/shop/core
//- /tools/go.mod
module example.com/shop/tools
require example.com/shop/api v1.0.0
replace example.com/shop/api => ../api
",
        expect![[r#"
            go-module example.com/shop/api 'api' api/go.mod:1 of go.work, 1 files
              -> example.com/shop/core 'core' api/go.mod:2
            go-module example.com/shop/core 'core' core/go.mod:1 of go.work, 1 files
            go-module example.com/shop/tools 'tools' tools/go.mod:1, 1 files
              -> example.com/shop/api 'api' tools/go.mod:2
        "#]],
    );
}

#[test]
fn projects_of_python() {
    check(
        r#"
//- /pyproject.toml
[project]
name = "shop"
dependencies = ["shop-core", "requests"]
[tool.uv.workspace]
members = ["libs/*"]
//- /libs/core/pyproject.toml
[project]
name = "shop_core"
//- /libs/core/setup.py
setup(name="other")
//- /libs/old/setup.cfg
[metadata]
name = shop-old
[options]
install_requires =
    shop.core
//- /libs/plain/setup.py
from setuptools import setup
setup(name="plain", install_requires=["shop-old"])
//- /tools/pyproject.toml
[tool.black]
line-length = 100
"#,
        expect![[r#"
            pyproject shop '' pyproject.toml:2 of pyproject.toml, 2 files
              -> shop_core 'libs/core' pyproject.toml:3
            pyproject shop_core 'libs/core' libs/core/pyproject.toml:2 of pyproject.toml, 2 files
            pyproject shop-old 'libs/old' libs/old/setup.cfg:2 of pyproject.toml, 1 files
              -> shop_core 'libs/core' libs/old/setup.cfg:5
            pyproject plain 'libs/plain' libs/plain/setup.py:2 of pyproject.toml, 1 files
              -> shop-old 'libs/old' libs/plain/setup.py:2
        "#]],
    );
}

#[test]
fn modules_of_maven_and_gradle() {
    check(
        r#"
//- /pom.xml
<project>
  <groupId>com.shop</groupId>
  <artifactId>parent</artifactId>
  <modules>
    <module>api</module>
    <module>core</module>
    <module>gone</module>
  </modules>
</project>
//- /api/pom.xml
<project>
  <parent><groupId>com.shop</groupId><artifactId>parent</artifactId></parent>
  <artifactId>api</artifactId>
  <dependencies><dependency>
    <groupId>${project.groupId}</groupId>
    <artifactId>core</artifactId>
  </dependency></dependencies>
</project>
//- /core/pom.xml
<project>
  <parent><groupId>com.shop</groupId><artifactId>parent</artifactId></parent>
  <artifactId>core</artifactId>
</project>
"#,
        expect![[r#"
            maven parent '' pom.xml:3 of pom.xml, 1 files
            maven api 'api' api/pom.xml:3 of pom.xml, 1 files
              -> core 'core' api/pom.xml:6
            maven core 'core' core/pom.xml:3 of pom.xml, 1 files
            pom.xml:7 names `gone`, where no maven project is
        "#]],
    );
    check(
        r#"
//- /settings.gradle.kts
rootProject.name = "shop"
include(":app", ":libs:core-net", ":missing")
project(":app").projectDir = file("application")
//- /build.gradle.kts
plugins { }
//- /application/build.gradle.kts
dependencies {
    implementation(projects.libs.coreNet)
}
//- /libs/core-net/build.gradle
dependencies {
    implementation project(':app')
}
//- /buildSrc/build.gradle
dependencies { }
//- /extra/plug-in/build.gradle.kts
kotlin { sourceSets { commonMain.dependencies { api(projects.plugOut) } } }
//- /extra/plug-out/build.gradle.kts
plugins { }
"#,
        expect![[r#"
            gradle shop '' settings.gradle.kts:1 of settings.gradle.kts, 2 files
            gradle app 'application' application/build.gradle.kts:1 of settings.gradle.kts, 1 files
              -> libs:core-net 'libs/core-net' application/build.gradle.kts:2
            gradle buildSrc 'buildSrc' buildSrc/build.gradle:1, 1 files
            gradle plug-in 'extra/plug-in' extra/plug-in/build.gradle.kts:1, 1 files
              -> plug-out 'extra/plug-out' extra/plug-in/build.gradle.kts:1
            gradle plug-out 'extra/plug-out' extra/plug-out/build.gradle.kts:1, 1 files
            gradle libs:core-net 'libs/core-net' libs/core-net/build.gradle:1 of settings.gradle.kts, 1 files
              -> app 'application' libs/core-net/build.gradle:2
            settings.gradle.kts:2 names `missing`, which is not there
        "#]],
    );
}

#[test]
fn projects_of_dotnet() {
    check(
        r#"
//- /Shop.sln
Project("{FAE04EC0}") = "Api", "src\Api\Api.csproj", "{1}"
Project("{FAE04EC0}") = "Core", "src\Core\Core.csproj", "{2}"
Project("{FAE04EC0}") = "Gone", "src\Gone\Gone.csproj", "{3}"
//- /src/Api/Api.csproj
<Project Sdk="Microsoft.NET.Sdk">
  <ItemGroup>
    <ProjectReference Include="..\Core\Core.csproj" />
    <ProjectReference Include="$(Root)\src\Core\Core.Extra.csproj" />
  </ItemGroup>
</Project>
//- /src/Core/Core.csproj
<Project></Project>
//- /src/Core/Core.Extra.csproj
<Project></Project>
//- /src/Core/A.cs
class A {}
//- /src/Bad/Bad.csproj
<Project><ItemGroup>
"#,
        expect![[r#"
            dotnet Api 'src/Api' src/Api/Api.csproj:1 of Shop.sln, 1 files
              -> Core.Extra 'src/Core' src/Api/Api.csproj:4
              -> Core 'src/Core' src/Api/Api.csproj:3
            dotnet Core.Extra 'src/Core' src/Core/Core.Extra.csproj:1, 3 files
            dotnet Core 'src/Core' src/Core/Core.csproj:1 of Shop.sln, 3 files
            Shop.sln:3 names `src/Gone/Gone.csproj`, where no dotnet project is
            src/Bad/Bad.csproj:1 is not valid XML: <ItemGroup> has no end
        "#]],
    );
}

#[test]
fn packages_of_php_and_applications_of_elixir() {
    check(
        r#"
//- /composer.json
{
  "name": "shop/app",
  "repositories": [{ "type": "path", "url": "packages/*" }],
  "require": { "shop/core": "*", "other/package": "^1" }
}
//- /packages/core/composer.json
{ "name": "shop/core" }
"#,
        expect![[r#"
            composer shop/app '' composer.json:2 of composer.json, 1 files
              -> shop/core 'packages/core' composer.json:4
            composer shop/core 'packages/core' packages/core/composer.json:1 of composer.json, 1 files
        "#]],
    );
    check(
        r#"
//- /mix.exs
defmodule Shop.MixProject do
  def project, do: [apps_path: "apps", deps: []]
end
//- /apps/core/mix.exs
defmodule Core.MixProject do
  def project, do: [app: :core]
end
//- /apps/web/mix.exs
defmodule Web.MixProject do
  def project, do: [app: :web, deps: deps()]
  defp deps, do: [{:core, in_umbrella: true}, {:plug, "~> 1.0"}, {:tool, path: "../../tool"}]
end
//- /tool/mix.exs
defmodule Tool.MixProject do
  def project, do: [app: :tool]
end
"#,
        expect![[r#"
            mix root '' mix.exs:1 of mix.exs, 1 files
            mix core 'apps/core' apps/core/mix.exs:2 of mix.exs, 1 files
            mix web 'apps/web' apps/web/mix.exs:2 of mix.exs, 1 files
              -> core 'apps/core' apps/web/mix.exs:3
              -> tool 'tool' apps/web/mix.exs:3
            mix tool 'tool' tool/mix.exs:2, 1 files
        "#]],
    );
}

#[test]
fn circles_of_dependencies_and_projects_that_share_a_folder() {
    check(
        r#"
//- /a/Cargo.toml
[package]
name = "a"
[dependencies]
b = { path = "../b" }
a = { path = "." }
//- /a/pyproject.toml
[project]
name = "a-python"
//- /b/Cargo.toml
[package]
name = "b"
[dependencies]
a = { path = "../a" }
//- /examples/demo/Cargo.toml
[package]
name = "demo"
"#,
        expect![[r#"
            cargo a 'a' a/Cargo.toml:2, 2 files
              -> b 'b' a/Cargo.toml:4
            pyproject a-python 'a' a/pyproject.toml:2, 2 files
            cargo b 'b' b/Cargo.toml:2, 1 files
              -> a 'a' b/Cargo.toml:4
            left out examples/demo/Cargo.toml
        "#]],
    );
    // Nothing but examples: they are what there is.
    check(
        "//- /examples/demo/Cargo.toml\n[package]\nname = \"demo\"\n",
        expect![[r#"
        cargo demo 'examples/demo' examples/demo/Cargo.toml:2, 1 files
    "#]],
    );
    check("//- /a.py\nx = 1\n", expect![[""]]);
}

const NESTED: &str = r#"
//- /package.json
{ "name": "shop", "workspaces": ["packages/*"] }
//- /root.js
import { core } from '@shop/core';
//- /packages/core/package.json
{ "name": "@shop/core" }
//- /packages/core/index.js
export function core() {}
//- /packages/core-web/package.json
{ "name": "@shop/core-web", "dependencies": { "@shop/core": "*" } }
//- /packages/core-web/index.js
import { core } from '@shop/core';
core();
//- /other/web/package.json
{ "name": "web" }
"#;

#[test]
fn names_mean_projects() {
    let accepted = |name: &str| {
        ask(NESTED, |engine, snapshot| {
            let names = [name.to_string()];
            match query::project_scope(snapshot, engine.source(), &engine.config().index, &names) {
                Ok(scope) => snapshot.paths().filter(|path| scope.accepts(path)).collect::<Vec<_>>().join(" "),
                Err(error) => format!("{error:?}"),
            }
        })
    };
    expect!["packages/core/index.js packages/core/package.json"].assert_eq(&accepted("@shop/core"));
    expect!["packages/core/index.js packages/core/package.json"].assert_eq(&accepted("core"));
    expect!["packages/core/index.js packages/core/package.json"].assert_eq(&accepted("./packages/core/"));
    expect!["package.json root.js"].assert_eq(&accepted("shop"));
    expect!["package.json root.js"].assert_eq(&accepted("."));
    expect![[r#"ProjectNotFound { name: "@shop/cor", suggestions: ["@shop/core", "shop", "@shop/core-web"], are_near: true }"#]].assert_eq(&accepted("@shop/cor"));
    expect![[r#"ProjectNotFound { name: "nothing like it", suggestions: ["web", "shop", "@shop/core", "@shop/core-web"], are_near: false }"#]].assert_eq(&accepted("nothing like it"));
    expect![[
        r#"ProjectNotFound { name: "", suggestions: ["web", "shop", "@shop/core", "@shop/core-web"], are_near: false }"#
    ]]
    .assert_eq(&accepted(""));
}

#[test]
fn imports_between_projects_beside_what_manifests_declare() {
    let edges = |names: &[&str], reverse: bool| {
        ask(NESTED, |engine, snapshot| {
            let (source, config) = (engine.source(), &engine.config().index);
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            let scope = (!names.is_empty()).then(|| query::project_scope(snapshot, source, config, &names).unwrap());
            let navigator = Navigator::new(snapshot);
            let edges = query::project_edges(&navigator, source, config, scope.as_ref(), reverse).unwrap();
            let shown = edges.iter().map(|edge| {
                format!("{} -> {} {} {:?} {:?}", edge.from, edge.to, edge.files, edge.first, edge.declared)
            });
            shown.collect::<Vec<_>>().join("\n")
        })
    };
    expect![[r#"
        shop -> @shop/core 1 Some(("root.js", 1)) None
        @shop/core-web -> @shop/core 1 Some(("packages/core-web/index.js", 1)) Some(("packages/core-web/package.json", 1))"#]].assert_eq(&edges(&[], false));
    expect![[r#"shop -> @shop/core 1 Some(("root.js", 1)) None"#]].assert_eq(&edges(&["shop"], false));
    expect![[""]].assert_eq(&edges(&["shop"], true));
}

#[test]
fn very_many_manifests_and_hostile_ones() {
    let mut text = String::from("//- /package.json\n{ \"workspaces\": [\"**\", \"[\", \"../../*\", \"{a,{b,c}\"] }\n");
    for number in 0..400 {
        let next = (number + 1) % 400;
        let _ = write!(
            text,
            "//- /p/{number}/package.json\n{{ \"name\": \"p{number}\", \"dependencies\": {{ \"p{next}\": \"*\" }} }}\n"
        );
    }
    let _ = write!(text, "//- /deep/package.json\n{}\n", "[".repeat(30_000));
    ask(&text, |engine, snapshot| {
        let options = ProjectsOptions { limit: 3, ..ProjectsOptions::default() };
        let answer = query::projects(snapshot, engine.source(), &engine.config().index, &options).unwrap();
        assert_eq!((answer.all, answer.projects.items.len()), (401, 3));
        let reasons: Vec<String> =
            answer.problems.iter().map(|it| format!("{}:{} {}", it.path, it.line, it.reason)).collect();
        expect![[r#"
            deep/package.json:1 is no text that can be read
            package.json:1 has `[`, which is no valid pattern
            package.json:1 has `{a,{b,c}`, which is no valid pattern
            package.json:1 names `../../*`, which is outside of the repository"#]]
        .assert_eq(&reasons.join("\n"));
    });
}
