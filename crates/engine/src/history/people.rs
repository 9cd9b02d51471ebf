//! The `.mailmap` of a repository: the names and addresses that authors want to be known by.

use rustc_hash::FxHashMap;

use crate::store::history::record::Person;

/// The rules of a `.mailmap`.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailmap {
    /// By the address of the commit, in lower case.
    by_email: FxHashMap<String, Rules>,
}

#[derive(Clone, Debug, Default)]
struct Rules {
    /// For any name.
    any: Replacement,
    /// By the name of the commit, in lower case.
    by_name: FxHashMap<String, Replacement>,
}

#[derive(Clone, Debug, Default)]
struct Replacement {
    name: Option<String>,
    email: Option<String>,
}

impl Mailmap {
    /// Reads the rules. Lines that make no sense are passed over, as in git.
    pub(super) fn parse(text: &str) -> Mailmap {
        let mut mailmap = Mailmap::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((name, email, rest)) = name_and_email(line) else { continue };
            let second = name_and_email(rest);
            let (old_name, old_email, replacement) = match second {
                None => ("", email, Replacement { name: given(name), email: None }),
                Some((old_name, old_email, _)) => {
                    (old_name, old_email, Replacement { name: given(name), email: given(email) })
                }
            };
            let rules = mailmap.by_email.entry(old_email.to_lowercase()).or_default();
            let rule = if old_name.is_empty() {
                &mut rules.any
            } else {
                rules.by_name.entry(old_name.to_lowercase()).or_default()
            };
            rule.name = replacement.name.or(rule.name.take());
            rule.email = replacement.email.or(rule.email.take());
        }
        mailmap
    }

    /// Returns how a person wants to be known.
    pub(super) fn map(&self, person: &Person) -> Person {
        let Some(rules) = self.by_email.get(&person.email.to_lowercase()) else { return person.clone() };
        let rule = rules.by_name.get(&person.name.to_lowercase()).unwrap_or(&rules.any);
        Person {
            name: rule.name.clone().unwrap_or_else(|| person.name.clone()),
            email: rule.email.clone().unwrap_or_else(|| person.email.clone()),
        }
    }
}

fn given(text: &str) -> Option<String> {
    Some(text.to_string()).filter(|text| !text.is_empty())
}

/// Splits `Name <address> rest`.
fn name_and_email(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once('<')?;
    let (email, rest) = rest.split_once('>')?;
    Some((name.trim(), email.trim(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_mailmap() {
        let mailmap = Mailmap::parse(
            "# people\nProper Name <a@x>\n<new@x> <old@x>\nBoth <both@x> <B@X>\nOne <one@x> Shared <s@x>\nTwo <two@x> other <s@x>\nnonsense\n",
        );
        let map = |name: &str, email: &str| mailmap.map(&Person { name: name.into(), email: email.into() }).to_string();
        assert_eq!(map("p", "A@x"), "Proper Name <A@x>");
        assert_eq!(map("p", "old@x"), "p <new@x>");
        assert_eq!(map("p", "b@x"), "Both <both@x>");
        assert_eq!(map("shared", "s@x"), "One <one@x>");
        assert_eq!(map("Other", "s@x"), "Two <two@x>");
        assert_eq!(map("third", "s@x"), "third <s@x>");
        assert_eq!(map("p", "unknown@x"), "p <unknown@x>");
    }
}
