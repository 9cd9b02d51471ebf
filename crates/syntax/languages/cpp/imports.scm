((using_declaration [(qualified_identifier) (identifier)] @import.module) @import
  (#not-match? @import "^using\\s+namespace\\b"))
((using_declaration [(qualified_identifier) (identifier)] @import.module) @import
  (#match? @import "^using\\s+namespace\\b")
  (#set! import.name "*"))
(namespace_alias_definition
  name: (namespace_identifier) @import.alias
  [(namespace_identifier) (nested_namespace_specifier)] @import.module .) @import
