(package_declaration [(identifier) (scoped_identifier)] @package)

; Definitions

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name body: (class_body) @body) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
((module_declaration name: (identifier) @name) @definition.module
  (#set! visibility public))
((module_declaration name: (scoped_identifier) @name) @definition.module
  (#set! visibility public))

((enum_constant name: (identifier) @name) @definition.variant
  (#set! visibility public))
((enum_constant name: (identifier) @name body: (class_body) @body) @definition.variant
  (#set! visibility public))

(method_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
((enum_body_declarations (constructor_declaration name: (identifier) @name) @definition.constructor)
  (#set! visibility private))
(compact_constructor_declaration name: (identifier) @name) @definition.constructor

(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration
  (modifiers "final" "static")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant

; The parts of a record are read from everywhere.
((record_declaration
    parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))
  (#set! visibility public))
((record_declaration
    parameters: (formal_parameters (spread_parameter (variable_declarator name: (identifier) @name)) @definition.field))
  (#set! visibility public))

; A definition that the grammar gave up on still has a name.
(ERROR "class" . (identifier) @name @definition.class)
(ERROR "interface" . (identifier) @name @definition.interface)
(ERROR "@interface" . (identifier) @name @definition.interface)
(ERROR "enum" . (identifier) @name @definition.enum)
(ERROR (identifier) @name @definition.method . (formal_parameters))
(ERROR
  [(void_type) (integral_type) (floating_point_type) (boolean_type) (type_identifier) (generic_type) (array_type)]
  . (identifier) @name @definition.method . "(")
((ERROR "import" (scoped_identifier name: (identifier) @_class) . (identifier) @name @definition.class)
  (#any-of? @_class "class" "interface" "enum" "record"))

; Roles

((method_declaration (modifiers "static") type: (void_type) name: (identifier) @name) @definition.method
  (#eq? @name "main") (#set! role entry_point))

; References

(method_invocation name: (identifier) @name) @reference.call
(explicit_constructor_invocation constructor: [(this) (super)] @name) @reference.call
(object_creation_expression
  type: [
    (type_identifier) @name
    (generic_type . (type_identifier) @name)
  ]) @reference.call
; A class without a name extends or implements the type that is named.
(object_creation_expression
  type: [
    (type_identifier) @name
    (generic_type . (type_identifier) @name)
  ]
  (class_body)) @reference.inherit
(method_reference . [(type_identifier) @name (generic_type . (type_identifier) @name)] "new") @reference.call
(method_reference . (identifier) @name "new") @reference.call
(method_reference . (_) @receiver (identifier) @name .) @reference.read

(superclass [(type_identifier) @name (generic_type . (type_identifier) @name)]) @reference.inherit
(super_interfaces (type_list [(type_identifier) @name (generic_type . (type_identifier) @name)])) @reference.inherit
(extends_interfaces (type_list [(type_identifier) @name (generic_type . (type_identifier) @name)])) @reference.inherit

; What is qualified bears its package or outer type as receiver; packages are no uses of anything.
((scoped_type_identifier . (type_identifier) @skip)
  (#match? @skip "^[a-z]"))
(scoped_type_identifier . (_) @receiver (type_identifier) @name .) @reference.type
((scoped_type_identifier . (scoped_type_identifier (type_identifier) @skip .))
  (#match? @skip "^[a-z]"))
(object_creation_expression
  type: [
    (scoped_type_identifier . (_) @receiver (type_identifier) @name .)
    (generic_type . (scoped_type_identifier . (_) @receiver (type_identifier) @name .))
  ]) @reference.call
(object_creation_expression
  type: [
    (scoped_type_identifier . (_) @receiver (type_identifier) @name .)
    (generic_type . (scoped_type_identifier . (_) @receiver (type_identifier) @name .))
  ]
  (class_body)) @reference.inherit
(superclass [
  (scoped_type_identifier . (_) @receiver (type_identifier) @name .)
  (generic_type . (scoped_type_identifier . (_) @receiver (type_identifier) @name .))
]) @reference.inherit
(super_interfaces (type_list [
  (scoped_type_identifier . (_) @receiver (type_identifier) @name .)
  (generic_type . (scoped_type_identifier . (_) @receiver (type_identifier) @name .))
])) @reference.inherit
(extends_interfaces (type_list [
  (scoped_type_identifier . (_) @receiver (type_identifier) @name .)
  (generic_type . (scoped_type_identifier . (_) @receiver (type_identifier) @name .))
])) @reference.inherit

(marker_annotation name: [(identifier) @name (scoped_identifier name: (identifier) @name)]) @reference.type
(annotation name: [(identifier) @name (scoped_identifier name: (identifier) @name)]) @reference.type

; What stands before a static member is a type, as far as its name tells.
((method_invocation object: (identifier) @name) @reference.type
  (#match? @name "^\\p{Lu}\\w*\\p{Ll}"))
((field_access object: (identifier) @name) @reference.type
  (#match? @name "^\\p{Lu}\\w*\\p{Ll}"))
((method_reference . (identifier) @name "::" (identifier)) @reference.type
  (#match? @name "^\\p{Lu}\\w*\\p{Ll}"))
(record_pattern . (identifier) @name) @reference.type
(uses_module_directive type: [(identifier) @name (scoped_identifier name: (identifier) @name)]) @reference.type
(provides_module_directive [(identifier) @name (scoped_identifier name: (identifier) @name)]) @reference.type

(assignment_expression left: [(identifier) @name (field_access field: (identifier) @name)]) @reference.write
(update_expression [(identifier) @name (field_access field: (identifier) @name)]) @reference.write

; Names that are no use of anything

(element_value_pair key: (identifier) @skip)
((switch_label (identifier) @skip) (#eq? @skip "default"))
(labeled_statement . (identifier) @skip)
(break_statement (identifier) @skip)
(continue_statement (identifier) @skip)
((local_variable_declaration type: (type_identifier) @skip) (#eq? @skip "var"))
((enhanced_for_statement type: (type_identifier) @skip) (#eq? @skip "var"))
((resource type: (type_identifier) @skip) (#eq? @skip "var"))
((formal_parameter type: (type_identifier) @skip) (#eq? @skip "var"))
((record_pattern_component . (type_identifier) @skip) (#eq? @skip "var"))

; Packages
((scoped_identifier scope: (identifier) @skip) (#match? @skip "^[a-z]"))
((scoped_identifier scope: (scoped_identifier name: (identifier) @skip)) (#match? @skip "^[a-z]"))
((import_declaration (scoped_identifier name: (identifier) @skip) (asterisk)) (#match? @skip "^[a-z]"))
(package_declaration (scoped_identifier name: (identifier) @skip))
(module_declaration name: (scoped_identifier name: (identifier) @skip))
(exports_module_directive [(identifier) @skip (scoped_identifier name: (identifier) @skip)])
(opens_module_directive [(identifier) @skip (scoped_identifier name: (identifier) @skip)])

; Names bound for one function

(formal_parameter name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(enhanced_for_statement name: (identifier) @local)
(catch_formal_parameter name: (identifier) @local)
(resource name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(instanceof_expression name: (identifier) @local)
(type_pattern (identifier) @local .)
(record_pattern_component (identifier) @local .)
(type_parameter (type_identifier) @local.type)
