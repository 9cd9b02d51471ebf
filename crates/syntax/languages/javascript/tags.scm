; What JavaScript, TypeScript and TSX have in common. Compiled against all three grammars.

; Definitions

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.method

; Functions and classes with a name of their own; the walk leaves out those that are a whole value.
(function_expression name: (identifier) @name) @definition.function
(generator_function name: (identifier) @name) @definition.function
(class name: (_) @name) @definition.class

(variable_declarator name: (identifier) @name !value) @definition.variable
((variable_declarator name: (identifier) @name value: (_) @_value) @definition.variable
  (#not-match? @_value "^(require|await\\s+import)\\s*\\([^()]*\\)(\\s*\\.\\s*\\w+)?$"))
((variable_declarator
  name: [
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern value: (identifier) @name)
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (rest_pattern (identifier) @name)
    ])
    (array_pattern (identifier) @name)
  ]
  value: (_) @_value) @definition.variable
  (#not-match? @_value "^(require|await\\s+import)\\s*\\([^()]*\\)(\\s*\\.\\s*\\w+)?$"))

; Functions and classes that a variable holds.
(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function
((variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function . "async" body: (_) @body)
    (function_expression . "async" body: (_) @body)
  ]) @definition.function
  (#set! modifier async))
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class

; A function that is assigned to a variable declared before.
(assignment_expression
  left: (identifier) @name
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function

; A class without a name of its own that is assigned to a variable declared before or to a member.
(assignment_expression left: (identifier) @name right: (class !name body: (_) @body)) @definition.class
((assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression) (subscript_expression)] @container
    property: (_) @name)
  right: (class !name body: (_) @body)) @definition.class
  (#not-match? @container "^(this\\b|module$|exports$|module\\.exports$)|\\.prototype$")
  (#set! visibility public))

; `export default` without a name.
(export_statement
  . "export" . "default" @name .
  value: [
    (arrow_function body: (_) @body)
    (function_expression !name body: (_) @body)
    (generator_function !name body: (_) @body)
  ]) @definition.function
(export_statement . "export" . "default" @name . value: (class !name body: (_) @body)) @definition.class
(export_statement
  . "export" . "default" @name .
  value: [
    (object)
    (call_expression arguments: (arguments (object)))
  ]) @definition.variable

; Functions assigned to a member.
((assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression) (subscript_expression)] @container
    property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method
  (#not-match? @container "^(this\\b|module$|exports$|module\\.exports$)|\\.prototype$")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: (this) @receiver property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method
  (#set! visibility public))
((assignment_expression
  left: (member_expression
    object: (member_expression
      object: [(identifier) (member_expression)] @container
      property: (property_identifier) @_prototype)
    property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method
  (#eq? @_prototype "prototype")
  (#set! visibility public))
((assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression)] @container
    property: (property_identifier) @_prototype)
  right: (object [
    (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
    (method_definition name: (_) @name) @definition.method
  ]))
  (#eq? @_prototype "prototype")
  (#set! visibility public))

; CommonJS exports.
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: (_) @_value) @definition.variable
  (#any-of? @_exports "exports" "module.exports")
  (#not-match? @_value "^(require\\s*\\(.*|[\\w$.]*[a-zA-Z_$][\\w$.]*|void 0|exports\\b.*)$")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function
  (#any-of? @_exports "exports" "module.exports")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name)
  right: (class body: (_) @body)) @definition.class
  (#any-of? @_exports "exports" "module.exports")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression !name body: (_) @body)
  ]) @definition.function
  (#eq? @_module "module")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
  right: (class !name body: (_) @body)) @definition.class
  (#eq? @_module "module")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: (identifier) @_module)
  right: (object [
    (pair
      key: (_) @name
      value: [
        (arrow_function body: (_) @body)
        (function_expression body: (_) @body)
        (generator_function body: (_) @body)
      ]) @definition.function
    (method_definition name: (_) @name) @definition.function
    (pair
      key: (_) @container
      value: (object [
        (pair
          key: (_) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
        (method_definition name: (_) @name) @definition.method
      ]))
    (shorthand_property_identifier) @exported
    (pair value: (identifier) @exported)
  ]))
  (#eq? @_module "module")
  (#set! visibility public))

; Names that are exported apart from their definition.
((assignment_expression
  left: (member_expression object: (_) @_exports)
  right: [
    (identifier) @exported
    (function_expression name: (identifier) @exported)
    (class name: (_) @exported)
  ])
  (#any-of? @_exports "exports" "module" "module.exports"))
(export_statement . "export" . (export_clause (export_specifier name: (identifier) @exported)) !source)
(export_statement
  . "export" . "default" .
  value: [
    (identifier) @exported
    (call_expression arguments: (arguments (identifier) @exported))
  ])

; What can be saved from code that is not finished.
(ERROR (function_expression name: (identifier) @name) @definition.function)
(ERROR (class name: (_) @name) @definition.class)
(ERROR "class" . (_) @name @definition.class)
(ERROR "function" . (identifier) @name @definition.function)
(ERROR ["const" "let" "var"] . (identifier) @name @definition.variable)

; References

(call_expression function: [(identifier) @name (super) @name (member_expression property: (_) @name)]) @reference.call
(new_expression constructor: [(identifier) @name (this) @name (member_expression property: (_) @name)]) @reference.call
(decorator [(identifier) @name (member_expression property: (_) @name)]) @reference.call
(assignment_expression
  left: [
    (identifier) @name
    (member_expression property: (_) @name)
    (array_pattern (identifier) @name)
    (object_pattern (shorthand_property_identifier_pattern) @name)
    (object_pattern (pair_pattern value: (identifier) @name))
  ]) @reference.write
(augmented_assignment_expression left: [(identifier) @name (member_expression property: (_) @name)]) @reference.write
(update_expression argument: [(identifier) @name (member_expression property: (_) @name)]) @reference.write

; Names that are no use of anything

(pair key: (property_identifier) @skip)
(pair_pattern key: (property_identifier) @skip)
(export_specifier alias: (identifier) @skip)
((assignment_expression left: (member_expression object: [(identifier) @skip (member_expression object: (identifier) @skip)]))
  (#any-of? @skip "exports" "module"))

; Names bound for one function

(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(assignment_pattern left: (identifier) @local)
(rest_pattern (identifier) @local)
(arrow_function parameter: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)
