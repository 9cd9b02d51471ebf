(package_clause (package_identifier) @package)

; Definitions

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @container
        (generic_type type: (type_identifier) @container)
        (pointer_type (type_identifier) @container)
        (pointer_type (generic_type type: (type_identifier) @container))
        (parenthesized_type (pointer_type (type_identifier) @container))
      ]))
  name: (field_identifier) @name) @definition.method

(type_alias name: (type_identifier) @name) @definition.type
(type_spec name: (type_identifier) @name) @definition.type
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @definition.interface
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @definition.method))
(field_declaration name: (field_identifier) @name) @definition.field
(const_spec (identifier) @name) @definition.constant
(var_spec name: (identifier) @name) @definition.variable
(var_spec
  name: (identifier) @name
  value: (expression_list . (func_literal body: (block) @body) .)) @definition.function

; A definition that the grammar gave up on still has a name.
(ERROR "func" . (identifier) @name @definition.function)
(function_type (ERROR (identifier) @name @definition.function))

; Roles

((function_declaration name: (identifier) @name) @definition.function
  (#eq? @name "init") (#set! role entry_point))
((function_declaration name: (identifier) @name) @definition.function
  (#match? @name "^(Test|Benchmark|Fuzz|Example)(\\P{Ll}|$)") (#set! role test))

((function_declaration
    name: (identifier) @name
    parameters: (parameter_list
      (parameter_declaration type: [(qualified_type) (pointer_type (qualified_type))] @_type))) @definition.function
  (#any-of? @_type "http.ResponseWriter" "*gin.Context" "echo.Context" "*fiber.Ctx") (#set! role handler))
((method_declaration
    receiver: (parameter_list
      (parameter_declaration
        type: [
          (type_identifier) @container
          (generic_type type: (type_identifier) @container)
          (pointer_type (type_identifier) @container)
          (pointer_type (generic_type type: (type_identifier) @container))
        ]))
    name: (field_identifier) @name
    parameters: (parameter_list
      (parameter_declaration type: [(qualified_type) (pointer_type (qualified_type))] @_type))) @definition.method
  (#any-of? @_type "http.ResponseWriter" "*gin.Context" "echo.Context" "*fiber.Ctx") (#set! role handler))

; References

(call_expression
  function: [
    (identifier) @name
    (selector_expression field: (field_identifier) @name)
    (index_expression operand: (identifier) @name)
    (index_expression operand: (selector_expression field: (field_identifier) @name))
  ]) @reference.call
(composite_literal
  type: [
    (type_identifier) @name
    (qualified_type name: (type_identifier) @name)
    (generic_type type: (type_identifier) @name)
    (generic_type type: (qualified_type name: (type_identifier) @name))
  ]) @reference.call
(type_conversion_expression
  type: [
    (generic_type type: (type_identifier) @name)
    (generic_type type: (qualified_type name: (type_identifier) @name))
  ]) @reference.call

; The keys of a struct literal are its fields.
(composite_literal
  type: [
    (type_identifier) @receiver
    (qualified_type) @receiver
    (generic_type type: (_) @receiver)
  ]
  body: (literal_value (keyed_element key: (literal_element (identifier) @name)))) @reference.write

; Embedding
(field_declaration
  !name
  type: [
    (type_identifier) @name
    (qualified_type name: (type_identifier) @name)
    (generic_type type: (type_identifier) @name)
    (generic_type type: (qualified_type name: (type_identifier) @name))
  ]) @reference.inherit
(interface_type
  (type_elem
    .
    [
      (type_identifier) @name
      (qualified_type name: (type_identifier) @name)
      (generic_type type: (type_identifier) @name)
    ]
    .)) @reference.inherit

(assignment_statement
  left: (expression_list
    [(identifier) @name (selector_expression field: (field_identifier) @name)])) @reference.write
[
  (inc_statement [(identifier) @name (selector_expression field: (field_identifier) @name)])
  (dec_statement [(identifier) @name (selector_expression field: (field_identifier) @name)])
] @reference.write

; What has its address taken may be written through that.
(unary_expression
  operator: "&"
  operand: [
    (identifier) @name
    (selector_expression field: (field_identifier) @name)
    (index_expression operand: [(identifier) @name (selector_expression field: (field_identifier) @name)])
  ]) @reference.address

; Names bound for one function

(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(receive_statement left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))

; Type parameters

(type_parameter_declaration name: (identifier) @local.type)
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @local.type)))
        (pointer_type (generic_type type_arguments: (type_arguments (type_elem (type_identifier) @local.type))))
      ])))
