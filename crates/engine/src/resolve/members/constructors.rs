//! Calls of constructors by words that stand for them (`this(name)`, `new this()`, `self.new`).

use codecompass_syntax::facts::{ChainExpr, ChainRoot, Kind, RefKind, Reference};

use crate::error::Result;
use crate::resolve::Resolver;
use crate::resolve::entity::{Confidence, Entity, Resolution, ResolutionEvidence, Symbol};
use crate::resolve::file::FileView;
use crate::resolve::members::arity::{Arity, Given};
use crate::resolve::members::sides::{MemberSide, side_around, side_asked};
use crate::resolve::value::Value;

impl Resolver<'_> {
    /// Resolves a word that calls a constructor of the type around, or of its supertype, to that
    /// constructor; to something outside if none is written.
    pub(in crate::resolve) fn resolve_constructor_word(
        &self,
        file: &FileView,
        reference: &Reference,
        word: &str,
    ) -> Result<Option<Resolution>> {
        let rules = file.rules();
        let is_one_of = |words: &[String]| words.iter().any(|known| known == word);
        if reference.kind != RefKind::Call || !is_one_of(&rules.constructor_words) {
            return Ok(None);
        }
        // A method that is called like one is a member of the type, if not of an instance.
        if is_one_of(&rules.makers) {
            let owner = self.type_here(file, reference.enclosing)?;
            let owner = owner.filter(|_| side_around(file, reference.enclosing) != Some(MemberSide::Instance));
            return owner.map_or(Ok(None), |owner| self.made_by(file, reference, word, owner));
        }
        let types: Vec<Symbol> = if is_one_of(&rules.super_words) {
            let above = self.super_values(file, reference.enclosing)?;
            above.iter().filter_map(Value::type_symbol).collect()
        } else {
            Vec::from_iter(self.type_here(file, reference.enclosing)?)
        };
        let (mut found, mut is_head) = (Vec::new(), false);
        let given = Given::by(file, reference, None);
        for owner in types {
            // The head of the type may be a constructor with as many parameters.
            is_head |= given.zip(self.arity(owner)?).is_some_and(|(given, arity)| arity.admits(given));
            if rules.overloads_apart || file.language.constructor_names().is_empty() {
                found.extend(self.constructors_called(file, reference, owner)?);
            } else {
                found.extend(self.named_constructors(file, owner)?);
            }
        }
        if found.is_empty() {
            return Ok(Some(Resolution::External));
        }
        let found = self.of_written_arity(file, reference, found)?;
        let confidence = if is_head { Confidence::Heuristic } else { Confidence::Static };
        Ok(Some(Resolution::of(found, confidence, ResolutionEvidence::EnclosingType)))
    }

    /// Resolves a method that makes an instance, called on the type that `self` stands for or has
    /// (`self.class.new`), and a call of that type (`self.__class__()`), to the constructor. Behind
    /// the name of a type, that name is the use.
    pub(in crate::resolve) fn resolve_making_word(
        &self,
        file: &FileView,
        reference: &Reference,
        word: &str,
        receiver: &ChainExpr<'_>,
        values: &[Value],
    ) -> Result<Option<Resolution>> {
        let rules = file.rules();
        let is_one_of = |words: &[String], word: &str| words.iter().any(|known| known == word);
        if reference.kind != RefKind::Call
            || !is_one_of(&rules.constructor_words, word)
            || !matches!(receiver.root, ChainRoot::Name(root) if is_one_of(&rules.instance_words, root))
        {
            return Ok(None);
        }
        let [value] = values else { return Ok(None) };
        let Some(owner) = value.type_symbol() else { return Ok(None) };
        let makes =
            is_one_of(&rules.makers, word) && side_asked(file, reference, receiver, value) == Some(MemberSide::Type);
        let calls_type = is_one_of(&rules.type_members, word) && receiver.steps.is_empty();
        if makes || calls_type { self.made_by(file, reference, word, owner) } else { Ok(None) }
    }

    /// Resolves a method that makes instances of a type to the constructor of the type, its own or
    /// inherited, unless the type has a method of that name.
    fn made_by(&self, file: &FileView, reference: &Reference, word: &str, owner: Symbol) -> Result<Option<Resolution>> {
        if !self.members(owner, word)?.is_empty() {
            return Ok(None);
        }
        let found = self.named_constructors(file, owner)?;
        if found.is_empty() {
            return Ok(None);
        }
        let found = self.of_written_arity(file, reference, found)?;
        Ok(Some(Resolution::of(found, Confidence::Static, ResolutionEvidence::EnclosingType)))
    }

    /// Returns the constructors of a type that have a name of their own, its own or inherited.
    fn named_constructors(&self, file: &FileView, owner: Symbol) -> Result<Vec<Entity>> {
        let mut found = Vec::new();
        for name in file.language.constructor_names() {
            found.extend(self.members(owner, name)?.into_iter().map(Entity::Symbol));
        }
        Ok(found)
    }

    /// Returns the constructors of a type that take the arguments of a call, but for the one that
    /// the call stands in.
    fn constructors_called(&self, file: &FileView, reference: &Reference, owner: Symbol) -> Result<Vec<Entity>> {
        let Some((_, made)) = self.definition(owner)? else { return Ok(Vec::new()) };
        let around = reference.enclosing.map(|ordinal| Symbol { version: file.version, ordinal });
        let has_overloads = file.rules().overloads_apart;
        let given = Given::by(file, reference, None).filter(|_| has_overloads);
        let mut found = Vec::new();
        for constructor in self.constructors_of(owner)? {
            let Some((home, definition)) = self.definition(constructor)? else { continue };
            let arity = Arity::of(&definition, home.language);
            let is_other_name = !has_overloads && definition.name != made.name;
            let admits = given.zip(arity).is_none_or(|(given, arity)| arity.admits(given));
            if admits && !is_other_name && Some(constructor) != around {
                found.push(Entity::Symbol(constructor));
            }
        }
        Ok(found)
    }

    /// Returns the constructors that stand in a type.
    fn constructors_of(&self, owner: Symbol) -> Result<Vec<Symbol>> {
        let mut found = Vec::new();
        for part in self.all_parts(owner)?.iter() {
            let Some(file) = self.outline(part.version)? else { continue };
            let inside = file.definitions().iter().enumerate();
            let inside = inside.filter(|(_, it)| it.parent == Some(part.ordinal) && it.kind == Kind::Constructor);
            found.extend(inside.map(|(ordinal, _)| Symbol { ordinal: ordinal as u32, ..*part }));
        }
        Ok(found)
    }
}
