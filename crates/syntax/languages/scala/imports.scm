(import_declaration) @import @import.tree
((export_declaration) @import @import.tree
  (#set! reexport))
