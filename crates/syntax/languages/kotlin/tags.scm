(package_header (qualified_identifier) @package)
(package_header (qualified_identifier (identifier) @skip))

; Definitions

(class_declaration "class" name: (_) @name) @definition.class
(class_declaration "class" name: (_) @name (class_body) @body) @definition.class
(class_declaration "class" name: (_) @name (enum_class_body) @body) @definition.class
(class_declaration "interface" name: (_) @name) @definition.interface
(class_declaration "interface" name: (_) @name [(class_body) (enum_class_body)] @body) @definition.interface
((class_declaration (modifiers (class_modifier) @_enum) name: (_) @name) @definition.enum
  (#eq? @_enum "enum"))
((class_declaration (modifiers (class_modifier) @_enum) name: (_) @name [(class_body) (enum_class_body)] @body) @definition.enum
  (#eq? @_enum "enum"))
(enum_entry (identifier) @name) @definition.variant
(enum_entry (identifier) @name (class_body) @body) @definition.variant

(object_declaration name: (_) @name) @definition.object
(object_declaration name: (_) @name (class_body) @body) @definition.object
; A companion without a name is left out: its members are written as the class's own.
(companion_object name: (_) @name) @definition.object
(companion_object name: (_) @name (class_body) @body) @definition.object

(type_alias type: (_) @name) @definition.type

(function_declaration name: (_) @name) @definition.function
(function_declaration name: (_) @name (function_body) @body) @definition.function
(object_literal (class_body (function_declaration name: (_) @name (function_body) @body) @definition.method))
(enum_entry (class_body (function_declaration name: (_) @name (function_body) @body) @definition.method))
((companion_object !name (class_body (function_declaration name: (_) @name) @definition.function))
  (#set! modifier static))
((companion_object !name (class_body (function_declaration name: (_) @name (function_body) @body) @definition.function))
  (#set! modifier static))

; An extension belongs to the type it extends.
(function_declaration
  [
    (user_type) @container
    (nullable_type (user_type) @container)
    (parenthesized_type (user_type) @container)
    (parenthesized_type (nullable_type (user_type) @container))
  ]
  name: (_) @name) @definition.function
(function_declaration
  [
    (user_type) @container
    (nullable_type (user_type) @container)
    (parenthesized_type (user_type) @container)
    (parenthesized_type (nullable_type (user_type) @container))
  ]
  name: (_) @name
  (function_body) @body) @definition.function

(secondary_constructor "constructor" @name) @definition.constructor
(secondary_constructor "constructor" @name (block) @body) @definition.constructor
(secondary_constructor "constructor" @name (constructor_delegation_call) @body) @definition.constructor

(class_parameter ["val" "var"] . (identifier) @name) @definition.field

(property_declaration (variable_declaration (identifier) @name)) @definition.variable
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @definition.variable
((property_declaration (modifiers (property_modifier) @_const) (variable_declaration (identifier) @name)) @definition.constant
  (#eq? @_const "const"))
((companion_object !name (class_body (property_declaration (variable_declaration (identifier) @name)) @definition.field))
  (#set! modifier static))
((companion_object
    !name
    (class_body
      (property_declaration
        (modifiers (property_modifier) @_const)
        (variable_declaration (identifier) @name)) @definition.constant))
  (#eq? @_const "const")
  (#set! modifier static))

; What is computed; the first accessor ends the signature.
(source_file
  (property_declaration (variable_declaration (identifier) @name) (setter) @body) @definition.property)
(class_declaration
  (class_body
    (property_declaration (variable_declaration (identifier) @name) (setter) @body) @definition.property))
(class_declaration
  (enum_class_body
    (property_declaration (variable_declaration (identifier) @name) (setter) @body) @definition.property))
(object_declaration
  (class_body
    (property_declaration (variable_declaration (identifier) @name) (setter) @body) @definition.property))
((companion_object
    (class_body
      (property_declaration (variable_declaration (identifier) @name) (setter) @body) @definition.property))
  (#set! modifier static))
(source_file
  (property_declaration (variable_declaration (identifier) @name) (getter) @body) @definition.property)
(class_declaration
  (class_body
    (property_declaration (variable_declaration (identifier) @name) (getter) @body) @definition.property))
(class_declaration
  (enum_class_body
    (property_declaration (variable_declaration (identifier) @name) (getter) @body) @definition.property))
(object_declaration
  (class_body
    (property_declaration (variable_declaration (identifier) @name) (getter) @body) @definition.property))
((companion_object
    (class_body
      (property_declaration (variable_declaration (identifier) @name) (getter) @body) @definition.property))
  (#set! modifier static))
(property_declaration
  [
    (user_type) @container
    (nullable_type (user_type) @container)
    (parenthesized_type (user_type) @container)
    (parenthesized_type (nullable_type (user_type) @container))
  ]
  (variable_declaration (identifier) @name)) @definition.property
(property_declaration
  [
    (user_type) @container
    (nullable_type (user_type) @container)
    (parenthesized_type (user_type) @container)
    (parenthesized_type (nullable_type (user_type) @container))
  ]
  (variable_declaration (identifier) @name)
  [(getter) (setter) (property_delegate)] @body) @definition.property

; A definition that the grammar gave up on still has a name.
(ERROR "class" . (identifier) @name @definition.class)
; After annotations with arguments, `public annotation class A` is read as an expression.
((infix_expression . (identifier) @_modifier . (identifier) @_class . (identifier) @name) @definition.class
  (#any-of? @_modifier "annotation" "actual" "expect" "data" "value")
  (#eq? @_class "class"))
((infix_expression . (infix_expression (identifier) (identifier) (identifier) @_class .) . (identifier) @name) @definition.class
  (#eq? @_class "class"))
(ERROR "interface" . (identifier) @name @definition.interface)
(ERROR "object" . (identifier) @name @definition.object)
(ERROR "fun" . (identifier) @name @definition.function)
(ERROR "fun" . (type_parameters) . (identifier) @name @definition.function)

; Roles

((function_declaration name: (_) @name (function_value_parameters) (function_body) @body) @definition.function
  (#eq? @name "main") (#set! role entry_point))

; Words that the grammar takes for names
((identifier) @skip
  (#any-of? @skip "null" "true" "false" "break" "continue" "it" "field"))

; References

(call_expression . (identifier) @name) @reference.call
((call_expression . (identifier) @skip) (#eq? @skip "suspend"))
(navigation_expression . (_) @receiver (identifier) @name .) @reference.read
(call_expression . (navigation_expression . (_) @receiver (identifier) @name .)) @reference.call
((infix_expression . (_) @receiver . (identifier) @name) @reference.call
  (#set! arguments 1))
(constructor_delegation_call ["this" "super"] @name) @reference.call
(annotation (constructor_invocation (user_type (identifier) @name .))) @reference.type

; A type inside another. The parts of a package's name are no receivers.
((user_type (identifier) @receiver . (identifier) @name . (type_arguments)? .) @reference.type
  (#match? @receiver "^[A-Z]"))

(delegation_specifier (user_type (identifier) @name .)) @reference.inherit
(delegation_specifier (user_type (identifier) @name . (type_arguments) .)) @reference.inherit
(delegation_specifier (constructor_invocation . (user_type (identifier) @name .))) @reference.inherit
(delegation_specifier (constructor_invocation . (user_type (identifier) @name . (type_arguments) .))) @reference.inherit
(delegation_specifier (explicit_delegation . (user_type (identifier) @name .))) @reference.inherit
(delegation_specifier (explicit_delegation . (user_type (identifier) @name . (type_arguments) .))) @reference.inherit
((delegation_specifier [
    (user_type (identifier) @receiver . (identifier) @name . (type_arguments)? .)
    (constructor_invocation . (user_type (identifier) @receiver . (identifier) @name . (type_arguments)? .))
    (explicit_delegation . (user_type (identifier) @receiver . (identifier) @name . (type_arguments)? .))
  ]) @reference.inherit
  (#match? @receiver "^[A-Z]"))

; Packages before a type are no uses of anything.
((user_type (identifier) @skip . (identifier))
  (#match? @skip "^[a-z]"))
(type_constraint . (identifier) @name) @reference.type

; What stands before a member is a type, as far as its name tells.
((navigation_expression . (identifier) @name) @reference.type
  (#match? @name "^\\p{Lu}\\w*\\p{Ll}"))

((assignment left: (identifier) @name) @reference.write
  (#not-eq? @name "field"))
(assignment left: (navigation_expression . (_) @receiver (identifier) @name .)) @reference.write
(unary_expression argument: (identifier) @name operator: ["++" "--"]) @reference.write
(unary_expression operator: ["++" "--"] argument: (identifier) @name) @reference.write
(unary_expression
  argument: (navigation_expression . (_) @receiver (identifier) @name .)
  operator: ["++" "--"]) @reference.write

; Names that are no use of anything

((import (qualified_identifier (identifier) @skip . (identifier))) (#match? @skip "^[a-z]"))
(value_argument . (identifier) @skip . "=")
(function_type_parameters (parameter . (identifier) @skip))
((navigation_expression (identifier) @skip .) (#eq? @skip "class"))
(this_expression (identifier) @skip)
(super_expression "super@" (identifier) @skip)
(return_expression label: (identifier) @skip)

; Names bound for one function

(function_value_parameters (parameter . (identifier) @local))
(for_statement (variable_declaration (identifier) @local))
(for_statement (multi_variable_declaration (variable_declaration (identifier) @local)))
(lambda_parameters (variable_declaration (identifier) @local))
(lambda_parameters (multi_variable_declaration (variable_declaration (identifier) @local)))
(when_subject (variable_declaration (identifier) @local))
(catch_block (identifier) @local)
(setter (identifier) @local)
(type_parameter (identifier) @local.type)
; A parameter that is no property is known in the whole class.
(class_parameter . (identifier) @local.type)
(class_parameter (modifiers) . (identifier) @local.type)
