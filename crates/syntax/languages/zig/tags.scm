; Definitions

(function_declaration name: (identifier) @name) @definition.function

; What a file or a container holds. `const x = @import(…)` is an import.
[
    (source_file (variable_declaration "var" . (identifier) @name) @definition.variable)
    (struct_declaration (variable_declaration "var" . (identifier) @name) @definition.variable)
    (enum_declaration (variable_declaration "var" . (identifier) @name) @definition.variable)
    (union_declaration (variable_declaration "var" . (identifier) @name) @definition.variable)
    (opaque_declaration (variable_declaration "var" . (identifier) @name) @definition.variable)
    (ERROR (variable_declaration "var" . (identifier) @name) @definition.variable)
]
([
    (source_file (variable_declaration "const" . (identifier) @name) @definition.constant)
    (struct_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
    (enum_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
    (union_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
    (opaque_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
    (ERROR (variable_declaration "const" . (identifier) @name) @definition.constant)
  ]
  (#not-match? @definition.constant "^(pub\\s+)?const\\s+[^\\s=]+\\s*=\\s*@import\\s*\\("))

; By convention the names of types, and theirs only, are written in title case.
([
    (source_file (variable_declaration "const" . (identifier) @name) @definition.type)
    (struct_declaration (variable_declaration "const" . (identifier) @name) @definition.type)
    (enum_declaration (variable_declaration "const" . (identifier) @name) @definition.type)
    (union_declaration (variable_declaration "const" . (identifier) @name) @definition.type)
    (opaque_declaration (variable_declaration "const" . (identifier) @name) @definition.type)
    (ERROR (variable_declaration "const" . (identifier) @name) @definition.type)
  ]
  (#match? @name "^[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*$")
  (#match? @definition.type
    "^(pub\\s+)?const\\s+\\w+\\s*=\\s*([A-Za-z_][\\w.]*(\\(|;)|[*?]|\\[|fn\\b|@(This|Type|Vector|TypeOf|typeInfo|Int)\\b|if\\b|switch\\b)"))
(variable_declaration "const" . (identifier) @name (binary_expression operator: "||")) @definition.type

(variable_declaration "const" . (identifier) @name (struct_declaration "{" @body)) @definition.struct
(variable_declaration "const" . (identifier) @name (opaque_declaration "{" @body)) @definition.struct
(variable_declaration "const" . (identifier) @name (union_declaration "{" @body)) @definition.union
(variable_declaration "const" . (identifier) @name (enum_declaration "{" @body)) @definition.enum
(variable_declaration "const" . (identifier) @name (error_set_declaration "{" @body)) @definition.enum
; `error{ … } || A || B`
(variable_declaration
  "const"
  .
  (identifier) @name
  (binary_expression
    left: [
      (error_set_declaration "{" @body)
      (binary_expression left: (error_set_declaration "{" @body))
      (binary_expression left: (binary_expression left: (error_set_declaration "{" @body)))
      (binary_expression left: (binary_expression left: (binary_expression left: (error_set_declaration "{" @body))))
    ]
    operator: "||")) @definition.enum
((error_set_declaration (identifier) @name @definition.variant) (#set! visibility public))

; A function that makes a type holds the type's members.
((function_declaration
    name: (identifier) @name
    type: (builtin_type) @_type
    body: (block
      [
        (expression_statement (return_expression [(struct_declaration) (opaque_declaration)]))
        (expression_statement (return_expression (if_expression [(struct_declaration) (opaque_declaration)])))
        (if_statement
          body: (block_expression (block (expression_statement (return_expression [(struct_declaration) (opaque_declaration)])))))
      ])) @definition.struct
  (#eq? @_type "type"))
((function_declaration
    name: (identifier) @name
    type: (builtin_type) @_type
    body: (block
      [
        (expression_statement (return_expression (union_declaration)))
        (expression_statement (return_expression (if_expression (union_declaration))))
        (if_statement
          body: (block_expression (block (expression_statement (return_expression (union_declaration))))))
      ])) @definition.union
  (#eq? @_type "type"))
((function_declaration
    name: (identifier) @name
    type: (builtin_type) @_type
    body: (block
      [
        (expression_statement (return_expression (enum_declaration)))
        (expression_statement (return_expression (if_expression (enum_declaration))))
        (if_statement
          body: (block_expression (block (expression_statement (return_expression (enum_declaration))))))
      ])) @definition.enum
  (#eq? @_type "type"))

((container_field name: (identifier) @name type: (_)) @definition.field (#set! visibility public))
((union_declaration (container_field name: (identifier) @name) @definition.field) (#set! visibility public))
((enum_declaration (container_field name: (identifier) @name) @definition.variant) (#set! visibility public))

((test_declaration (string (string_content) @name) (block) @body) @definition.function (#set! role test))
((test_declaration "test" . (identifier) @name (block) @body) @definition.function (#set! role test))

; A definition that the grammar gave up on still has a name.
(ERROR "fn" . (identifier) @name @definition.function)
(function_signature name: (identifier) @name) @definition.function
(ERROR "const" . (identifier) @name @definition.struct . "=" . "struct")
(ERROR "const" . (identifier) @name @definition.union . "=" . "union")
(ERROR "const" . (identifier) @name @definition.enum . "=" . "enum")
(ERROR
  "const"
  .
  (assignment_expression left: (identifier) @name right: (struct_declaration "{" @body)) @definition.struct)
(ERROR
  "const"
  .
  (assignment_expression left: (identifier) @name right: (union_declaration "{" @body)) @definition.union)
(ERROR
  "const"
  .
  (assignment_expression left: (identifier) @name right: (enum_declaration "{" @body)) @definition.enum)

; References

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression member: (identifier) @name)) @reference.call
(struct_initializer . (identifier) @name) @reference.call
(struct_initializer . (field_expression member: (identifier) @name)) @reference.call

; `.name`: a member of a type that the place implies
(field_expression !object "." @receiver member: (identifier) @name) @reference.read
(call_expression function: (field_expression !object "." @receiver member: (identifier) @name)) @reference.call
(error_type "error" @receiver (identifier) @name) @reference.read

; Types, where they stand alone
(parameter type: (identifier) @name) @reference.type
(parameter type: (field_expression member: (identifier) @name)) @reference.type
(container_field type: (identifier) @name) @reference.type
(container_field type: (field_expression member: (identifier) @name)) @reference.type
(struct_declaration (container_field !type name: (identifier) @name)) @reference.type
(struct_declaration (container_field !type name: (field_expression member: (identifier) @name))) @reference.type
(variable_declaration type: (identifier) @name) @reference.type
(variable_declaration type: (field_expression member: (identifier) @name)) @reference.type
(function_declaration type: (identifier) @name) @reference.type
(function_declaration type: (field_expression member: (identifier) @name)) @reference.type
(function_signature type: (identifier) @name) @reference.type
(function_signature type: (field_expression member: (identifier) @name)) @reference.type
; `!T`, which elsewhere is a negation
(function_declaration
  type: (error_union_type [(identifier) @name (field_expression member: (identifier) @name)])) @reference.type
(function_signature
  type: (error_union_type [(identifier) @name (field_expression member: (identifier) @name)])) @reference.type
(error_union_type
  error: [(identifier) @name (field_expression member: (identifier) @name)]) @reference.type
(error_union_type
  error: (_)
  ok: [(identifier) @name (field_expression member: (identifier) @name)]) @reference.type
(array_type (identifier) @name .) @reference.type
(array_type (field_expression member: (identifier) @name) .) @reference.type
(using_namespace_declaration [(identifier) @name (field_expression member: (identifier) @name)]) @reference.inherit

; The grammar makes an assignment a declaration without a keyword.
((variable_declaration . [(identifier) @name (field_expression member: (identifier) @name)]) @reference.write
  (#not-match? @reference.write "^(pub|export|extern|threadlocal|comptime|const|var)\\s"))
(assignment_expression left: (identifier) @name) @reference.write
(assignment_expression left: (field_expression member: (identifier) @name)) @reference.write
(initializer_list
  (assignment_expression left: (field_expression !object "." @receiver member: (identifier) @name))) @reference.write
(struct_initializer
  .
  (_) @receiver
  (initializer_list
    (assignment_expression left: (field_expression !object member: (identifier) @name)))) @reference.write
(field_initializer "." @receiver . (identifier) @name) @reference.write
(struct_initializer . (_) @receiver (initializer_list (field_initializer . (identifier) @name))) @reference.write

[(block_label (identifier) @skip) (break_label (identifier) @skip)]
[(asm_output_item . (identifier) @skip) (asm_input_item . (identifier) @skip)]

; Names bound for one function

(parameter name: (identifier) @local)
(variable_declaration ["const" "var"] . (identifier) @local)
((variable_declaration ["const" "var"] . (identifier) @local.type) (#match? @local.type "^[A-Z]"))
(payload (identifier) @local)
((parameter name: (identifier) @local.type type: (builtin_type) @_type) (#eq? @_type "type"))
((function_declaration
    (parameters (parameter name: (identifier) @local.type))
    type: (builtin_type) @_type)
  (#eq? @_type "type"))
((function_declaration
    type: (builtin_type) @_type
    body: (block (variable_declaration ["const" "var"] . (identifier) @local.type)))
  (#eq? @_type "type"))
