//! The two sides of a type: members of the type itself (static methods, class methods), and members
//! of its instances.

use codecompass_syntax::facts::{ChainExpr, Definition, Kind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::Symbol;
use crate::resolve::file::{FileOutline, FileView};
use crate::resolve::value::Value;

/// The side of a type that a name is looked up on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberSide {
    Type,
    Instance,
}

impl Resolver<'_> {
    /// Of members of one name, those on a side; all of them, and `false`, if none is there.
    pub(in crate::resolve) fn on_side(&self, members: Vec<Symbol>, side: MemberSide) -> Result<(Vec<Symbol>, bool)> {
        let mut kept = Vec::with_capacity(members.len());
        for member in &members {
            let is_there = self.definition(*member)?.is_none_or(|(file, definition)| {
                // Types and values inside of a type are named by the type alone.
                !definition.kind.is_callable() || side_of(&file, &definition) == side
            });
            if is_there {
                kept.push(*member);
            }
        }
        Ok(if kept.is_empty() { (members, false) } else { (kept, true) })
    }
}

/// Returns the side that a member of `value` is looked up on, if the place tells: the name of the
/// instance stands for the type in methods of the type.
pub(in crate::resolve) fn side_asked(
    file: &FileView,
    reference: &Reference,
    receiver: &ChainExpr<'_>,
    value: &Value,
) -> Option<MemberSide> {
    let rules = file.rules();
    let is_one_of = |words: &[String], name: &str| words.iter().any(|word| word == name);
    let is_type = |name: &str| !receiver.steps.is_empty() && is_one_of(&rules.type_members, name);
    if receiver.last_name().is_some_and(is_type) {
        return Some(MemberSide::Type);
    }
    let stands_alone = receiver.as_name().filter(|_| reference.root.is_none());
    if stands_alone.is_some_and(|name| is_one_of(&rules.instance_words, name) || is_one_of(&rules.super_words, name)) {
        return side_around(file, reference.enclosing);
    }
    match value {
        Value::Type(_) => Some(MemberSide::Type),
        Value::Instance(..) => Some(MemberSide::Instance),
        _ => None,
    }
}

/// Returns the side of the method around a place.
pub(in crate::resolve) fn side_around(file: &FileOutline, enclosing: Option<u32>) -> Option<MemberSide> {
    let (_, around) = file.outwards(enclosing).find(|(_, around)| around.kind != Kind::Function)?;
    match around.kind {
        Kind::Method => Some(side_of(file, around)),
        Kind::Constructor => Some(MemberSide::Instance),
        _ => None,
    }
}

/// Returns the side that a member stands on. A constructor is asked of its type.
pub(crate) fn side_of(file: &FileOutline, member: &Definition) -> MemberSide {
    if member.kind == Kind::Constructor {
        return MemberSide::Type;
    }
    let is_marked = member.modifiers.contains("static");
    // Where members of instances have a mark of their own before the name, others do not have it.
    let mark = file.language.member_separator(member.kind).filter(|mark| *mark != file.language.separator());
    let before = member.qualified_name.strip_suffix(member.name.as_str());
    let is_apart = mark.zip(before).is_some_and(|(mark, before)| !before.is_empty() && !before.ends_with(mark));
    if is_marked || is_apart { MemberSide::Type } else { MemberSide::Instance }
}
