//! Any bytes, in any language: no panic, no overrun, and facts in shape. The first byte picks the language.

#![no_main]

use std::time::Duration;

use codecompass_syntax::{Parsed, parse, registry};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((choice, rest)) = data.split_first() else { return };
    let all = registry::all();
    let language = all.get(usize::from(*choice) % (all.len() + 1));
    let text = String::from_utf8_lossy(rest);
    let Parsed::Facts(facts) = parse(&text, language, Duration::from_secs(2)) else { return };
    for (index, definition) in facts.definitions.iter().enumerate() {
        assert!(!definition.name.is_empty());
        assert!(definition.span.start_byte <= definition.span.end_byte);
        assert!(definition.span.end_byte as usize <= text.len());
        assert!(definition.span.end_line <= facts.line_count);
        assert!(definition.parent.is_none_or(|parent| (parent as usize) < index));
    }
    for reference in &facts.references {
        assert!((reference.name as usize) < facts.names.len());
        assert!(reference.enclosing.is_none_or(|index| (index as usize) < facts.definitions.len()));
    }
    for pair in facts.chunks.windows(2) {
        assert!(pair[0].span.end_byte <= pair[1].span.start_byte);
    }
});
