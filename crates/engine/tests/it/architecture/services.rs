//! Services of the fixtures in the folders of generators: a small program in each `.txt`, what is
//! expected of it in the `.expect` beside it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use codecompass_engine::query::{
    self, Navigator, Service, ServiceImplementation, ServiceOptions, ServiceSite, ServicesAnswer,
};
use codecompass_engine::syntax::generators::generators;
use codecompass_engine::{Config, Engine, NoProgress, SyncOptions, sync};
use codecompass_testkit::TestWorkspace;
use expect_test::{expect, expect_file};

fn folder(generator: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/generators").join(generator).join("fixtures")
}

fn services(text: &str, options: &ServiceOptions) -> ServicesAnswer {
    let workspace = TestWorkspace::plain(text);
    let engine = Engine::open(&workspace.root(), &workspace.home(), Config::default()).unwrap();
    sync(&engine, SyncOptions::default(), &NoProgress).unwrap();
    let snapshot = engine.snapshot().unwrap().unwrap();
    query::services(&Navigator::new(&snapshot), engine.source(), &engine.config().index, options).unwrap()
}

fn all() -> ServiceOptions {
    ServiceOptions { limit: usize::MAX, ..ServiceOptions::default() }
}

fn site(site: &ServiceSite) -> String {
    let role = site.role.as_str();
    format!("{} {}:{} {} {role}", site.name, site.path, site.line, site.confidence.as_str())
}

fn shown_service(out: &mut String, service: &Service) {
    let (kind, name) = (service.kind.as_str(), service.full_name());
    let places: Vec<String> = service.declared.iter().map(|(path, line)| format!("{path}:{line}")).collect();
    let _ = writeln!(out, "{kind} {name} | {}", places.join(" "));
    for ServiceImplementation { site: one, registered, missing } in &service.implementations {
        let registered = registered.as_ref().map(|(path, line)| format!(" | registered {path}:{line}"));
        let _ = writeln!(out, "  server {}{} | missing {missing}", site(one), registered.unwrap_or_default());
    }
    for rpc in &service.rpcs {
        let message = |message: &query::Message| {
            let stream = if message.is_stream { "stream " } else { "" };
            let place = message.place.as_ref().map(|(path, line)| format!("@{path}:{line}")).unwrap_or_default();
            format!("{stream}{}{place}", message.name)
        };
        let _ = writeln!(out, "  {} {} -> {}", rpc.name, message(&rpc.request), message(&rpc.response));
        for one in &rpc.implementations {
            let _ = writeln!(out, "    answers {}", site(one));
        }
        for one in &rpc.clients {
            let _ = writeln!(out, "    calls {}", site(one));
        }
    }
}

fn shown(answer: &ServicesAnswer) -> String {
    let mut out = String::new();
    for service in &answer.services.items {
        shown_service(&mut out, service);
    }
    for file in &answer.unread {
        let _ = writeln!(out, "unread {}:{} {}", file.path, file.line, file.reason);
    }
    out
}

#[test]
fn fixtures_have_the_expected_services() {
    for generator in generators() {
        let mut cases: Vec<PathBuf> =
            std::fs::read_dir(folder(generator.name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        cases.retain(|case| case.extension().is_some_and(|extension| extension == "txt"));
        cases.sort();
        assert!(!cases.is_empty(), "{} has no fixture", generator.name);
        for case in cases {
            let answer = services(&std::fs::read_to_string(&case).unwrap(), &all());
            assert!(answer.implemented > 0, "{case:?} has no implementation");
            expect_file![case.with_extension("expect")].assert_eq(&shown(&answer));
        }
    }
}

const TWO_VERSIONS: &str = "//- /v1/user.proto
syntax = \"proto3\";
package acme.user.v1;
service Users { rpc Get(GetRequest) returns (User); }
message GetRequest {}
message User {}
//- /v2/user.proto
syntax = \"proto3\";
package acme.user.v2;
service Users { rpc Get(GetRequest) returns (User); rpc List(GetRequest) returns (stream User); }
message GetRequest {}
message User {}
//- /copy/v1/user.proto
syntax = \"proto3\";
package acme.user.v1;
service Users { rpc Get(GetRequest) returns (User); }
//- /one.py
from acme.user.v1 import user_pb2_grpc
class One(user_pb2_grpc.UsersServicer):
    def Get(self, request, context): pass
//- /two.py
from acme.user.v2 import user_pb2_grpc
class Two(user_pb2_grpc.UsersServicer):
    def Get(self, request, context): pass
    def List(self, request, context): pass
def call(channel):
    user_pb2_grpc.UsersStub(channel).Get(1)
//- /tests/test_users.py
from acme.user.v2 import user_pb2_grpc
class Fake(user_pb2_grpc.UsersServicer):
    def Get(self, request, context): pass
";

#[test]
fn services_of_one_name_are_told_apart_and_copies_are_one() {
    expect![[r#"
        grpc acme.user.v1.Users | copy/v1/user.proto:3 v1/user.proto:3
          server One one.py:2 static source | missing 0
          Get GetRequest@v1/user.proto:4 -> User@v1/user.proto:5
            answers One.Get one.py:3 static source
        grpc acme.user.v2.Users | v2/user.proto:3
          server Two two.py:2 static source | missing 0
          server Fake tests/test_users.py:2 static test | missing 1
          Get GetRequest@v2/user.proto:4 -> User@v2/user.proto:5
            answers Two.Get two.py:3 static source
            answers Fake.Get tests/test_users.py:3 static test
            calls call two.py:6 static source
          List GetRequest@v2/user.proto:4 -> stream User@v2/user.proto:5
            answers Two.List two.py:4 static source
    "#]]
    .assert_eq(&shown(&services(TWO_VERSIONS, &all())));
}

#[test]
fn restrictions() {
    let names = |options: ServiceOptions| -> Vec<String> {
        let answer = services(TWO_VERSIONS, &ServiceOptions { limit: usize::MAX, ..options });
        let rpcs = |service: &Service| service.rpcs.iter().map(|rpc| rpc.name.clone()).collect::<Vec<_>>().join(",");
        answer.services.items.iter().map(|one| format!("{}: {}", one.full_name(), rpcs(one))).collect()
    };
    let named = |name: &str| names(ServiceOptions { name: Some(name.into()), ..all() });
    assert_eq!(named("user.v1"), ["acme.user.v1.Users: Get"]);
    assert_eq!(named("list"), ["acme.user.v2.Users: List"]);
    assert_eq!(named("v2.Users/get"), ["acme.user.v2.Users: Get"]);
    assert_eq!(named("/acme.user.v2.Users/List"), ["acme.user.v2.Users: List"]);
    assert_eq!(named("nothing"), [""; 0]);
    let below = |path: &str| {
        let files = vec![query::PathPattern::new(path).unwrap()];
        names(ServiceOptions { files, ..all() })
    };
    assert_eq!(below("v2"), ["acme.user.v2.Users: Get,List"]);
    assert_eq!(below("copy"), ["acme.user.v1.Users: Get"]);
    let graphql = ServiceOptions { kinds: vec![query::ServiceKind::Graphql], ..all() };
    assert_eq!(names(graphql), [""; 0]);
    let one = services(TWO_VERSIONS, &ServiceOptions { limit: 1, ..ServiceOptions::default() });
    assert_eq!((one.services.items.len(), one.services.total, one.all, one.rpcs), (1, 2, 2, 3));
}

#[test]
fn broken_and_hostile_files_give_what_can_be_read() {
    let deep = "message A { ".repeat(3_000);
    let text = format!(
        "//- /broken.proto\nsyntax = \"proto3\";\nservice Half {{\n  rpc Get(A returns (B);\n  rpc Put(stream) returns ();\n\
         //- /deep.proto\n{deep}\n//- /noise.proto\n\u{0}\u{1}service {{ rpc ( }}\n//- /names.proto\n\
         service A$b {{ rpc Ok(X) returns (Y); }}\nservice Fine {{ rpc Ok(X) returns (Y); }}\n\
         //- /a.go\npackage a\ntype s struct {{ UnimplementedFineServer }}\nfunc (s) Ok(X) {{}}\n"
    );
    let answer = services(&text, &all());
    let fine = answer.services.items.iter().find(|one| one.name == "Fine").unwrap();
    assert_eq!(fine.rpcs[0].implementations.len(), 1);
    assert!(answer.unread.iter().any(|file| file.path == "broken.proto"), "{:?}", answer.unread);
}

#[test]
fn fields_of_graphql_schemas_have_their_resolvers() {
    let text = "//- /schema.graphql
type Query {
  users(first: Int): [User!]!
  me: User
}
extend type Mutation { addUser(name: String!): User }
type User { id: ID! }
//- /resolvers.js
const resolvers = {
  Query: {
    users: (parent, args) => [],
  },
  User: { users: () => [] },
};
//- /users.resolver.ts
@Resolver(() => User)
export class UsersResolver {
  @Mutation(() => User)
  addUser(@Args('name') name: string) {}

  users() {}
}
//- /graph/schema.resolvers.go
package graph

func (r *queryResolver) Me(ctx context.Context) (*User, error) { return nil, nil }
//- /schema.py
class Query(graphene.ObjectType):
    def resolve_me(self, info):
        return None
//- /ariadne_api.py
@query.field(\"users\")
def resolve_users(*_):
    return []
//- /broken.gql
type Query { broken(
";
    expect![[r#"
        graphql Query | schema.graphql:1
          users first: Int -> [User!]!
            answers resolve_users ariadne_api.py:2 likely source
            answers resolvers.Query.users resolvers.js:3 likely source
          me  -> User
            answers graph.queryResolver.Me graph/schema.resolvers.go:3 likely source
            answers Query.resolve_me schema.py:2 likely source
        graphql Mutation | schema.graphql:5
          addUser name: String! -> User
            answers UsersResolver.addUser users.resolver.ts:4 likely source
    "#]]
    .assert_eq(&shown(&services(text, &all())));
}
