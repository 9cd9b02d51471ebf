; What C and C++ have in common. Compiled against both grammars.

; Definitions

(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.union
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.variant

; A type without a name of its own is known by its typedef.
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.union
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: [
    (struct_specifier !name body: (_) @body)
    (union_specifier !name body: (_) @body)
    (enum_specifier !name body: (_) @body)
  ]
  declarator: [(pointer_declarator) (array_declarator) (function_declarator)] @name) @definition.type

; A type with a name is defined inside the typedef, which must not be its parent. One with the same name is left out.
((type_definition
    type: [
      (struct_specifier name: (type_identifier) @_tag body: (_) @body)
      (union_specifier name: (type_identifier) @_tag body: (_) @body)
      (enum_specifier name: (type_identifier) @_tag body: (_) @body)
    ]
    declarator: (_) @name @definition.type)
  (#not-eq? @name @_tag))

(type_definition
  type: [
    (type_identifier)
    (primitive_type)
    (sized_type_specifier)
    (struct_specifier !body)
    (union_specifier !body)
    (enum_specifier !body)
  ]
  declarator: (_) @name) @definition.type

; Macros. The guard of a header is none.
((preproc_def name: (identifier) @name !value) @definition.macro
  (#not-match? @name "(?i)_(H|HH|HPP|HXX|INCLUDED|GUARD|INC)_*$"))
(preproc_def name: (identifier) @name value: (_)) @definition.macro
(preproc_function_def name: (identifier) @name !value) @definition.macro
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro

; Variables. A type that is defined in the declaration must not become their member.
(declaration
  type: [
    (type_identifier)
    (primitive_type)
    (sized_type_specifier)
    (struct_specifier !body)
    (union_specifier !body)
    (enum_specifier !body)
    (struct_specifier !name)
    (union_specifier !name)
  ]
  declarator: [
    (identifier)
    (pointer_declarator)
    (array_declarator)
    (attributed_declarator)
    (init_declarator)
    (function_declarator declarator: (parenthesized_declarator))
  ] @name) @definition.variable
(declaration
  type: [
    (struct_specifier name: (_) body: (_))
    (union_specifier name: (_) body: (_))
    (enum_specifier body: (_))
  ]
  declarator: [
    (identifier)
    (pointer_declarator)
    (array_declarator)
    (init_declarator)
  ] @name @definition.variable)
((declaration
    (type_qualifier) @_const
    type: (_)
    declarator: (init_declarator declarator: (identifier) @name)) @definition.constant
  (#any-of? @_const "const" "constexpr"))
((declaration
    (storage_class_specifier) @_extern
    declarator: [(identifier) (pointer_declarator) (array_declarator) (attributed_declarator)] @name) @definition.variable
  (#eq? @_extern "extern")
  (#set! modifier declare))

; Fields
(field_declaration
  type: [
    (type_identifier)
    (primitive_type)
    (sized_type_specifier)
    (struct_specifier !body)
    (union_specifier !body)
    (enum_specifier !body)
    (struct_specifier !name)
    (union_specifier !name)
    (enum_specifier !name)
  ]
  declarator: [
    (field_identifier)
    (pointer_declarator)
    (array_declarator)
    (attributed_declarator)
    (function_declarator)
  ] @name) @definition.field
(field_declaration
  type: [
    (struct_specifier name: (_) body: (_))
    (union_specifier name: (_) body: (_))
    (enum_specifier name: (_) body: (_))
  ]
  declarator: [
    (field_identifier)
    (pointer_declarator)
    (array_declarator)
  ] @name @definition.field)

; Declarations of functions
((declaration
    declarator: [
      (function_declarator declarator: [(identifier) (parenthesized_declarator (identifier))])
      (pointer_declarator declarator: (function_declarator declarator: (identifier)))
      (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier))))
      (function_declarator
        declarator: (parenthesized_declarator
          (pointer_declarator declarator: (function_declarator declarator: (identifier)))))
    ] @name) @definition.function
  (#set! modifier declare))

; References

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression field: (field_identifier) @name)) @reference.call
(call_expression function: (parenthesized_expression (identifier) @name)) @reference.call
(call_expression
  function: (parenthesized_expression (pointer_expression argument: (identifier) @name))) @reference.call
(call_expression
  function: (parenthesized_expression
    (pointer_expression argument: (field_expression field: (field_identifier) @name)))) @reference.call

(assignment_expression left: (identifier) @name) @reference.write
(assignment_expression left: (field_expression field: (field_identifier) @name)) @reference.write
(assignment_expression left: (subscript_expression argument: (identifier) @name)) @reference.write
(assignment_expression
  left: (subscript_expression argument: (field_expression field: (field_identifier) @name))) @reference.write
(update_expression argument: (identifier) @name) @reference.write
(update_expression argument: (field_expression field: (field_identifier) @name)) @reference.write

; What has its address taken may be written through that.
(pointer_expression operator: "&" argument: (identifier) @name) @reference.address
(pointer_expression operator: "&" argument: (field_expression field: (field_identifier) @name)) @reference.address
(pointer_expression
  operator: "&"
  argument: (subscript_expression
    argument: [(identifier) @name (field_expression field: (field_identifier) @name)])) @reference.address
(pointer_expression
  operator: "&"
  argument: (parenthesized_expression
    [(identifier) @name (field_expression field: (field_identifier) @name)])) @reference.address

; The fields of an initialiser
(initializer_pair designator: (field_designator (field_identifier) @name)) @reference.write
(initializer_pair designator: (field_identifier) @name) @reference.write
(declaration
  type: [
    (type_identifier) @receiver
    (struct_specifier name: (_) @receiver)
    (union_specifier name: (_) @receiver)
  ]
  declarator: (init_declarator
    value: (initializer_list
      (initializer_pair designator: (field_designator (field_identifier) @name))))) @reference.write
(compound_literal_expression
  type: (type_descriptor
    type: [
      (type_identifier) @receiver
      (struct_specifier name: (_) @receiver)
      (union_specifier name: (_) @receiver)
    ])
  value: (initializer_list
    (initializer_pair designator: (field_designator (field_identifier) @name)))) @reference.write

; Names that are no use of anything
((preproc_ifdef name: (identifier) @skip)
  (#match? @skip "(?i)_(H|HH|HPP|HXX|INCLUDED|GUARD|INC)_*$|^__cplusplus$"))
((preproc_def name: (identifier) @skip !value)
  (#match? @skip "(?i)_(H|HH|HPP|HXX|INCLUDED|GUARD|INC)_*$"))
((type_definition
    type: [
      (struct_specifier name: (type_identifier) @_tag body: (_))
      (union_specifier name: (type_identifier) @_tag body: (_))
      (enum_specifier name: (type_identifier) @_tag body: (_))
    ]
    declarator: (type_identifier) @skip)
  (#eq? @skip @_tag))
((preproc_defined (identifier) @skip)
  (#eq? @skip "__cplusplus"))
(attribute name: (identifier) @skip)
(attribute prefix: (identifier) @skip)
(attribute_specifier (argument_list (identifier) @skip))
(attribute_specifier (argument_list (call_expression function: (identifier) @skip)))
(ms_declspec_modifier (identifier) @skip)
(preproc_params (identifier) @skip)
(gnu_asm_output_operand symbol: (identifier) @skip)
(gnu_asm_input_operand symbol: (identifier) @skip)
(gnu_asm_goto_list label: (identifier) @skip)
; Keywords that the grammar took for names where a macro confused it
([(argument_list (identifier) @skip) (ERROR (identifier) @skip)]
  (#any-of? @skip
    "void" "int" "char" "short" "long" "unsigned" "signed" "float" "double" "bool" "const" "volatile" "static" "extern"
    "inline" "struct" "union" "enum" "typedef" "return" "if" "else" "for" "while" "do" "switch" "case" "break"
    "continue" "goto" "default" "sizeof" "restrict" "register"))

; Names bound for one function

(parameter_declaration
  declarator: [
    (identifier)
    (pointer_declarator)
    (array_declarator)
    (function_declarator)
    (parenthesized_declarator)
    (attributed_declarator)
  ] @local)
