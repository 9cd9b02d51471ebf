(use_declaration . argument: (_) @import.tree) @import
((use_declaration (visibility_modifier) argument: (_) @import.tree) @import
  (#set! reexport))
(extern_crate_declaration !alias name: (identifier) @import.module) @import
(extern_crate_declaration name: (identifier) @import.module alias: (identifier) @import.alias) @import
