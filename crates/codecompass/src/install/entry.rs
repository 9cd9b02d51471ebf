//! Entries, which say how an agent starts the server. Their shape differs by agent, their sense
//! does not.

use std::path::Path;

use codecompass_app::error::AppError;
use codecompass_app::settings::Environment;
use serde_json::{Value, json};

use super::{NAME, SERVE, Scope};

/// The shape of an entry, as an agent wants it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The `type` of a server that speaks over stdin and stdout, where one must be given.
    pub kind: Option<&'static str>,
    /// Program and arguments are one list, `command`.
    pub joined: bool,
    /// Tools must be named to be allowed.
    pub all_tools: bool,
}

impl Shape {
    /// `command` and `args`.
    pub(crate) const PLAIN: Shape = Shape { kind: None, joined: false, all_tools: false };
}

/// A value that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Text(String),
    List(Vec<String>),
    Object(Vec<(String, Item)>),
}

impl Item {
    pub(crate) fn json(&self) -> Value {
        match self {
            Item::Text(text) => json!(text),
            Item::List(texts) => json!(texts),
            Item::Object(fields) => fields.iter().map(|(key, item)| (key.clone(), item.json())).collect(),
        }
    }
}

/// The entry of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its fields, in the order they are written.
    pub fields: Vec<(String, Item)>,
}

/// The relation of an entry that is there already to the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It starts the server as wanted.
    Current,
    /// It starts the server, but in another way.
    Outdated,
    /// It starts something else.
    Foreign,
}

impl Entry {
    pub(crate) fn new(shape: Shape, program: &str, args: &[String]) -> Entry {
        let mut fields = Vec::new();
        let mut field = |key: &str, item| fields.push((key.to_string(), item));
        if let Some(kind) = shape.kind {
            field("type", Item::Text(kind.to_string()));
        }
        if shape.joined {
            field("command", Item::List([&[program.to_string()], args].concat()));
        } else {
            field("command", Item::Text(program.to_string()));
            field("args", Item::List(args.to_vec()));
        }
        if shape.all_tools {
            field("tools", Item::List(vec!["*".to_string()]));
        }
        Entry { fields }
    }

    /// The entry that starts the server with `program`.
    pub(crate) fn serving(shape: Shape, program: &str) -> Entry {
        Entry::new(shape, program, &[SERVE.to_string()])
    }

    pub(crate) fn item(&self) -> Item {
        Item::Object(self.fields.clone())
    }

    /// The entry as it stands in `there`, with the same fields as this one, if it has no others.
    pub(crate) fn like(&self, there: &Value) -> Option<Entry> {
        let there = there.as_object()?;
        let fields = self.fields.iter().map(|(key, _)| {
            let item = match there.get(key)? {
                Value::String(text) => Item::Text(text.clone()),
                list => Item::List(strings(list)?),
            };
            Some((key.clone(), item))
        });
        (there.len() == self.fields.len()).then(|| fields.collect()).flatten().map(|fields| Entry { fields })
    }

    /// Compares the entry `there` with this one.
    pub(crate) fn standing(&self, there: &Value) -> Standing {
        let (program, args) = match there.get("command") {
            Some(Value::String(program)) => (program.clone(), there.get("args").and_then(strings).unwrap_or_default()),
            Some(list) => match strings(list).unwrap_or_default().split_first() {
                Some((program, args)) => (program.clone(), args.to_vec()),
                None => return Standing::Foreign,
            },
            None => return Standing::Foreign,
        };
        // A path of another system is one, too.
        let file = program.rsplit(['/', '\\']).next().unwrap_or(&program);
        let is_named = file == NAME || file.strip_suffix(".exe") == Some(NAME);
        let is_wanted = self.fields.iter().any(|(key, item)| match (key.as_str(), item) {
            ("command", Item::Text(wanted)) => *wanted == program,
            ("command", Item::List(wanted)) => wanted.first() == Some(&program),
            _ => false,
        });
        if !(is_named || is_wanted) || args.first().map(String::as_str) != Some(SERVE) {
            return Standing::Foreign;
        }
        if self.outdated(there).is_empty() { Standing::Current } else { Standing::Outdated }
    }

    /// The fields that `there` lacks, or that differ so much that they must be written anew. What
    /// users add is theirs: fields of their own, arguments after the command, a choice of tools.
    pub(crate) fn outdated(&self, there: &Value) -> Vec<(String, Item)> {
        let differs = |(key, item): &&(String, Item)| match (item, there.get(key)) {
            (_, None) => true,
            (Item::List(_), Some(Value::Array(_))) if key == "tools" => false,
            (Item::Text(wanted), Some(Value::String(there))) if key == "type" => {
                // Two words for one thing.
                let is_local = |kind: &str| kind == "stdio" || kind == "local";
                there != wanted && !(is_local(there) && is_local(wanted))
            }
            (Item::List(wanted), Some(list)) => !strings(list).is_some_and(|there| there.starts_with(wanted)),
            (item, Some(there)) => item.json() != *there,
        };
        self.fields.iter().filter(differs).cloned().collect()
    }
}

fn strings(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|text| text.as_str().map(str::to_string)).collect()
}

/// Returns the program that the entry starts. In a project, which is shared, that is its name; for
/// the user its name where that leads to this program, else its path.
pub(crate) fn program(scope: Scope, around: &Environment) -> Result<String, AppError> {
    let same = |file: &Path| {
        let (file, own) = (dunce::canonicalize(file), dunce::canonicalize(&around.program));
        file.is_ok_and(|file| own.is_ok_and(|own| file == own))
    };
    if scope == Scope::Project || around.find_program(NAME).is_some_and(|file| same(&file)) {
        return Ok(NAME.to_string());
    }
    around.program.to_str().map(str::to_string).ok_or_else(|| {
        AppError::invalid(
            format!("the path of this program is not Unicode: {}", around.program.display()),
            "put it into a directory of PATH, so that its name is enough",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_recognised() {
        let entry = Entry::serving(Shape { kind: Some("stdio"), ..Shape::PLAIN }, "/opt/codecompass");
        let standing = |there: Value| entry.standing(&there);
        let args = json!(["serve-mcp"]);
        assert_eq!(standing(json!({"type": "stdio", "command": "/opt/codecompass", "args": args})), Standing::Current);
        let more =
            json!({"type": "local", "command": "/opt/codecompass", "args": ["serve-mcp", "--tools", "all"], "env": {}});
        assert_eq!(standing(more), Standing::Current);
        assert_eq!(standing(json!({"command": "codecompass", "args": args})), Standing::Outdated);
        assert_eq!(standing(json!({"command": "C:\\bin\\codecompass.exe", "args": args})), Standing::Outdated);
        assert_eq!(standing(json!({"command": ["codecompass", "serve-mcp"]})), Standing::Outdated);
        assert_eq!(standing(json!({"command": "codecompass", "args": ["other"]})), Standing::Foreign);
        assert_eq!(standing(json!({"command": "npx", "args": args})), Standing::Foreign);
        assert_eq!(standing(json!({"url": "https://example.org"})), Standing::Foreign);
        assert_eq!(standing(json!({"command": []})), Standing::Foreign);
        assert_eq!(standing(json!("codecompass")), Standing::Foreign);
    }
}
