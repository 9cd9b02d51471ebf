; Definitions

(class_declaration name: (identifier) @name) @definition.class
((class_declaration "sealed" name: (identifier) @name) @definition.class
  (#set! modifier sealed))
(class_declaration (mixin_application_class . (identifier) @name)) @definition.class
(mixin_declaration name: (identifier) @name) @definition.trait
(extension_type_declaration name: (extension_type_name . (identifier) @name)) @definition.class
(extension_type_declaration name: (identifier) @name) @definition.class
(extension_type_representation name: (identifier) @name) @definition.field
(enum_declaration name: (identifier) @name) @definition.enum
(enum_entry name: (identifier) @name) @definition.variant
(type_alias (type_identifier) @name) @definition.type

; An extension adds members to the type it is on; it may have a name of its own besides.
; On a type parameter it is on everything, and its own name is all there is.
((extension_declaration class: (type (type_identifier) @name .)) @definition.impl
  (#not-match? @name "^[A-Z]$"))
(extension_declaration class: (type (type_identifier) @name . (type_arguments))) @definition.impl
(extension_declaration class: (type [(function_type) (record_type)] @name)) @definition.impl
(extension_declaration name: (identifier) @name class: (_)) @definition.type

(function_declaration signature: (function_signature name: (identifier) @name)) @definition.function
((function_declaration
    signature: (function_signature name: (identifier) @name)
    body: (function_body ["async" "async*"])) @definition.function
  (#set! modifier async))
(external_function_declaration signature: (function_signature name: (identifier) @name)) @definition.function
[
  (getter_declaration signature: (getter_signature name: (identifier) @name))
  (setter_declaration signature: (setter_signature name: (identifier) @name))
  (external_getter_declaration signature: (getter_signature name: (identifier) @name))
  (external_setter_declaration signature: (setter_signature name: (identifier) @name))
] @definition.property
((local_function_declaration (function_signature name: (identifier) @name) (function_body) @body) @definition.function
  (#set! visibility private))

[
  (top_level_variable_declaration
    (static_final_declaration_list (static_final_declaration name: (identifier) @name)))
  (top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name)))
  (external_variable_declaration (identifier_list (identifier) @name))
] @definition.variable
(top_level_variable_declaration
  modifier: "const"
  (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.constant

; Members without a body
(declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.field
(declaration
  "const"
  (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @definition.constant
(declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name))) @definition.field
(declaration (identifier_list (identifier) @name)) @definition.field
(declaration (function_signature name: (identifier) @name)) @definition.method
(declaration (operator_signature operator: _ @name)) @definition.method
[
  (declaration (getter_signature name: (identifier) @name))
  (declaration (setter_signature name: (identifier) @name))
] @definition.property
; The last part of `Class.named` is the name; without it, the class is.
[
  (declaration (constructor_signature name: (identifier) @name . parameters: (_)))
  (declaration (constant_constructor_signature name: (identifier) @name . parameters: (_)))
  (declaration (factory_constructor_signature name: (identifier) @name . parameters: (_)))
  (declaration (redirecting_factory_constructor_signature name: (identifier) @name . parameters: (_)))
] @definition.constructor
[
  (declaration (constructor_signature name: (identifier) @name . parameters: (_)) [(initializers) (redirection)] @body)
  (declaration
    (constant_constructor_signature name: (identifier) @name . parameters: (_))
    [(initializers) (redirection)] @body)
] @definition.constructor

; Members with a body
(method_declaration signature: (method_signature (function_signature name: (identifier) @name))) @definition.method
((method_declaration
    signature: (method_signature (function_signature name: (identifier) @name))
    body: (function_body ["async" "async*"])) @definition.method
  (#set! modifier async))
((method_declaration signature: (method_signature "static" (function_signature name: (identifier) @name))) @definition.method
  (#set! modifier static))
((method_declaration
    signature: (method_signature "static" (function_signature name: (identifier) @name))
    body: (function_body ["async" "async*"])) @definition.method
  (#set! modifier static) (#set! modifier async))
(method_declaration signature: (method_signature (operator_signature operator: _ @name))) @definition.method
[
  (method_declaration signature: (method_signature (getter_signature name: (identifier) @name)))
  (method_declaration signature: (method_signature (setter_signature name: (identifier) @name)))
] @definition.property
([
    (method_declaration signature: (method_signature "static" (getter_signature name: (identifier) @name)))
    (method_declaration signature: (method_signature "static" (setter_signature name: (identifier) @name)))
  ] @definition.property
  (#set! modifier static))
[
  (method_declaration
    signature: (method_signature (constructor_signature name: (identifier) @name . parameters: (_))))
  (method_declaration
    signature: (method_signature (factory_constructor_signature name: (identifier) @name . parameters: (_))))
] @definition.constructor
(method_declaration
  signature: (method_signature
    (constructor_signature name: (identifier) @name . parameters: (_))
    (initializers) @body)) @definition.constructor

; A definition that the grammar gave up on still has a name.
(ERROR "class" . (identifier) @name @definition.class)
(ERROR "mixin" . (identifier) @name @definition.trait)
(ERROR "enum" . (identifier) @name @definition.enum)
(ERROR (type) . (identifier) @name @definition.function . "(")
(ERROR (function_signature name: (identifier) @name) @definition.function)

; References

(constructor_signature name: (identifier) @name . "." . (identifier)) @reference.type
(constant_constructor_signature name: (identifier) @name . "." . (identifier)) @reference.type
(factory_constructor_signature name: (identifier) @name . "." . (identifier)) @reference.type
(redirection "this" @name . (arguments)) @reference.call
(initializer_list_entry . "super" @name . (arguments)) @reference.call

(type (type_identifier) @receiver . "." . (type_identifier) @name) @reference.type
(superclass type: (type (type_identifier) @name)) @reference.inherit
(mixins (type (type_identifier) @name)) @reference.inherit
(interfaces (type (type_identifier) @name)) @reference.inherit
(mixin_declaration (type (type_identifier) @name)) @reference.inherit
(mixin_application . (type (type_identifier) @name)) @reference.inherit
(superclass type: (type (type_identifier) @receiver . "." . (type_identifier) @name)) @reference.inherit
(mixins (type (type_identifier) @receiver . "." . (type_identifier) @name)) @reference.inherit
(interfaces (type (type_identifier) @receiver . "." . (type_identifier) @name)) @reference.inherit
(redirecting_factory_constructor_signature target: (type (type_identifier) @name)) @reference.call
(redirecting_factory_constructor_signature
  target: (_) @receiver
  target_constructor: (identifier) @name) @reference.call
(constant_pattern (identifier) @receiver . "." . (identifier) @name) @reference.read

(assignment_expression left: (assignable_expression . (identifier) @name .)) @reference.write
(assignment_expression left: (assignable_expression property: (identifier) @name)) @reference.write
(postfix_expression argument: (assignable_expression . (identifier) @name .)) @reference.write
(postfix_expression argument: (assignable_expression property: (identifier) @name)) @reference.write
(unary_expression (assignable_expression . (identifier) @name .)) @reference.write
(unary_expression (assignable_expression property: (identifier) @name)) @reference.write
(field_initializer name: (identifier) @name) @reference.write
(field_formal_parameter name: (identifier) @name) @reference.write

(call_expression
  function: [
    (identifier) @name
    (member_expression property: (identifier) @name)
    (null_aware_member_expression property: (identifier) @name)
    (instantiation_expression function: [
      (identifier) @name
      (member_expression property: (identifier) @name)
      (null_aware_member_expression property: (identifier) @name)
    ])
    (null_assertion_expression value: [(identifier) @name (member_expression property: (identifier) @name)])
    (static_member_shorthand (identifier) @name)
  ]) @reference.call
(cascade . (_) @receiver (cascade_section (cascade_selector (identifier) @name))) @reference.read
(cascade
  . (_) @receiver
  (cascade_section
    (cascade_selector (identifier) @name)
    ["=" "+=" "-=" "*=" "/=" "??="])) @reference.write
(cascade . (_) @receiver (cascade_section (cascade_call_expression property: (identifier) @name))) @reference.call
(cascade_call_expression function: (cascade_member_expression property: (identifier) @name)) @reference.call

[
  (new_expression type: (type (type_identifier) @name))
  (const_object_expression type: (type (type_identifier) @name))
  (constructor_invocation type: (type_identifier) @name)
  (constructor_tearoff . (type_identifier) @name)
] @reference.call
[
  (new_expression type: (type (type_identifier) @receiver . "." . (type_identifier) @name))
  (const_object_expression type: (type (type_identifier) @receiver . "." . (type_identifier) @name))
] @reference.call
[
  (new_expression type: (_) @receiver constructor: (identifier) @name)
  (const_object_expression type: (_) @receiver constructor: (identifier) @name)
  (constructor_invocation type: (_) @receiver constructor: (identifier) @name)
] @reference.call
(enum_entry name: (identifier) "." . (identifier) @name) @reference.call
; What stands before a dot in a type is an import's prefix.
(type . (type_identifier) @name . "." . (type_identifier)) @reference.read

(annotation name: (identifier) @name (annotation_arguments)) @reference.call
(annotation name: (qualified_name (type_identifier) @name . "." . (identifier))) @reference.read

; Names that are no use of anything

((annotation name: (identifier) @skip)
  (#eq? @skip "override"))
((identifier_dollar_escaped) @skip
  (#eq? @skip "this"))
(label (identifier) @skip)
(labeled_statement . (identifier) @skip)
(break_statement (identifier) @skip)
(continue_statement (identifier) @skip)
(typed_identifier name: (identifier) @skip)
(record_type_field name: (identifier) @skip)
(library_name (dotted_identifier_list (identifier) @skip))
(part_of_directive (dotted_identifier_list (identifier) @skip))
(uri_test (dotted_identifier_list (identifier) @skip))
(combinator "hide" (identifier) @skip)
(constructor_signature . name: (identifier) @skip)
(constant_constructor_signature . name: (identifier) @skip)
(factory_constructor_signature . name: (identifier) @skip)
(redirecting_factory_constructor_signature . name: (identifier) @skip)

; Names bound for one function

(formal_parameter name: (identifier) @local)
(formal_parameter (identifier) @local)
(super_formal_parameter name: (identifier) @local)
(initialized_variable_declaration name: (identifier) @local)
(initialized_identifier name: (identifier) @local)
(for_statement name: (identifier) @local)
(for_element name: (identifier) @local)
(catch_clause exception: (identifier) @local)
(catch_clause stack_trace: (identifier) @local)
(variable_pattern name: (identifier) @local)

; Type parameters

(type_parameter name: (type_identifier) @local.type)
