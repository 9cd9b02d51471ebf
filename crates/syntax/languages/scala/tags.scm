(package_clause name: (package_identifier) @package)
(package_clause name: (package_identifier (identifier) @skip))

; Definitions

(class_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.variant
(full_enum_case name: (_) @name) @definition.variant
(type_definition name: (_) @name) @definition.type

(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(instance_expression (template_body (function_definition name: (_) @name) @definition.method))

(val_definition
  pattern: [
    (identifier) @name
    (operator_identifier) @name
    (identifiers (identifier) @name)
    (tuple_pattern (identifier) @name)
    (tuple_pattern (typed_pattern pattern: (identifier) @name))
    (case_class_pattern pattern: (identifier) @name)
    (case_class_pattern pattern: (tuple_pattern (identifier) @name))
    (capture_pattern name: (identifier) @name)
    (infix_pattern left: (identifier) @name)
    (infix_pattern right: (identifier) @name)
  ]) @definition.variable
(var_definition
  pattern: [
    (identifier) @name
    (identifiers (identifier) @name)
    (tuple_pattern (identifier) @name)
  ]) @definition.variable
(val_declaration name: (_) @name) @definition.variable
(var_declaration name: (_) @name) @definition.variable

; The parameters of a class are its fields, private ones unless it is a case class or they are declared as values.
(class_parameter name: (_) @name) @definition.field
((class_definition (class_parameters (class_parameter name: (_) @name) @definition.field))
  (#set! visibility private))
((enum_definition (class_parameters (class_parameter name: (_) @name) @definition.field))
  (#set! visibility private))
(class_definition "case" (class_parameters (class_parameter name: (_) @name) @definition.field))
((class_parameters ["implicit" "using"] (class_parameter name: (_) @name) @definition.field)
  (#set! visibility private))
(class_parameter ["val" "var"] name: (_) @name) @definition.field

; A given with a body is an object; one without a name adds members to the type that it is for.
(given_definition name: (_) @name) @definition.variable
(given_definition name: (_) @name body: [(with_template_body) (template_body)] @body) @definition.object
(given_definition name: (_) @name "with" @body body: (with_template_body)) @definition.object
(given_definition
  !name
  return_type: [
    (type_identifier) @name
    (generic_type
      type_arguments: (type_arguments
        .
        [
          (type_identifier) @name
          (stable_type_identifier (type_identifier) @name)
          (generic_type type: (type_identifier) @name)
        ]))
    (generic_type
      type: (type_identifier) @name
      type_arguments: (type_arguments
        . [(tuple_type) (function_type) (infix_type) (compound_type) (wildcard) (type_lambda) (literal_type) (singleton_type)]))
  ]) @definition.impl
(given_definition
  !name
  return_type: [
    (type_identifier) @name
    (generic_type
      type_arguments: (type_arguments
        .
        [
          (type_identifier) @name
          (stable_type_identifier (type_identifier) @name)
          (generic_type type: (type_identifier) @name)
        ]))
    (generic_type
      type: (type_identifier) @name
      type_arguments: (type_arguments
        . [(tuple_type) (function_type) (infix_type) (compound_type) (wildcard) (type_lambda) (literal_type) (singleton_type)]))
  ]
  "with" @body
  body: (with_template_body)) @definition.impl

; An extension bears the name of its type; that of a type parameter has no type of its own.
((extension_definition
  parameters: (parameters
    (parameter
      type: [
        (type_identifier) @name
        (generic_type type: (type_identifier) @name)
        (generic_type type: (stable_type_identifier (type_identifier) @name))
        (stable_type_identifier (type_identifier) @name)
        (projected_type selector: (type_identifier) @name)
        (singleton_type (identifier) @name)
        (tuple_type) @name
        (function_type) @name
        (infix_type) @name
      ]))) @definition.impl
  (#not-match? @name "^[A-Z]$"))

; What is private to an outer package or type
([
  (class_definition (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.class
  (trait_definition (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.trait
  (object_definition (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.object
  (enum_definition (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.enum
  (type_definition (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.type
  (function_definition (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.function
  (function_declaration (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.function
  (val_definition
    (modifiers (access_modifier (access_qualifier (identifier) @_within)))
    pattern: [(identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)]) @definition.variable
  (var_definition
    (modifiers (access_modifier (access_qualifier (identifier) @_within)))
    pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.variable
  (val_declaration (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.variable
  (var_declaration (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.variable
  (class_parameter (modifiers (access_modifier (access_qualifier (identifier) @_within))) name: (_) @name) @definition.field
]
  (#not-eq? @_within "this")
  (#set! visibility internal))

; A definition that the grammar gave up on still has a name.
(ERROR "class" . (identifier) @name @definition.class)
(ERROR "trait" . (identifier) @name @definition.trait)
(ERROR "object" . (identifier) @name @definition.object)
(ERROR "def" . (identifier) @name @definition.function)

; Roles

((function_definition (annotation name: (type_identifier) @_main) name: (_) @name) @definition.function
  (#eq? @_main "main") (#set! role entry_point))
((object_definition
    name: (_) @name
    extend: (extends_clause (type_identifier) @_app)) @definition.object
  (#any-of? @_app "App" "IOApp" "ResourceApp" "ZIOApp" "ZIOAppDefault") (#set! role entry_point))
((object_definition
    name: (_) @name
    extend: (extends_clause (stable_type_identifier) @_app)) @definition.object
  (#any-of? @_app "IOApp.Simple" "ResourceApp.Simple" "ResourceApp.Forever") (#set! role entry_point))
((object_definition
    body: (template_body
      (function_definition
        name: (_) @name
        parameters: (parameters (parameter type: (generic_type type: (type_identifier) @_array)))) @definition.function))
  (#eq? @name "main") (#eq? @_array "Array") (#set! role entry_point))

; Words and operators that are the language's own
((identifier) @skip
  (#any-of? @skip "this" "super"))
((operator_identifier) @skip
  (#any-of? @skip
    "+" "-" "*" "/" "%" "==" "!=" "<" ">" "<=" ">=" "&&" "||" "!" "&" "|" "^" "~" "::" "++" "+=" "-=" "*=" "/=" "->" "???"))

; References

(stable_type_identifier . (_) @receiver (type_identifier) @name .) @reference.type
((call_expression function: (identifier) @name) @reference.call
  (#not-eq? @name "super"))
(call_expression function: (field_expression field: (_) @name)) @reference.call
(call_expression function: (generic_function function: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (field_expression field: (_) @name))) @reference.call
((infix_expression left: (_) @receiver operator: (identifier) @name) @reference.call)
((infix_expression left: (_) @receiver operator: (operator_identifier) @name) @reference.call
  (#not-any-of? @name
    "+" "-" "*" "/" "%" "==" "!=" "<" ">" "<=" ">=" "&&" "||" "!" "&" "|" "^" "~" "::" "++" "+=" "-=" "*=" "/=" "->" "???"))
(instance_expression . "new" . [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (stable_type_identifier . (_) @receiver (type_identifier) @name .)
  (generic_type type: (stable_type_identifier . (_) @receiver (type_identifier) @name .))
]) @reference.call
; A class without a name extends the type that is named.
(instance_expression . "new" . [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (stable_type_identifier . (_) @receiver (type_identifier) @name .)
  (generic_type type: (stable_type_identifier . (_) @receiver (type_identifier) @name .))
] (template_body)) @reference.inherit
((interpolated_string_expression interpolator: (identifier) @skip)
  (#any-of? @skip "s" "f" "raw"))
((interpolated_string_expression interpolator: (identifier) @name) @reference.call
  (#not-any-of? @name "s" "f" "raw"))

(stable_identifier . (_) @receiver (identifier) @name .) @reference.read

(extends_clause [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (stable_type_identifier . (_) @receiver (type_identifier) @name .)
  (generic_type type: (stable_type_identifier . (_) @receiver (type_identifier) @name .))
]) @reference.inherit
(extends_clause (compound_type base: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (stable_type_identifier . (_) @receiver (type_identifier) @name .)
  (generic_type type: (stable_type_identifier . (_) @receiver (type_identifier) @name .))
])) @reference.inherit
(extends_clause (compound_type extra: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (stable_type_identifier . (_) @receiver (type_identifier) @name .)
  (generic_type type: (stable_type_identifier . (_) @receiver (type_identifier) @name .))
])) @reference.inherit
(given_definition
  return_type: [(type_identifier) @name (generic_type type: (type_identifier) @name)]
  body: [(with_template_body) (template_body)]) @reference.inherit

; What stands before a member is a type or object, as far as its name tells.
((stable_type_identifier . (identifier) @skip)
  (#match? @skip "^[a-z]"))
((stable_type_identifier . (stable_identifier (identifier) @skip))
  (#match? @skip "^[a-z]"))

(assignment_expression left: [(identifier) @name (field_expression field: (_) @name)]) @reference.write
((infix_expression left: [(identifier) @name (field_expression field: (_) @name)] operator: (operator_identifier) @_assigns) @reference.write
  (#any-of? @_assigns "+=" "-=" "*=" "/=" "++=" "::=" "|=" "&="))

; Names that are no use of anything

((import_declaration (identifier) @skip . ".") (#match? @skip "^[a-z]"))
(arguments (assignment_expression left: (identifier) @skip))
(named_pattern . (identifier) @skip)
(access_qualifier (identifier) @skip)
(name_and_type name: (identifier) @skip)
(infix_type operator: (_) @skip)
(infix_pattern operator: (operator_identifier) @skip)

; Names bound for one function

(parameter name: (_) @local)
(binding name: (_) @local)
(lambda_expression parameters: (identifier) @local)
((case_clause pattern: (identifier) @local) (#match? @local "^[\\p{Ll}_]"))
((tuple_pattern (identifier) @local) (#match? @local "^[\\p{Ll}_]"))
((case_class_pattern pattern: (identifier) @local) (#match? @local "^[\\p{Ll}_]"))
((named_pattern (identifier) (identifier) @local) (#match? @local "^[\\p{Ll}_]"))
((infix_pattern left: (identifier) @local) (#match? @local "^[\\p{Ll}_]"))
((infix_pattern right: (identifier) @local) (#match? @local "^[\\p{Ll}_]"))
(typed_pattern pattern: (identifier) @local)
(capture_pattern name: (identifier) @local)
(repeat_pattern pattern: (identifier) @local)
((enumerator . (identifier) @local) (#match? @local "^[\\p{Ll}_]"))

(type_parameters name: (_) @local.type)
(covariant_type_parameter name: (_) @local.type)
(contravariant_type_parameter name: (_) @local.type)
(type_lambda name: (_) @local.type)
; Known in the whole template or extension
(self_type . (identifier) @local.type)
(extension_definition parameters: (parameters (parameter name: (_) @local.type)))
(given_definition parameters: (parameters (parameter name: (_) @local.type)))
