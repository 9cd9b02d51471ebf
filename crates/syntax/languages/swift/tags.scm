; Definitions

(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(protocol_declaration name: (type_identifier) @name) @definition.trait
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type

; An extension bears the name of its type.
(class_declaration
  declaration_kind: "extension"
  name: [
    (user_type (type_identifier) .)
    (user_type "." (type_identifier) . (type_arguments))
    (array_type)
    (dictionary_type)
    (optional_type)
    (tuple_type)
    (function_type)
    (protocol_composition_type)
    (existential_type)
    (opaque_type)
  ] @name) @definition.impl
(class_declaration
  declaration_kind: "extension"
  name: (user_type . (type_identifier) @name . (type_arguments) .)) @definition.impl

(enum_entry name: (simple_identifier) @name) @definition.variant
((class_declaration
    (modifiers (visibility_modifier) @_visibility)
    body: (enum_class_body (enum_entry name: (simple_identifier) @name) @definition.variant))
  (#any-of? @_visibility "public" "open") (#set! visibility public))
((class_declaration
    (modifiers (visibility_modifier) @_visibility)
    body: (enum_class_body (enum_entry name: (simple_identifier) @name) @definition.variant))
  (#any-of? @_visibility "private" "fileprivate") (#set! visibility private))

(function_declaration name: [(simple_identifier) (custom_operator) (bang)] @name) @definition.function
(function_declaration
  name: [
    "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "++" "--" "~" "|" "^" "<<"
    ">>" "&"
  ] @name) @definition.function
(protocol_function_declaration name: [(simple_identifier) (custom_operator) (bang)] @name) @definition.method
(protocol_function_declaration
  name: [
    "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "++" "--" "~" "|" "^" "<<"
    ">>" "&"
  ] @name) @definition.method
(init_declaration name: "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name (computed_property) @body) @definition.property
(macro_declaration (simple_identifier) @name) @definition.macro
(macro_declaration (simple_identifier) @name definition: (_) @body) @definition.macro

(property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
(source_file
  (property_declaration
    (value_binding_pattern mutability: "let")
    name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(source_file
  (property_declaration
    name: (pattern bound_identifier: (simple_identifier) @name)
    computed_value: (_) @body) @definition.property)
[
  (class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
  (enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.field)
]
[
  (class_body
    (property_declaration
      name: (pattern bound_identifier: (simple_identifier) @name)
      (willset_didset_block) @body) @definition.field)
  (enum_class_body
    (property_declaration
      name: (pattern bound_identifier: (simple_identifier) @name)
      (willset_didset_block) @body) @definition.field)
]
[
  (class_body
    (property_declaration
      name: (pattern bound_identifier: (simple_identifier) @name)
      computed_value: (_) @body) @definition.property)
  (enum_class_body
    (property_declaration
      name: (pattern bound_identifier: (simple_identifier) @name)
      computed_value: (_) @body) @definition.property)
]
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property

; What comes after the name
((function_declaration name: (simple_identifier) @name "async") @definition.function
  (#set! modifier async))
((protocol_function_declaration name: (simple_identifier) @name "async") @definition.method
  (#set! modifier async))
; `class func` is a static method that subclasses may override.
((function_declaration (modifiers (property_modifier) @_class) name: (simple_identifier) @name) @definition.function
  (#eq? @_class "class") (#set! modifier static))
((function_declaration (modifiers (property_modifier) @_class) name: (simple_identifier) @name "async") @definition.function
  (#eq? @_class "class") (#set! modifier static) (#set! modifier async))

((statements (function_declaration name: (simple_identifier) @name) @definition.function)
  (#set! visibility private))

; Roles

((class_body
    (function_declaration
      name: (simple_identifier) @name
      body: (_)) @definition.function)
  (#match? @name "^test([A-Z0-9_]|$)") (#set! role test))
((class_body
    (function_declaration
      name: (simple_identifier) @name
      "async") @definition.function)
  (#match? @name "^test([A-Z0-9_]|$)") (#set! modifier async) (#set! role test))
((class_body
    (function_declaration
      (modifiers (property_modifier) @_static)
      name: (simple_identifier) @name) @definition.function)
  (#eq? @_static "static") (#eq? @name "main") (#set! role entry_point))
((class_declaration
    (modifiers (attribute (user_type (type_identifier) @_main)))
    declaration_kind: ["class" "actor"]
    name: (type_identifier) @name) @definition.class
  (#any-of? @_main "main" "UIApplicationMain" "NSApplicationMain") (#set! role entry_point))
((class_declaration
    (modifiers (attribute (user_type (type_identifier) @_main)))
    declaration_kind: "struct"
    name: (type_identifier) @name) @definition.struct
  (#eq? @_main "main") (#set! role entry_point))
((class_declaration
    (modifiers (attribute (user_type (type_identifier) @_main)))
    declaration_kind: "enum"
    name: (type_identifier) @name) @definition.enum
  (#eq? @_main "main") (#set! role entry_point))

; A definition that the grammar gave up on still has a name.
(ERROR "func" . (simple_identifier) @name @definition.function)
(ERROR "class" . [(type_identifier) (simple_identifier)] @name @definition.class)
(ERROR "struct" . [(type_identifier) (simple_identifier)] @name @definition.struct)
(ERROR "enum" . [(type_identifier) (simple_identifier)] @name @definition.enum)
(ERROR "protocol" . [(type_identifier) (simple_identifier)] @name @definition.trait)

; References

(user_type (type_identifier) @receiver . "." . (type_identifier) @name) @reference.type
(inheritance_specifier inherits_from: (user_type . (type_identifier) @name)) @reference.inherit
(inheritance_specifier
  inherits_from: (user_type (type_identifier) @receiver . "." . (type_identifier) @name)) @reference.inherit
(user_type . (type_identifier) @name . "." . (type_identifier)) @reference.read
(inheritance_constraint constrained_type: (identifier (simple_identifier) @name)) @reference.type
(equality_constraint constrained_type: (identifier (simple_identifier) @name)) @reference.type

(navigation_expression
  target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) @reference.read

; `\.name`
(navigation_expression
  target: (key_path_expression)
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) @reference.read
(navigation_expression
  target: (key_path_expression (type_identifier) @receiver)
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) @reference.read

(assignment target: (directly_assignable_expression (simple_identifier) @name)) @reference.write
(assignment
  target: (directly_assignable_expression
    (navigation_expression
      target: (_) @receiver
      suffix: (navigation_suffix suffix: (simple_identifier) @name)))) @reference.write

; `items[0]` has the shape of a call, too.
(call_expression
  . (simple_identifier) @name
  (call_suffix [(value_arguments "(") (lambda_literal)])) @reference.call
(call_expression
  . (prefix_expression operation: "." target: (simple_identifier) @name)
  (call_suffix [(value_arguments "(") (lambda_literal)])) @reference.call
(call_expression
  . (navigation_expression
    target: (_) @receiver
    suffix: (navigation_suffix suffix: (simple_identifier) @name))
  (call_suffix [(value_arguments "(") (lambda_literal)])) @reference.call
; The grammar takes `a + f(x)` for a call of `a + f`.
(call_expression
  . [
      (additive_expression rhs: (simple_identifier) @name)
      (multiplicative_expression rhs: (simple_identifier) @name)
      (additive_expression rhs: (multiplicative_expression rhs: (simple_identifier) @name))
    ]
  (call_suffix [(value_arguments "(") (lambda_literal)])) @reference.call
(call_expression
  . [
      (additive_expression rhs: (navigation_expression
          target: (_) @receiver
          suffix: (navigation_suffix suffix: (simple_identifier) @name)))
      (multiplicative_expression rhs: (navigation_expression
          target: (_) @receiver
          suffix: (navigation_suffix suffix: (simple_identifier) @name)))
      (additive_expression rhs: (multiplicative_expression rhs: (navigation_expression
          target: (_) @receiver
          suffix: (navigation_suffix suffix: (simple_identifier) @name))))
    ]
  (call_suffix [(value_arguments "(") (lambda_literal)])) @reference.call
(constructor_expression constructed_type: (user_type . (type_identifier) @name)) @reference.call
(macro_invocation (simple_identifier) @name) @reference.call
; The attributes of the language itself are in lower case.
((attribute (user_type (type_identifier) @name)) @reference.call
  (#match? @name "^[A-Z]"))

; Names that are no use of anything

((attribute (user_type (type_identifier) @skip))
  (#match? @skip "^[a-z_]"))
((attribute (user_type (type_identifier) @_attribute) (simple_identifier) @skip)
  (#match? @_attribute "^[a-z_]"))
(attribute (simple_identifier) @skip . ":")
(parameter external_name: (simple_identifier) @skip)
(lambda_parameter external_name: (simple_identifier) @skip)
(value_argument_label (simple_identifier) @skip)
(call_suffix name: (simple_identifier) @skip)
(constructor_suffix name: (simple_identifier) @skip)
(tuple_expression name: (simple_identifier) @skip)
(tuple_type_item name: (simple_identifier) @skip)
(enum_type_parameters (simple_identifier) @skip)
(pattern (simple_identifier) @skip . ":")
(directive (simple_identifier) @skip)
(availability_condition (identifier (simple_identifier) @skip))
(operator_declaration (simple_identifier) @skip)
(precedence_group_declaration (simple_identifier) @skip)
(precedence_group_attribute (simple_identifier) @skip)
(playground_literal (simple_identifier) @skip)
; What the grammar takes for names, though it is not
((simple_identifier) @skip
  (#match? @skip "^(\\$[0-9]+|Self|self|fallthrough)$"))
((call_expression . (simple_identifier) @skip (call_suffix . (lambda_literal)))
  (#eq? @skip "defer"))
((type_identifier) @skip
  (#eq? @skip "Self"))

; Names bound for one function

(parameter name: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @local)
(capture_list_item name: (simple_identifier) @local value: (_))
(pattern bound_identifier: (simple_identifier) @local)
(if_statement bound_identifier: (simple_identifier) @local)
(guard_statement bound_identifier: (simple_identifier) @local)
(while_statement bound_identifier: (simple_identifier) @local)
(computed_setter (simple_identifier) @local)
(willset_clause (simple_identifier) @local)
(didset_clause (simple_identifier) @local)

; `for (a, b) in …`, `let (a, (b, c)) = …`
(for_statement item: (pattern (pattern (simple_identifier) @local)))
(for_statement item: (pattern (pattern (pattern (simple_identifier) @local))))
(property_declaration name: (pattern (pattern (simple_identifier) @local)))
(property_declaration name: (pattern (pattern (pattern (simple_identifier) @local))))

; `case let .pair(a, (b, c))`
(pattern (value_binding_pattern) (pattern (simple_identifier) @local))
(pattern (value_binding_pattern) (pattern (pattern (simple_identifier) @local)))
(if_statement (value_binding_pattern) (pattern (simple_identifier) @local))
(guard_statement (value_binding_pattern) (pattern (simple_identifier) @local))
(while_statement (value_binding_pattern) (pattern (simple_identifier) @local))

; What setters, observers and handlers of errors are given without saying so
((simple_identifier) @local
  (#any-of? @local "newValue" "oldValue"))
((catch_block
    !error
    (statements [
      (call_expression (call_suffix (value_arguments (value_argument value: [(simple_identifier) @local (navigation_expression target: (simple_identifier) @local) (call_expression (call_suffix (value_arguments (value_argument value: (simple_identifier) @local))))]))))
      (control_transfer_statement [(simple_identifier) @local (call_expression (call_suffix (value_arguments (value_argument value: (simple_identifier) @local))))])
      (assignment result: [(simple_identifier) @local (call_expression (call_suffix (value_arguments (value_argument value: (simple_identifier) @local))))])
      (property_declaration value: [(simple_identifier) @local (as_expression expr: (simple_identifier) @local)])
      (if_statement condition: (as_expression expr: (simple_identifier) @local))
      (switch_statement expr: (simple_identifier) @local)
    ]))
  (#eq? @local "error"))

; Type parameters

(type_parameter . (type_identifier) @local.type)
(type_parameter . (type_parameter_pack (user_type (type_identifier) @local.type)))
