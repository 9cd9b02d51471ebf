//! Facts of small manifests of every kind, and of texts that are none.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use codecompass_syntax::manifests::{DeclaredProject, ManifestText, kind_of, manifest_kinds, read_manifest};

fn facts(name: &str, text: &str) -> String {
    let kind = kind_of(name).unwrap();
    let mut out = String::new();
    match read_manifest(kind, ManifestText { name, text }) {
        Err(problem) => _ = writeln!(out, "{}: {}", problem.line, problem.reason),
        Ok(facts) => {
            for project in &facts.projects {
                let DeclaredProject { name, aliases, line, folder, dependencies } = project;
                let _ = writeln!(out, "{line}: {} {name} in '{folder}' {}", kind.name, aliases.join(" "));
                for dependency in dependencies {
                    let _ = writeln!(out, "  {}: {} {:?}", dependency.line, dependency.name, dependency.target);
                }
            }
            for member in &facts.members {
                let sign = if member.is_excluded { "-" } else { "+" };
                let _ = writeln!(out, "{}: {sign} {}", member.line, member.pattern);
            }
            facts.shared.iter().for_each(|shared| _ = writeln!(out, "shared {} {}", shared.name, shared.path));
        }
    }
    out
}

fn check(name: &str, text: &str, expected: Expect) {
    expected.assert_eq(&facts(name, text));
}

#[test]
fn cargo() {
    check(
        "Cargo.toml",
        r#"[workspace]
members = [
    "crates/*",
    "xtask",
]
exclude = ["crates/old"]

[workspace.dependencies]
core = { path = "crates/core", version = "1" }
serde = "1"

[package]
name = "app"

[dependencies]
core.workspace = true
serde = { workspace = true }
util = { path = "crates/util" }
regex = "1"

[target.'cfg(unix)'.dev-dependencies]
unix = { path = "crates\\unix" }
"#,
        expect![[r#"
            13: cargo app in '' 
              16: core Shared
              17: serde Shared
              18: util Path("crates/util")
              22: unix Path("crates/unix")
            3: + crates/*
            4: + xtask
            6: - crates/old
            shared core crates/core
        "#]],
    );
    check(
        "Cargo.toml",
        "[package\n",
        expect![[r#"
        1: is not valid TOML: unclosed table, expected `]`
    "#]],
    );
}

#[test]
fn npm() {
    check(
        "package.json",
        r#"{
  "name": "@shop/web",
  "workspaces": { "packages": ["packages/*", "!packages/old"] }, // with a comment
  "dependencies": {
    "@shop/core": "workspace:*",
    "@shop/ui": "^1.0.0",
    "@shop/tools": "file:../tools",
    "alias": "workspace:@shop/real@^",
  }
}"#,
        expect![[r#"
            2: npm @shop/web in '' 
              5: @shop/core Name
              6: @shop/ui Member
              7: @shop/tools Path("../tools")
              8: @shop/real Name
            3: + packages/*
            3: - packages/old
        "#]],
    );
    check("package.json", "{ \"type\": \"module\" }", expect![[r#""#]]);
    check(
        "package.json",
        "{\n  \"name\": \"a\"\n",
        expect![[r#"
        3: is not valid JSON: it ends too early
    "#]],
    );
    let yaml = "packages:\n  # all\n  - 'packages/*'\n  - \"!**/test/**\"\ncatalog:\n  - no\n";
    check(
        "pnpm-workspace.yaml",
        yaml,
        expect![[r#"
        3: + packages/*
        4: - **/test/**
    "#]],
    );
    check(
        "pnpm-workspace.yaml",
        "packages: [a, 'b/*']\n",
        expect![[r#"
        1: + a
        1: + b/*
    "#]],
    );
    check(
        "lerna.json",
        r#"{"packages": ["modules/*"]}"#,
        expect![[r#"
        1: + modules/*
    "#]],
    );
    check(
        "project.json",
        r#"{ "name": "web", "targets": {}, "implicitDependencies": ["core", "!ui"] }"#,
        expect![[r#"
            1: npm web in '' web
              1: core Name
        "#]],
    );
    check("project.json", r#"{ "version": "1.0.0-*" }"#, expect![[r#""#]]);
}

#[test]
fn go_modules() {
    check(
        "go.mod",
        "// Package\nmodule example.com/shop/api // the API\n\ngo 1.22\n\nrequire (\n\texample.com/shop/core v1.2.0\n\tgolang.org/x/net v0.1.0 // indirect\n)\n\nreplace example.com/shop/core => ../core\n",
        expect![[r#"
            2: go-module example.com/shop/api in '' 
              7: example.com/shop/core Path("../core")
              8: golang.org/x/net Name
        "#]],
    );
    check(
        "go.work",
        "go 1.22\nuse (\n\t./api\n\t./core\n)\nuse ./tools\n",
        expect![[r#"
        3: + ./api
        4: + ./core
        6: + ./tools
    "#]],
    );
    check(
        "go.mod",
        "go 1.22\n",
        expect![[r#"
        1: has no module line
    "#]],
    );
}

#[test]
fn pyproject() {
    check(
        "pyproject.toml",
        r#"[project]
name = "Shop_API"
dependencies = ["shop.core>=1; python_version > '3'", "requests[socks]"]

[project.optional-dependencies]
dev = ["shop-tools"]

[tool.uv.sources]
shop-core = { workspace = true }
shop-tools = { path = "../tools" }

[tool.uv.workspace]
members = ["libs/*"]
exclude = ["libs/old"]
"#,
        expect![[r#"
            2: pyproject Shop_API in '' shop-api
              3: shop-core Name
              3: requests Name
              6: shop-tools Path("../tools")
            13: + libs/*
            14: - libs/old
        "#]],
    );
    check(
        "pyproject.toml",
        "[tool.poetry]\nname = \"web\"\n[tool.poetry.dependencies]\ncore = { path = \"../core\" }\nflask = \"*\"\n",
        expect![[r#"
            2: pyproject web in '' web
              4: core Path("../core")
              5: flask Name
        "#]],
    );
    check("pyproject.toml", "[tool.black]\nline-length = 100\n", expect![[r#""#]]);
    check(
        "setup.cfg",
        "[metadata]\nname = old\n\n[options]\ninstall_requires =\n    core>=1\n    # no\n    six\n",
        expect![[r#"
            2: pyproject old in '' old
              6: core Name
              8: six Name
        "#]],
    );
    check(
        "setup.py",
        "from setuptools import setup\n\nsetup(\n    name='old-style',  # name='no'\n    install_requires=[\n        'core>=1', 'six',\n    ],\n)\n",
        expect![[r#"
            4: pyproject old-style in '' old-style
              6: core Name
              6: six Name
        "#]],
    );
    check("setup.py", "setup(name=NAME)\n", expect![[r#""#]]);
}

#[test]
fn maven() {
    check(
        "pom.xml",
        r#"<?xml version="1.0"?>
<!-- <artifactId>no</artifactId> -->
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>com.shop</groupId><artifactId>parent</artifactId></parent>
  <artifactId>api</artifactId>
  <modules>
    <module>core</module>
  </modules>
  <dependencies>
    <dependency>
      <groupId>${project.groupId}</groupId>
      <artifactId>core</artifactId>
    </dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId></dependency>
    <dependency><groupId>${other}</groupId><artifactId>util</artifactId></dependency>
  </dependencies>
</project>"#,
        expect![[r#"
            5: maven api in '' com.shop:api
              12: com.shop:core Name
              14: org.slf4j:slf4j-api Name
              15: util Name
            7: + core
        "#]],
    );
    check(
        "pom.xml",
        "<project>\n<artifactId>a</artifact>",
        expect![[r#"
        2: is not valid XML: </artifact> ends <artifactId>
    "#]],
    );
    check(
        "pom.xml",
        "<project><artifactId",
        expect![[r#"
        1: is not valid XML: a tag has no end
    "#]],
    );
    check(
        "pom.xml",
        "<project>",
        expect![[r#"
        1: is not valid XML: <project> has no end
    "#]],
    );
    check(
        "pom.xml",
        "",
        expect![[r#"
        1: is not valid XML: it has no element
    "#]],
    );
}

#[test]
fn gradle() {
    check(
        "settings.gradle",
        "rootProject.name = 'shop'\ninclude ':core', ':libs:net',\n    'app' // include ':no'\n/* include ':no' */\nproject(':app').projectDir = file('application')\n",
        expect![[r#"
            1: gradle shop in '' :
            2: gradle core in 'core' :core projects.core
            2: gradle libs:net in 'libs/net' :libs:net projects.libs.net
            3: gradle app in 'application' :app projects.app
        "#]],
    );
    check(
        "settings.gradle.kts",
        "rootProject.name = \"shop\"\ninclude(\n    \":core-net\",\n    \":app\",\n)\n",
        expect![[r#"
            1: gradle shop in '' :
            3: gradle core-net in 'core-net' :core-net projects.coreNet
            4: gradle app in 'app' :app projects.app
        "#]],
    );
    check(
        "build.gradle.kts",
        "plugins { id(\"java\") }\ndependencies {\n    implementation(project(\":core\"))\n    api(projects.coreNet.deep)\n    testImplementation(project(path = \":libs:net\"))\n    implementation(\"a:b:1\")\n}\ntasks { project(\":no\") }\n",
        expect![[r#"
            1: gradle  in '' 
              3: :core Name
              4: projects.coreNet.deep Name
              5: :libs:net Name
        "#]],
    );
}

#[test]
fn dotnet() {
    check(
        "Shop.Api.csproj",
        r#"<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup>
    <AssemblyName>shop-api</AssemblyName>
  </PropertyGroup>
  <ItemGroup>
    <ProjectReference Include="..\Core\Shop.Core.csproj" />
    <ProjectReference Include="$(Root)/Util/Util.csproj"><Private>true</Private></ProjectReference>
    <PackageReference Include="Serilog" Version="1.0" />
  </ItemGroup>
</Project>"#,
        expect![[r#"
            1: dotnet Shop.Api in '' shop-api
              6: Shop.Core Path("../Core/Shop.Core.csproj")
              7: Util Name
        "#]],
    );
    check(
        "Shop.sln",
        "Microsoft Visual Studio Solution File\nProject(\"{FAE04EC0}\") = \"Core\", \"src\\Core\\Core.csproj\", \"{1}\"\nEndProject\nProject(\"{2150E333}\") = \"docs\", \"docs\", \"{2}\"\n",
        expect![[r#"
            2: + src/Core/Core.csproj
        "#]],
    );
    check(
        "Shop.slnx",
        "<Solution>\n  <Folder Name=\"/src/\">\n    <Project Path=\"src/Core/Core.csproj\" />\n  </Folder>\n</Solution>",
        expect![[r#"
            3: + src/Core/Core.csproj
        "#]],
    );
}

#[test]
fn composer() {
    check(
        "composer.json",
        r#"{
    "name": "shop/app",
    "repositories": [{ "type": "path", "url": "packages/*" }, { "type": "vcs", "url": "https://example.com" }],
    "require": { "php": ">=8", "shop/core": "*" }
}"#,
        expect![[r#"
            2: composer shop/app in '' 
              4: php Name
              4: shop/core Name
            3: + packages/*
        "#]],
    );
}

#[test]
fn mix() {
    check(
        "mix.exs",
        "defmodule Shop.MixProject do\n  def project do\n    [app: :shop, apps_path: \"apps\", deps: deps()]\n  end\n  defp deps do\n    [\n      {:core, in_umbrella: true},\n      {:util, [path: \"../util\", only: :test]},\n      {:plug, \"~> 1.0\"} # {:no, in_umbrella: true}\n    ]\n  end\nend\n",
        expect![[r#"
            3: mix shop in '' 
              7: core Name
              8: util Path("../util")
            3: + apps/*
        "#]],
    );
}

#[test]
fn hostile_texts_end_with_facts_or_a_reason() {
    let deep = ["[", "{\"a\":", "<a>", "a = [", "(", "{:a,"].map(|part| part.repeat(20_000));
    let broken = [
        "\u{0}\u{1}",
        "\"\\",
        "{\"a\": \"\\u12",
        "<a b='",
        "<![CDATA[",
        "= \n= =",
        "é\"ß'",
        "setup(name='",
        "include '",
    ];
    let long = "include ':a'\n".repeat(50_000);
    for kind in manifest_kinds() {
        for file in kind.files {
            let name = file.replace('*', "a");
            assert_eq!(kind_of(&name).map(|kind| kind.name), Some(kind.name));
            for text in deep.iter().map(String::as_str).chain(broken).chain([long.as_str(), ""]) {
                let _ = read_manifest(kind, ManifestText { name: &name, text });
            }
            let huge = " ".repeat((1 << 20) + 1);
            let problem = read_manifest(kind, ManifestText { name: &name, text: &huge }).unwrap_err();
            assert_eq!(problem.reason, "is larger than 1 MiB");
        }
    }
}

#[test]
fn gemspec() {
    check(
        "shop.gemspec",
        "Gem::Specification.new do |s|\n  s.name = \"shop\"\n  # s.add_dependency \"no\"\n  s.add_dependency \"core\", version\n  s.add_development_dependency('rake')\nend\n",
        expect![[r#"
            2: gem shop in '' 
              4: core Name
              5: rake Name
        "#]],
    );
    check(
        "made.gemspec",
        "Gem::Specification.new do |gem|\n  gem.name = NAME\nend\n",
        expect![[r#"
            1: gem made in '' 
        "#]],
    );
}
