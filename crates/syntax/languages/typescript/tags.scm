; What only the TypeScript grammars have.

; Definitions

(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(type_alias_declaration name: (_) @name value: (object_type) @body) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(enum_body name: (_) @name @definition.variant)
(enum_assignment name: (_) @name) @definition.variant
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
(abstract_class_declaration name: (_) @name) @definition.class
(function_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(interface_body (property_signature name: (_) @name) @definition.field)
(type_alias_declaration
  value: [
    (object_type (property_signature name: (_) @name) @definition.field)
    (intersection_type (object_type (property_signature name: (_) @name) @definition.field))
  ])

(public_field_definition name: (_) @name) @definition.field
(public_field_definition
  name: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method
((public_field_definition name: (_) @name value: (arrow_function . "async" body: (_) @body)) @definition.method
  (#set! modifier async))

; `constructor(private x: T)` declares a field.
(required_parameter (accessibility_modifier) pattern: (identifier) @name @local) @definition.field
(optional_parameter (accessibility_modifier) pattern: (identifier) @name @local) @definition.field
(required_parameter "readonly" pattern: (identifier) @name @local) @definition.field

; Functions of an object that is asserted to have a type.
(variable_declarator
  value: [
    (as_expression . (object
      (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method))
    (satisfies_expression . (object
      (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method))
  ])

; Values of such an object that a module exports as a constant.
(export_statement
  declaration: (lexical_declaration
    . "const"
    (variable_declarator
      name: (identifier)
      value: [
        (as_expression . (object
          (pair
            key: [(property_identifier) (string)] @name
            value: [
              (string) (template_string) (number) (true) (false) (null) (regex) (unary_expression) (identifier)
              (member_expression) (array)
            ]) @definition.field))
        (satisfies_expression . (object
          (pair
            key: [(property_identifier) (string)] @name
            value: [
              (string) (template_string) (number) (true) (false) (null) (regex) (unary_expression) (identifier)
              (member_expression) (array)
            ]) @definition.field))
        (satisfies_expression . (as_expression . (object
          (pair
            key: [(property_identifier) (string)] @name
            value: [
              (string) (template_string) (number) (true) (false) (null) (regex) (unary_expression) (identifier)
              (member_expression) (array)
            ]) @definition.field)))
      ])))

; What `declare global` holds is everyone's.
((ambient_declaration . "declare" . "global" . (statement_block [
    (function_signature name: (_) @name) @definition.function
    (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable)
    (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)
    (interface_declaration name: (_) @name) @definition.interface
    (type_alias_declaration name: (_) @name) @definition.type
    (class_declaration name: (_) @name) @definition.class
  ]))
  (#set! visibility public))

(export_statement . "export" . "=" . (identifier) @exported)

; References

(call_expression
  function: (non_null_expression [(identifier) @name (member_expression property: (_) @name)])) @reference.call
(decorator (parenthesized_expression (identifier) @name)) @reference.call
(extends_clause
  value: [
    (identifier) @name
    (member_expression property: (_) @name)
    (call_expression arguments: (arguments (identifier) @name))
  ]) @reference.inherit
(implements_clause [
  (type_identifier) @name
  (nested_type_identifier name: (_) @name)
  (generic_type name: [(type_identifier) @name (nested_type_identifier name: (_) @name)])
]) @reference.inherit
(extends_type_clause [
  (type_identifier) @name
  (nested_type_identifier name: (_) @name)
  (generic_type name: [(type_identifier) @name (nested_type_identifier name: (_) @name)])
]) @reference.inherit
(type_query [(identifier) @name (member_expression property: (_) @name)]) @reference.type
(assignment_expression
  left: (non_null_expression [(identifier) @name (member_expression property: (_) @name)])) @reference.write

; Names that are no use of anything

(property_signature name: (property_identifier) @skip)
(method_signature name: (property_identifier) @skip)
(index_signature name: (identifier) @skip)
(required_parameter name: (identifier) @skip)
(optional_parameter name: (identifier) @skip)
(internal_module
  name: (nested_identifier
    object: [(identifier) (member_expression property: (_) @skip)]
    property: (_) @skip))
(export_statement . "export" . "as" . "namespace" . (identifier) @skip)

; Names bound for one function or definition

(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(type_parameter name: (type_identifier) @local.type)
(mapped_type_clause name: (type_identifier) @local.type)
(infer_type . (type_identifier) @local.type)
