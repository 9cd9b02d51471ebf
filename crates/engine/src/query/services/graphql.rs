//! Root types of GraphQL schemas, and the resolvers of their fields where these are plain.
//!
//! A resolver is a member with the name of the field: of an object or class that is called like the
//! root type (resolver maps, Graphene, Strawberry), or of its `…Resolver` (gqlgen), or a method
//! with a decorator of that name (NestJS, TypeGraphQL, Spring).

use std::collections::BTreeMap;

use codecompass_syntax::facts::{Definition, Kind};
use codecompass_syntax::generators::{camel, pascal, snake};
use codecompass_syntax::graphql::{SchemaField, schema_fields};

use crate::config::IndexConfig;
use crate::error::Result;
use crate::model::{ContentId, Role};
use crate::parallel;
use crate::query::services::answer::{Message, Rpc, Service, ServiceKind};
use crate::query::services::sites::SiteFinder;
use crate::resolve::{Confidence, Symbol};
use crate::scan::{ReadOutcome, Source};
use crate::store::Snapshot;

/// Extensions of schemas.
const EXTENSIONS: [&str; 3] = [".graphql", ".graphqls", ".gql"];
/// Files that are read.
const MAX_FILES: usize = 10_000;

/// Returns the root types of all schemas; parts of one in several files are one.
pub(super) fn services(finder: &SiteFinder<'_, '_>, source: &Source, config: &IndexConfig) -> Result<Vec<Service>> {
    let mut found: BTreeMap<String, Service> = BTreeMap::new();
    for ((path, role), fields) in fields_by_file(finder.navigator.snapshot(), source, config)? {
        for field in fields {
            add_field(finder, &mut found, path, role, field)?;
        }
    }
    Ok(found.into_values().collect())
}

/// Returns the number of fields of all root types.
pub(super) fn field_count(snapshot: &Snapshot, source: &Source, config: &IndexConfig) -> Result<usize> {
    Ok(fields_by_file(snapshot, source, config)?.iter().map(|(_, fields)| fields.len()).sum())
}

/// A schema, with its role and the fields of its root types.
type SchemaFields<'view> = ((&'view str, Role), Vec<SchemaField>);

/// Reads the schemas of a view.
fn fields_by_file<'view>(
    snapshot: &'view Snapshot,
    source: &Source,
    config: &IndexConfig,
) -> Result<Vec<SchemaFields<'view>>> {
    let mut files = Vec::new();
    for (path, version) in snapshot.files() {
        if EXTENSIONS.iter().any(|extension| path.ends_with(extension)) && files.len() < MAX_FILES {
            let info = snapshot.file_info(*version)?;
            files.push((path.as_ref(), ContentId::from_slice(&info.content_id), info.role));
        }
    }
    let read = parallel::map(
        &files,
        || source.reader(),
        |reader, (path, content, _)| match reader.read(path, *content, config) {
            ReadOutcome::Text(read) if Some(read.content_id) == *content => schema_fields(&read.text),
            _ => Vec::new(),
        },
    );
    Ok(files.into_iter().map(|(path, _, role)| (path, role)).zip(read).collect())
}

fn add_field(
    finder: &SiteFinder<'_, '_>,
    found: &mut BTreeMap<String, Service>,
    path: &str,
    role: Role,
    field: SchemaField,
) -> Result<()> {
    let (owner, line) = field.owner.clone();
    let service = found.entry(owner.clone()).or_insert_with(|| Service {
        kind: ServiceKind::Graphql,
        package: String::new(),
        name: owner,
        declared: Vec::new(),
        role,
        implementations: Vec::new(),
        rpcs: Vec::new(),
    });
    let place = (path.to_string(), line);
    if !service.declared.contains(&place) {
        service.declared.push(place);
    }
    if service.rpcs.iter().any(|known| known.name == field.name) {
        return Ok(());
    }
    let mut rpc = Rpc {
        name: field.name.clone(),
        path: path.to_string(),
        line: field.line,
        request: Message { name: field.arguments.clone(), ..Message::default() },
        response: Message { name: field.result.clone(), ..Message::default() },
        ..Rpc::default()
    };
    for symbol in resolvers(finder, &field)? {
        rpc.implementations.extend(finder.symbol_site(symbol, Confidence::Heuristic)?);
    }
    service.rpcs.push(rpc);
    Ok(())
}

/// Returns the members that resolve a field.
fn resolvers(finder: &SiteFinder<'_, '_>, field: &SchemaField) -> Result<Vec<Symbol>> {
    let resolver = &finder.navigator.resolver;
    let mut names = vec![field.name.clone(), pascal(&field.name), snake(&field.name)];
    names.push(format!("resolve_{}", snake(&field.name)));
    names.sort();
    names.dedup();
    let mut found = Vec::new();
    for name in &names {
        for symbol in resolver.named(name)?.iter() {
            let Some((file, definition)) = resolver.definition(*symbol)? else { continue };
            let role = finder.navigator.snapshot().file_info(file.version)?.role;
            let is_code = definition.kind.is_callable() && !matches!(role, Role::Generated | Role::Vendored);
            let owner = owner_name(&definition);
            let is_abstract = definition
                .parent
                .and_then(|parent| file.definitions().get(parent as usize))
                .is_some_and(|parent| matches!(parent.kind, Kind::Interface | Kind::Trait));
            if is_code && !is_abstract && (is_owner(owner, field) || is_decorated(&definition, field)) {
                found.push(*symbol);
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Returns the name before the last of a qualified name.
fn owner_name(definition: &Definition) -> &str {
    let before = definition.qualified_name.strip_suffix(definition.name.as_str()).unwrap_or("");
    before.trim_end_matches(['.', ':', '#', '\\']).rsplit(['.', ':', '#', '\\']).next().unwrap_or("")
}

/// Returns whether a type or object has the resolvers of a root type.
fn is_owner(owner: &str, field: &SchemaField) -> bool {
    let root = field.owner.0.as_str();
    owner == root
        || owner == format!("{root}Type")
        || owner == format!("{root}Resolver")
        || owner == format!("{}Resolver", camel(root))
}

/// Returns whether a decorator makes a method the resolver of a field.
fn is_decorated(definition: &Definition, field: &SchemaField) -> bool {
    let root = field.root;
    let is_mark = |name: &str| {
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        last == root || last == format!("{root}Mapping") || last == format!("Dgs{root}")
    };
    let names_field = |text: &String| {
        text.contains(&format!(".field(\"{}\"", field.name)) || text.contains(&format!(".field('{}'", field.name))
    };
    let is_named = definition.name == field.name;
    is_named && definition.decorator_names().any(is_mark) || definition.decorators.iter().any(names_field)
}
