(import_statement name: (dotted_name) @import.module) @import
(import_from_statement module_name: (_) @import.module name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.name) @import
(future_import_statement "__future__" @import.module name: (dotted_name) @import.name) @import

; `import a as a` and `from m import a as a` say that the name is meant to be passed on.
((import_statement
    name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias)) @import
  (#not-eq? @import.module @import.alias))
((import_statement
    name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias)) @import
  (#eq? @import.module @import.alias) (#set! reexport))
((import_from_statement
    module_name: (_) @import.module
    name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
  (#not-eq? @import.name @import.alias))
((import_from_statement
    module_name: (_) @import.module
    name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
  (#eq? @import.name @import.alias) (#set! reexport))
(future_import_statement
  "__future__" @import.module
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)) @import
