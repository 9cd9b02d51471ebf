(import_statement "import" . source: (string) @import.module) @import
((import_statement (import_clause . (identifier) @import.alias) source: (string) @import.module) @import
  (#set! import.name default))
((import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (string) @import.module) @import
  (#set! import.name "*"))
(import_statement
  (import_clause (named_imports (import_specifier name: _ @import.name alias: (_)? @import.alias)))
  source: (string) @import.module) @import

((export_statement . "export" . "*" . "from" . source: (string) @import.module) @import
  (#set! import.name "*")
  (#set! reexport))
((export_statement . "export" . (namespace_export (_) @import.alias) source: (string) @import.module) @import
  (#set! import.name "*")
  (#set! reexport))
((export_statement
  . "export" .
  (export_clause (export_specifier name: _ @import.name alias: _? @import.alias))
  source: (string) @import.module) @import
  (#set! reexport))

; What a file gives another name when it exports it is imported from the file itself.
((export_statement
  . "export" .
  (export_clause (export_specifier name: _ @import.name alias: _ @import.alias))
  !source) @import
  (#set! reexport))

; What a file exports without a name.
((export_statement . "export" . "default" . value: (identifier) @import.name) @import
  (#set! import.alias default)
  (#set! reexport))

(call_expression function: (import) arguments: (arguments . (string) @import.module)) @import

(variable_declarator
  name: [
    (identifier) @import.alias
    (object_pattern [
      (shorthand_property_identifier_pattern) @import.name
      (pair_pattern key: (_) @import.name value: (identifier) @import.alias)
    ])
  ]
  value: (await_expression
    (call_expression function: (import) arguments: (arguments . (string) @import.module)))) @import

; CommonJS
((call_expression function: (identifier) @skip arguments: (arguments . (string) @import.module)) @import
  (#eq? @skip "require"))
((variable_declarator
  name: [
    (identifier) @import.alias
    (object_pattern [
      (shorthand_property_identifier_pattern) @import.name
      (pair_pattern key: (_) @import.name value: (identifier) @import.alias)
    ])
  ]
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import
  (#eq? @_require "require"))
((variable_declarator
  name: (identifier) @import.alias
  value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))
    property: (property_identifier) @import.name)) @import
  (#eq? @_require "require"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @import.alias)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import
  (#eq? @_require "require")
  (#any-of? @_exports "exports" "module.exports")
  (#set! reexport))
((assignment_expression
  left: (member_expression object: (identifier) @_module)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import
  (#eq? @_require "require")
  (#eq? @_module "module")
  (#set! import.name "*")
  (#set! reexport))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import
  (#eq? @_require "require")
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! import.alias "module.exports")
  (#set! reexport))
; An object that a module exports: what another module is, has or calls otherwise.
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object
    (spread_element
      (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import))
  (#eq? @_require "require")
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! import.name "*")
  (#set! reexport))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object
    (pair
      key: (property_identifier) @import.alias
      value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import))
  (#eq? @_require "require")
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! reexport))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object
    (pair
      key: (property_identifier) @import.alias
      value: (member_expression
        object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))
        property: (property_identifier) @import.name)) @import))
  (#eq? @_require "require")
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! reexport))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object
    (pair
      key: (property_identifier) @import.alias
      value: (identifier) @import.name) @import))
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! reexport))
; A module that is one value, or gives names of its own to what it exports.
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (identifier) @import.name
    (function_expression name: (identifier) @import.name)
    (class name: (_) @import.name)
  ]) @import
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! import.alias "module.exports")
  (#set! reexport))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @import.name)
  right: [
    (arrow_function)
    (function_expression !name)
    (class !name)
  ]) @import
  (#eq? @_module "module")
  (#eq? @import.name "exports")
  (#set! import.alias "module.exports")
  (#set! reexport))
