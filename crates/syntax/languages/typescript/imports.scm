(import_statement (import_require_clause (identifier) @import.alias source: (string) @import.module)) @import
(import_alias . "import" . (identifier) @import.alias . "=" . (_) @import.module) @import
((member_expression
  object: (call_expression function: (import) arguments: (arguments . (string) @import.module))
  property: (property_identifier) @import.name) @import
  (#not-any-of? @import.name "then" "catch" "finally"))
((export_statement
  . "export" . "default" .
  value: [(as_expression . (identifier) @import.name) (satisfies_expression . (identifier) @import.name)]) @import
  (#set! import.alias default)
  (#set! reexport))
((export_statement . "export" . "=" . (identifier) @import.name) @import
  (#set! import.alias "module.exports")
  (#set! reexport))
