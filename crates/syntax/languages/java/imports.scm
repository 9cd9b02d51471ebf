(import_declaration [(identifier) (scoped_identifier)] @import.module .) @import
((import_declaration [(identifier) (scoped_identifier)] @import.module (asterisk)) @import
  (#set! import.name "*"))
((requires_module_directive module: (_) @import.module) @import
  (#set! import.name "*"))
