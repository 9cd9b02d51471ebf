//! From syntax trees to code, by the kinds of nodes that a language lists.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::{
    Argument, Call, Class, Closure, CodeParameter, CodePlace, CodeRules, CodeStatement, Expr, ExprKind, Function,
    TextPiece,
};

/// Expressions and blocks that may lie in one another; what lies deeper is not read.
const MAX_DEPTH: u32 = 250;

/// Fields that lead from a call to what is called, in the order in which they are tried.
const CALLEES: [&str; 8] = ["function", "method", "name", "target", "constructor", "type", "class", "path"];
/// Fields with the object that a method is called on, or the path before a name.
const RECEIVERS: [&str; 3] = ["object", "receiver", "scope"];
/// Fields with what stands before a member.
const OBJECTS: [&str; 8] = ["object", "value", "operand", "expression", "argument", "scope", "path", "left"];
/// Fields with the name of a member.
const MEMBERS: [&str; 5] = ["property", "attribute", "field", "name", "right"];

/// The part that a node plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeRole {
    Call,
    Arguments,
    WrappedArgument,
    Member,
    Name,
    String,
    Interpolation,
    Symbol,
    List,
    Map,
    Pair,
    Operation,
    Same,
    Closure,
    Function,
    Class,
    Assignment,
    Loop,
    Return,
    Export,
    Decorator,
    Parameters,
    Supertypes,
}

/// The kinds of a grammar's nodes by the parts that they play.
pub(crate) struct CodeKinds {
    roles: FxHashMap<u16, NodeRole>,
    joins: Vec<String>,
    function_calls: Vec<String>,
    last_is_result: bool,
}

impl CodeKinds {
    pub(crate) fn new(language: &tree_sitter::Language, rules: &CodeRules) -> CodeKinds {
        let lists = [
            (&rules.calls, NodeRole::Call),
            (&rules.arguments, NodeRole::Arguments),
            (&rules.wrapped_arguments, NodeRole::WrappedArgument),
            (&rules.members, NodeRole::Member),
            (&rules.names, NodeRole::Name),
            (&rules.strings, NodeRole::String),
            (&rules.interpolations, NodeRole::Interpolation),
            (&rules.symbols, NodeRole::Symbol),
            (&rules.lists, NodeRole::List),
            (&rules.maps, NodeRole::Map),
            (&rules.pairs, NodeRole::Pair),
            (&rules.operations, NodeRole::Operation),
            (&rules.same, NodeRole::Same),
            (&rules.closures, NodeRole::Closure),
            (&rules.functions, NodeRole::Function),
            (&rules.classes, NodeRole::Class),
            (&rules.assignments, NodeRole::Assignment),
            (&rules.loops, NodeRole::Loop),
            (&rules.returns, NodeRole::Return),
            (&rules.exports, NodeRole::Export),
            (&rules.decorators, NodeRole::Decorator),
            (&rules.parameters, NodeRole::Parameters),
            (&rules.supertypes, NodeRole::Supertypes),
        ];
        let mut by_name: FxHashMap<&str, NodeRole> = FxHashMap::default();
        for (kinds, role) in lists {
            by_name.extend(kinds.iter().map(|kind| (kind.as_str(), role)));
        }
        let mut roles = FxHashMap::default();
        for id in 0..language.node_kind_count() as u16 {
            let kind = language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id));
            if let Some(role) = kind.and_then(|kind| by_name.get(kind)) {
                roles.insert(id, *role);
            }
        }
        CodeKinds {
            roles,
            joins: rules.joins.clone(),
            function_calls: rules.function_calls.clone(),
            last_is_result: rules.last_is_result,
        }
    }
}

impl CodeKinds {
    /// Returns the part that a node plays.
    pub(crate) fn role(&self, node: Node<'_>) -> Option<NodeRole> {
        self.roles.get(&node.kind_id()).copied()
    }

    /// Returns whether calls of a name are functions.
    pub(crate) fn is_function_call(&self, name: &str) -> bool {
        self.function_calls.iter().any(|known| known == name)
    }

    /// Returns whether the last value of a function is its result.
    pub(crate) fn last_is_result(&self) -> bool {
        self.last_is_result
    }
}

/// Reads the statements of a tree.
pub(crate) fn statements(root: Node<'_>, text: &str, kinds: &CodeKinds) -> Vec<CodeStatement> {
    let mut lowering = Lowering { text, kinds, depth: 0 };
    let mut found = Vec::new();
    lowering.block(root, &mut found);
    found
}

struct Lowering<'a> {
    text: &'a str,
    kinds: &'a CodeKinds,
    depth: u32,
}

impl Lowering<'_> {
    fn role(&self, node: Node<'_>) -> Option<NodeRole> {
        self.kinds.roles.get(&node.kind_id()).copied()
    }

    fn text_of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    /// Reads the statements below a node.
    fn block(&mut self, node: Node<'_>, out: &mut Vec<CodeStatement>) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let mut decorators = Vec::new();
        for child in named_children(node) {
            if self.role(child) == Some(NodeRole::Decorator) {
                self.decorators(child, &mut decorators);
            } else if !child.is_extra() {
                self.statement(child, std::mem::take(&mut decorators), out);
            }
        }
        self.depth -= 1;
    }

    fn statement(&mut self, node: Node<'_>, decorators: Vec<Expr>, out: &mut Vec<CodeStatement>) {
        match self.role(node) {
            Some(NodeRole::Function) => out.extend(self.function(node, decorators).map(CodeStatement::Function)),
            Some(NodeRole::Class) => out.push(CodeStatement::Class(self.class(node, decorators))),
            Some(NodeRole::Assignment) => self.assignment(node, out),
            // What is done to each element is done to the list.
            Some(NodeRole::Loop) => {
                self.assignment(node, out);
                if let Some(body) = field(node, &["body"]) {
                    self.block(body, out);
                }
            }
            Some(NodeRole::Return) => {
                let value = named_children(node).next().map(|value| self.expr(only_child(value, "expression_list")));
                out.extend(value.map(CodeStatement::Return));
            }
            Some(NodeRole::Export) => self.export(node, decorators, out),
            Some(NodeRole::Call) => {
                let value = self.expr(node);
                match self.as_function(&value) {
                    Some(function) => out.push(CodeStatement::Function(function)),
                    None => out.push(CodeStatement::Value(value)),
                }
            }
            Some(NodeRole::Name | NodeRole::Member | NodeRole::Closure | NodeRole::List | NodeRole::Map) => {
                let value = self.expr(node);
                out.push(CodeStatement::Value(value));
            }
            _ => self.block(node, out),
        }
    }

    /// Reads a call that is a function by its name (`def name(x) do`).
    fn as_function(&self, value: &Expr) -> Option<Function> {
        let call = value.as_call().filter(|call| self.kinds.function_calls.contains(&call.name))?;
        let head = call.positional().next()?;
        let body = call.block().map(|block| block.body.clone()).unwrap_or_default();
        Some(Function {
            name: head.last_name()?.to_string(),
            place: head.place,
            parameters: Vec::new(),
            receiver: String::new(),
            decorators: Vec::new(),
            body,
        })
    }

    fn export(&mut self, node: Node<'_>, decorators: Vec<Expr>, out: &mut Vec<CodeStatement>) {
        let is_default = children(node).any(|child| self.text_of(child) == "default" || child.kind() == "=");
        let value = field(node, &["value", "declaration"]).or_else(|| named_children(node).last());
        let Some(value) = value.filter(|_| is_default) else {
            let mut all = decorators;
            for child in named_children(node) {
                match self.role(child) {
                    Some(NodeRole::Decorator) => self.decorators(child, &mut all),
                    _ => self.statement(child, std::mem::take(&mut all), out),
                }
            }
            return;
        };
        match self.role(value) {
            Some(NodeRole::Function | NodeRole::Class) => {
                let name = field(value, &["name"]).map(|name| self.name(name));
                self.statement(value, decorators, out);
                out.extend(name.map(CodeStatement::Export));
            }
            _ => {
                let value = self.expr(value);
                out.push(CodeStatement::Export(value));
            }
        }
    }

    fn assignment(&mut self, node: Node<'_>, out: &mut Vec<CodeStatement>) {
        let is_target =
            |child: &Node<'_>| matches!(self.role(*child), Some(NodeRole::Name | NodeRole::Member | NodeRole::Same));
        let target = field(node, &["left", "name", "pattern"]).or_else(|| named_children(node).find(is_target));
        let value = field(node, &["right", "value"]).or_else(|| named_children(node).last());
        let (Some(target), Some(value)) = (target, value.filter(|value| Some(*value) != target)) else { return };
        if self.role(value) == Some(NodeRole::Assignment) {
            self.assignment(value, out);
            let inner = match out.last() {
                Some(CodeStatement::Assign { target, .. }) => Some(target.clone()),
                _ => None,
            };
            let target = self.expr(target);
            out.extend(inner.map(|value| CodeStatement::Assign { target, value }));
            return;
        }
        // Both sides may be lists of the same length.
        let (target, value) = (only_child(target, "expression_list"), only_child(value, "expression_list"));
        let target = self.expr(target);
        let value = self.expr(value);
        out.push(CodeStatement::Assign { target, value });
    }

    fn function(&mut self, node: Node<'_>, mut decorators: Vec<Expr>) -> Option<Function> {
        self.inner_decorators(node, &mut decorators);
        let name = field(node, &["name"])?;
        let receiver = named_children(node)
            .take_while(|child| *child != name)
            .filter(|child| child.next_sibling().is_some_and(|next| next.kind() == "."))
            .last()
            .map(|receiver| last_segment(self.text_of(receiver)).to_string());
        let Closure { parameters, body } = self.closure(node);
        let place = place(name);
        let receiver = receiver.unwrap_or_default();
        Some(Function { name: self.text_of(name).to_string(), place, parameters, receiver, decorators, body })
    }

    /// Reads parameters and body of a function.
    fn closure(&mut self, node: Node<'_>) -> Closure {
        let mut parameters = Vec::new();
        let mut body = Vec::new();
        let single = field(node, &["parameter"]);
        parameters.extend(single.map(|name| self.parameter(name)).into_iter().flatten());
        let named = field(node, &["parameters"]);
        let list = named.or_else(|| named_children(node).find(|child| self.role(*child) == Some(NodeRole::Parameters)));
        if let Some(list) = list {
            for child in named_children(list).filter(|child| !child.is_extra()) {
                parameters.extend(self.parameter(child));
            }
        }
        match field(node, &["body"]) {
            Some(inner) if self.is_value(inner) => {
                let value = self.expr(inner);
                body.push(CodeStatement::Return(value));
            }
            Some(inner) => self.block(inner, &mut body),
            None => {
                let skipped = [list, single, field(node, &["name"]), field(node, &["receiver"])];
                for child in named_children(node).filter(|child| !skipped.contains(&Some(*child))) {
                    match self.role(child) {
                        Some(NodeRole::Decorator | NodeRole::Name) | None if !has_block(child) => {}
                        _ => self.statement(child, Vec::new(), &mut body),
                    }
                }
            }
        }
        if self.kinds.last_is_result
            && let Some(CodeStatement::Value(_)) = body.last()
            && let Some(CodeStatement::Value(value)) = body.pop()
        {
            body.push(CodeStatement::Return(value));
        }
        Closure { parameters, body }
    }

    fn is_value(&self, node: Node<'_>) -> bool {
        use NodeRole::*;
        matches!(self.role(node), Some(Call | Member | Name | String | List | Map | Operation | Same | Closure))
    }

    fn parameter(&mut self, node: Node<'_>) -> Vec<CodeParameter> {
        let declared = field(node, &["type"]).map(|declared| self.text_of(declared).to_string());
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
        let names = if names.is_empty() { field(node, &["pattern", "left"]).into_iter().collect() } else { names };
        let names = if names.is_empty() { first_leaf_name(node).into_iter().collect() } else { names };
        let rest = || {
            let text = self.text_of(node);
            text.split_once(':').map(|(_, declared)| declared.trim().to_string())
        };
        let declared = declared.or_else(rest).unwrap_or_default();
        let name = |name: &Node<'_>| CodeParameter {
            name: self.text_of(*name).trim_start_matches(['$', '@', '&', '*']).to_string(),
            declared: declared.clone(),
        };
        names.iter().map(name).collect()
    }

    fn class(&mut self, node: Node<'_>, mut decorators: Vec<Expr>) -> Class {
        self.inner_decorators(node, &mut decorators);
        let name = field(node, &["name", "type"]);
        let mut supertypes = Vec::new();
        let lists = named_children(node).filter(|child| self.role(*child) == Some(NodeRole::Supertypes));
        for list in lists.chain(field(node, &["superclasses"])) {
            for one in self.text_of(list).split([',', '<', '(', ' ', '\n']) {
                let one = one.trim_matches([':', '(', ')', '>', '{', ' ', '\n', '\r']);
                if !one.is_empty() && !matches!(one, "extends" | "implements") {
                    supertypes.push(one.to_string());
                }
            }
        }
        let mut body = Vec::new();
        match field(node, &["body"]) {
            Some(inner) => self.block(inner, &mut body),
            None => self.block(node, &mut body),
        }
        Class {
            name: name.map_or(String::new(), |name| self.text_of(name).to_string()),
            place: name.map_or(place(node), place),
            supertypes,
            decorators,
            body,
        }
    }

    /// Reads the decorators that are part of a declaration.
    fn inner_decorators(&mut self, node: Node<'_>, out: &mut Vec<Expr>) {
        for child in named_children(node) {
            match self.role(child) {
                Some(NodeRole::Decorator) => self.decorators(child, out),
                None if child.kind() == "modifiers" => self.inner_decorators(child, out),
                _ => {}
            }
        }
    }

    fn decorators(&mut self, node: Node<'_>, out: &mut Vec<Expr>) {
        if field(node, &["name"]).is_some() {
            let call = self.call(node);
            out.push(call);
            return;
        }
        for child in named_children(node) {
            match self.role(child) {
                Some(NodeRole::Call | NodeRole::Name | NodeRole::Member | NodeRole::Same) => {
                    let value = self.expr(child);
                    out.push(value);
                }
                _ => self.decorators(child, out),
            }
        }
    }

    fn name(&self, node: Node<'_>) -> Expr {
        let written = self.text_of(node);
        let name = written.strip_prefix('$').filter(|name| !name.is_empty()).unwrap_or(written).to_string();
        Expr { kind: ExprKind::Name(name), place: place(node) }
    }

    fn expr(&mut self, node: Node<'_>) -> Expr {
        if self.depth >= MAX_DEPTH {
            return Expr { kind: ExprKind::Other, place: place(node) };
        }
        self.depth += 1;
        let found = self.expr_of(node);
        self.depth -= 1;
        found
    }

    fn expr_of(&mut self, node: Node<'_>) -> Expr {
        let kind = match self.role(node) {
            Some(NodeRole::Call) => return self.call(node),
            Some(NodeRole::Name) => return self.name(node),
            Some(NodeRole::Member) => return self.member(node),
            Some(NodeRole::String) => ExprKind::Text(self.literal(node)),
            Some(NodeRole::Symbol) => {
                let name = self.text_of(node).trim_matches([':', '"', '\'']).to_string();
                ExprKind::Text(vec![TextPiece::Literal(name)])
            }
            Some(NodeRole::List | NodeRole::Map) => self.items(node),
            Some(NodeRole::Operation) => self.operation(node),
            Some(NodeRole::Closure) => match named_children(node).find(|child| self.role(*child) == self.role(node)) {
                // A closure with annotations around it.
                Some(inner) if field(node, &["body"]).is_none() => return self.expr(inner),
                _ => ExprKind::Closure(Box::new(self.closure(node))),
            },
            Some(NodeRole::Same | NodeRole::WrappedArgument | NodeRole::Assignment) => {
                let inner = field(node, &["value", "expression", "argument", "operand"]);
                let inner = inner.or_else(|| named_children(node).find(|child| !child.is_extra()));
                return inner.map_or(Expr { kind: ExprKind::Other, place: place(node) }, |inner| self.expr(inner));
            }
            Some(NodeRole::Function) => {
                let closure = self.closure(node);
                ExprKind::Closure(Box::new(closure))
            }
            _ => ExprKind::Other,
        };
        Expr { kind, place: place(node) }
    }

    fn member(&mut self, node: Node<'_>) -> Expr {
        let object = field(node, &OBJECTS).or_else(|| named_children(node).next());
        let name = field(node, &MEMBERS).or_else(|| named_children(node).last());
        let (Some(object), Some(name)) = (object, name) else { return self.name(node) };
        if object == name {
            return self.expr(name);
        }
        let name_place = place(name);
        let text = self.text_of(name).split(['<', '(']).next().unwrap_or("").trim_start_matches('$').to_string();
        let object = self.expr(object);
        Expr { kind: ExprKind::Member(Box::new(object), text), place: name_place }
    }

    fn call(&mut self, node: Node<'_>) -> Expr {
        let receiver = field(node, &RECEIVERS);
        let callee = field(node, &CALLEES).or_else(|| named_children(node).next());
        let list = field(node, &["arguments", "parameters"])
            .or_else(|| named_children(node).find(|child| self.role(*child) == Some(NodeRole::Arguments)));
        let mut arguments = Vec::new();
        for child in list.into_iter().flat_map(named_children).filter(|child| !child.is_extra()) {
            self.argument(child, &mut arguments);
        }
        for child in named_children(node) {
            if Some(child) != callee && Some(child) != receiver && self.role(child) == Some(NodeRole::Closure) {
                let value = self.expr(child);
                arguments.push(Argument { name: None, value });
            }
        }
        let called = callee.map(|callee| match self.role(callee) {
            None => self.name(callee),
            _ => self.expr(callee),
        });
        let called = called.unwrap_or(Expr { kind: ExprKind::Other, place: place(node) });
        let place = called.place;
        let mut receiver = receiver.map(|receiver| self.expr(receiver));
        let name = match called.kind {
            ExprKind::Name(name) => name,
            ExprKind::Member(object, name) => {
                receiver = Some(*object);
                name
            }
            // `f(x) { … }` gives the block to the same call.
            ExprKind::Call(mut inner) if list.is_none() => {
                inner.arguments.extend(arguments);
                return Expr { kind: ExprKind::Call(inner), place };
            }
            kind => {
                receiver = Some(Expr { kind, place });
                String::new()
            }
        };
        let name = name.split('<').next().unwrap_or("").to_string();
        Expr { kind: ExprKind::Call(Box::new(Call { receiver, name, arguments })), place }
    }

    fn argument(&mut self, node: Node<'_>, out: &mut Vec<Argument>) {
        match self.role(node) {
            Some(NodeRole::Pair) => {
                if let Some((name, value)) = self.pair(node) {
                    out.push(Argument { name: Some(name), value });
                }
            }
            // A list of pairs without brackets.
            Some(NodeRole::Map) if !self.text_of(node).starts_with(['{', '[', '%', '#']) => {
                named_children(node).for_each(|pair| self.argument(pair, out));
            }
            Some(NodeRole::WrappedArgument) => {
                let inner: Vec<Node<'_>> = named_children(node).filter(|child| !child.is_extra()).collect();
                let name = match inner.as_slice() {
                    [name, _] if self.role(*name) == Some(NodeRole::Name) || field(node, &["name"]).is_some() => {
                        Some(self.text_of(*name).trim_end_matches([':', '=', ' ']).to_string())
                    }
                    _ => None,
                };
                if let Some(value) = inner.last() {
                    let value = self.expr(*value);
                    out.push(Argument { name, value });
                }
            }
            _ => {
                let value = self.expr(node);
                out.push(Argument { name: None, value });
            }
        }
    }

    fn pair(&mut self, node: Node<'_>) -> Option<(String, Expr)> {
        let key = field(node, &["key", "name"]).or_else(|| named_children(node).next())?;
        let value = field(node, &["value"]).or_else(|| named_children(node).last()).filter(|value| *value != key)?;
        let key = self.text_of(key).trim().trim_end_matches(':').trim_matches([':', '"', '\'', '`']).to_string();
        Some((key, self.expr(value)))
    }

    fn items(&mut self, node: Node<'_>) -> ExprKind {
        let (mut list, mut map) = (Vec::new(), Vec::new());
        for child in named_children(node).filter(|child| !child.is_extra()) {
            match self.role(child) {
                Some(NodeRole::Pair) => match self.pair(child) {
                    Some(pair) => map.push(pair),
                    // An element of a list that is no pair.
                    None => list.extend(named_children(child).next().map(|value| self.expr(value))),
                },
                Some(NodeRole::Function) => {
                    let name = field(child, &["name"]).map_or(String::new(), |name| self.text_of(name).to_string());
                    let value = self.expr(child);
                    map.push((name, value));
                }
                _ if child.kind().starts_with("shorthand_property") => {
                    map.push((self.text_of(child).to_string(), self.name(child)));
                }
                // Brackets of their own around the elements.
                None if named_children(child).next().is_some() && !self.is_leaf_word(child) => {
                    match self.items(child) {
                        ExprKind::List(items) => list.extend(items),
                        ExprKind::Map(items) => map.extend(items),
                        _ => {}
                    }
                }
                _ => {
                    let value = if self.is_leaf_word(child) { self.word(child) } else { self.expr(child) };
                    list.push(value);
                }
            }
        }
        if map.is_empty() && self.role(node) != Some(NodeRole::Map) { ExprKind::List(list) } else { ExprKind::Map(map) }
    }

    /// Returns whether a node is a word of a list of words (`%i[a b]`).
    fn is_leaf_word(&self, node: Node<'_>) -> bool {
        node.kind().starts_with("bare_")
    }

    fn word(&self, node: Node<'_>) -> Expr {
        let text = TextPiece::Literal(self.text_of(node).to_string());
        Expr { kind: ExprKind::Text(vec![text]), place: place(node) }
    }

    fn operation(&mut self, node: Node<'_>) -> ExprKind {
        let left = field(node, &["left"]).or_else(|| named_children(node).next());
        let right = field(node, &["right"]).or_else(|| named_children(node).last());
        let operator = field(node, &["operator"]).or_else(|| children(node).find(|child| !child.is_named()));
        let is_join =
            operator.is_some_and(|operator| self.kinds.joins.iter().any(|join| join == self.text_of(operator)));
        let (Some(left), Some(right)) = (left, right) else { return ExprKind::Other };
        if !is_join {
            return ExprKind::Other;
        }
        let mut parts = Vec::new();
        for side in [left, right] {
            let side = self.expr(side);
            match side.kind {
                ExprKind::Sum(inner) => parts.extend(inner),
                _ => parts.push(side),
            }
        }
        ExprKind::Sum(parts)
    }

    /// Reads the pieces of a literal text.
    fn literal(&mut self, node: Node<'_>) -> Vec<TextPiece> {
        let inner: Vec<Node<'_>> =
            named_children(node).filter(|child| self.role(*child) == Some(NodeRole::String)).collect();
        if !inner.is_empty() {
            return inner.into_iter().flat_map(|child| self.literal(child)).collect();
        }
        let text = self.text_of(node);
        let body = literal_body(text);
        let (mut at, end) = (node.start_byte() + body.start, node.start_byte() + body.end);
        let is_raw = text[..body.start].contains(['r', 'R', '@']) || text.starts_with('`') && !text.contains("${");
        let mut pieces = Vec::new();
        for child in named_children(node) {
            if self.role(child) != Some(NodeRole::Interpolation) || child.start_byte() < at {
                continue;
            }
            pieces.extend(self.literal_piece(at..child.start_byte(), is_raw));
            let code =
                field(child, &["expression"]).or_else(|| named_children(child).find(|code| self.is_value(*code)));
            let code = code.map(|code| self.expr(code));
            pieces.push(TextPiece::Code(code.unwrap_or(Expr { kind: ExprKind::Other, place: place(child) })));
            at = child.end_byte();
        }
        pieces.extend(self.literal_piece(at..end.max(at), is_raw));
        pieces
    }

    fn literal_piece(&self, range: std::ops::Range<usize>, is_raw: bool) -> Option<TextPiece> {
        let text = self.text.get(range).filter(|text| !text.is_empty())?;
        let text = if is_raw { text.to_string() } else { text.replace("\\\\", "\\").replace("\\/", "/") };
        Some(TextPiece::Literal(text))
    }
}

/// Returns the part of a literal that lies between its quotes.
pub(crate) fn literal_body(text: &str) -> std::ops::Range<usize> {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let Some(open) = text.find(is_quote).filter(|at| *at < 8) else { return 0..text.len() };
    let quote = &text[open..open + 1];
    let triple = quote.repeat(3);
    let width = if text[open..].starts_with(&triple) { 3 } else { 1 };
    let start = (open + width).min(text.len());
    let end = text.rfind(quote).map_or(text.len(), |last| (last + 1).saturating_sub(width));
    start..end.max(start)
}

/// Returns the last name of a path, without marks and arguments.
pub(crate) fn last_segment(path: &str) -> &str {
    let path = path.trim().trim_start_matches(['*', '&', '?', ':', ' ']);
    let path = path.strip_prefix("mut ").unwrap_or(path);
    let path = path.split(['<', '[', '(', '=', '|', ' ']).next().unwrap_or(path);
    path.rsplit(['.', ':', '\\']).next().unwrap_or(path).trim_end_matches(['?', '!', '*', '&'])
}

fn has_block(node: Node<'_>) -> bool {
    node.kind().contains("body") || node.kind().contains("block") || node.kind().contains("statement")
}

fn first_leaf_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..8 {
        match named_children(at).find(|child| child.kind() != "modifiers" && !child.kind().contains("annotation")) {
            Some(child) => at = child,
            None => return Some(at),
        }
    }
    None
}

fn only_child<'tree>(node: Node<'tree>, kind: &str) -> Node<'tree> {
    if node.kind() == kind && node.named_child_count() >= 1 { node.named_child(0).unwrap_or(node) } else { node }
}

fn field<'tree>(node: Node<'tree>, names: &[&str]) -> Option<Node<'tree>> {
    names.iter().find_map(|name| node.child_by_field_name(name))
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let all: Vec<Node<'_>> = node.children(&mut cursor).collect();
    all.into_iter()
}

fn named_children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let all: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    all.into_iter()
}

fn place(node: Node<'_>) -> CodePlace {
    let start = node.start_position();
    CodePlace { line: start.row as u32 + 1, column: start.column as u32 + 1 }
}
