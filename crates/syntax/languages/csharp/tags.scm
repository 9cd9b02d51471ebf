; Definitions

(file_scoped_namespace_declaration name: (_) @package)
((namespace_declaration name: (_) @name) @definition.module
  (#set! visibility public))

; A half-typed declaration takes the next one's first word for its name.
((class_declaration name: (identifier) @name) @definition.class
  (#not-any-of? @name "public" "private" "internal" "protected" "static"))
((struct_declaration name: (identifier) @name) @definition.struct
  (#not-any-of? @name "public" "private" "internal" "protected" "static"))
((interface_declaration name: (identifier) @name) @definition.interface
  (#not-any-of? @name "public" "private" "internal" "protected" "static"))
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.variant
(record_declaration name: (identifier) @name) @definition.class
(record_declaration "struct" name: (identifier) @name) @definition.struct
(delegate_declaration name: (identifier) @name) @definition.type
; A name for what has none is no import.
((using_directive
    name: (identifier) @name
    [(array_type) (tuple_type) (nullable_type) (pointer_type) (function_pointer_type) (predefined_type)]) @definition.type
  (#set! visibility private))

; The grammar knows no `#if` among the base types.
(class_declaration name: (identifier) @name (base_list (ERROR "#if") @body)) @definition.class
(struct_declaration name: (identifier) @name (base_list (ERROR "#if") @body)) @definition.struct
(interface_declaration name: (identifier) @name (base_list (ERROR "#if") @body)) @definition.interface

; The parameters of a record are its properties; those of any other type are captured like private fields.
((record_declaration (parameter_list (parameter name: (identifier) @name) @definition.property))
  (#set! visibility public))
([
    (class_declaration (parameter_list (parameter name: (identifier) @name) @definition.field))
    (struct_declaration (parameter_list (parameter name: (identifier) @name) @definition.field))
  ]
  (#set! visibility private))

(method_declaration name: (identifier) @name) @definition.method
; The grammar takes an `extension(T x) { … }` block for a constructor.
((constructor_declaration name: (identifier) @name) @definition.constructor
  (#not-eq? @name "extension"))
(constructor_declaration name: (identifier) @name (constructor_initializer) @body) @definition.constructor
(destructor_declaration name: (identifier) @name) @definition.method
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration type: (_) @name) @definition.method
((local_function_statement name: (identifier) @name) @definition.function
  (#set! visibility private))
((constructor_declaration
    name: (identifier) @_extension
    body: (block (local_function_statement name: (identifier) @name) @definition.method))
  (#eq? @_extension "extension"))

(property_declaration name: (identifier) @name) @definition.property
(property_declaration name: (identifier) @name value: (_) @body) @definition.property
(property_declaration
  name: (identifier) @name
  accessors: (accessor_list (accessor_declaration body: (_))) @body) @definition.property
(indexer_declaration "this" @name) @definition.property
(indexer_declaration "this" @name value: (_) @body) @definition.property
(indexer_declaration
  "this" @name
  accessors: (accessor_list (accessor_declaration body: (_))) @body) @definition.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.event
(event_declaration name: (identifier) @name) @definition.event
(event_declaration name: (identifier) @name accessors: (_) @body) @definition.event

(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
((field_declaration
    (modifier) @_const
    (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_const "const"))

((method_declaration (modifier) @_static name: (identifier) @name) @definition.method
  (#eq? @_static "static") (#eq? @name "Main") (#set! role entry_point))

; A definition that the grammar gave up on still has a name.
(ERROR "namespace" . [(identifier) (qualified_name)] @package)
(ERROR "class" . (identifier) @name @definition.class)
(ERROR "struct" . (identifier) @name @definition.struct)
(ERROR "interface" . (identifier) @name @definition.interface)
(ERROR "enum" . (identifier) @name @definition.enum)
(ERROR "record" . (identifier) @name @definition.class)

; Types

(generic_name . (identifier) @name) @reference.type
[
  (parameter type: (identifier) @name)
  (parameter_list type: (identifier) @name)
  (bracketed_parameter_list type: (identifier) @name)
  (variable_declaration type: (identifier) @name)
  (method_declaration returns: (identifier) @name)
  (local_function_statement type: (identifier) @name)
  (property_declaration type: (identifier) @name)
  (indexer_declaration type: (identifier) @name)
  (event_declaration type: (identifier) @name)
  (delegate_declaration type: (identifier) @name)
  (operator_declaration type: (identifier) @name)
  (array_type type: (identifier) @name)
  (lambda_expression type: (identifier) @name)
  (catch_declaration type: (identifier) @name)
  (foreach_statement type: (identifier) @name)
  (from_clause type: (identifier) @name)
  (join_clause type: (identifier) @name)
  (declaration_pattern type: (identifier) @name)
  (recursive_pattern type: (identifier) @name)
  (declaration_expression type: (identifier) @name)
  (as_expression right: (identifier) @name)
  (is_expression right: (identifier) @name)
  (cast_expression type: (identifier) @name)
  (typeof_expression type: (identifier) @name)
  (sizeof_expression type: (identifier) @name)
  (default_expression type: (identifier) @name)
  (refvalue_expression type: (identifier) @name)
] @reference.type
; What a bare capitalised name in a pattern stands for is more often a type than a constant.
([
    (is_pattern_expression pattern: (constant_pattern (identifier) @name))
    (is_pattern_expression pattern: (negated_pattern (constant_pattern (identifier) @name)))
    (switch_expression_arm . (constant_pattern (identifier) @name))
    (or_pattern (constant_pattern (identifier) @name))
  ] @reference.type
  (#match? @name "^[A-Z]\\w*[a-z]"))
(qualified_name qualifier: (qualified_name name: (identifier) @name)) @reference.read

(base_list [
  (identifier) @name
  (generic_name . (identifier) @name)
  (qualified_name name: (identifier) @name)
  (qualified_name name: (generic_name . (identifier) @name))
  (alias_qualified_name name: (identifier) @name)
  (primary_constructor_base_type type: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name name: (identifier) @name)
  ])
]) @reference.inherit

; Other references

(constructor_initializer ["this" "base"] @name) @reference.call

(conditional_access_expression
  condition: (_) @receiver
  (member_binding_expression name: [(identifier) @name (generic_name . (identifier) @name)])) @reference.read

(assignment_expression
  left: [(identifier) @name (member_access_expression name: (identifier) @name)]) @reference.write
(prefix_unary_expression
  ["++" "--"]
  [(identifier) @name (member_access_expression name: (identifier) @name)]) @reference.write
(postfix_unary_expression
  [(identifier) @name (member_access_expression name: (identifier) @name)]
  ["++" "--"]) @reference.write
(argument
  ["out" "ref"]
  [(identifier) @name (member_access_expression name: (identifier) @name)]) @reference.write
(object_creation_expression
  type: (_) @receiver
  initializer: (initializer_expression (assignment_expression left: (identifier) @name))) @reference.write
(with_initializer . (identifier) @name) @reference.write

(invocation_expression
  function: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (member_access_expression name: [(identifier) @name (generic_name . (identifier) @name)])
    (qualified_name name: [(identifier) @name (generic_name . (identifier) @name)])
    (alias_qualified_name name: (identifier) @name)
  ]) @reference.call
(invocation_expression
  function: (conditional_access_expression
    condition: (_) @receiver
    (member_binding_expression name: [(identifier) @name (generic_name . (identifier) @name)]))) @reference.call
(object_creation_expression
  type: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name name: [(identifier) @name (generic_name . (identifier) @name)])
    (alias_qualified_name name: (identifier) @name)
    (nullable_type type: (identifier) @name)
  ]) @reference.call
; What `new()` makes is of the type that is declared for it.
(variable_declaration
  type: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name name: [(identifier) @name (generic_name . (identifier) @name)])
    (nullable_type type: [(identifier) @name (generic_name . (identifier) @name)])
  ]
  (variable_declarator (implicit_object_creation_expression) @reference.call))
(property_declaration
  type: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name name: [(identifier) @name (generic_name . (identifier) @name)])
    (nullable_type type: [(identifier) @name (generic_name . (identifier) @name)])
  ]
  value: [
    (implicit_object_creation_expression) @reference.call
    (arrow_expression_clause (implicit_object_creation_expression) @reference.call)
  ])
(method_declaration
  returns: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name name: [(identifier) @name (generic_name . (identifier) @name)])
    (nullable_type type: [(identifier) @name (generic_name . (identifier) @name)])
  ]
  body: [
    (arrow_expression_clause (implicit_object_creation_expression) @reference.call)
    (block (return_statement (implicit_object_creation_expression) @reference.call))
  ])
(attribute
  name: [
    (identifier) @name
    (generic_name . (identifier) @name)
    (qualified_name name: (identifier) @name)
    (alias_qualified_name name: (identifier) @name)
  ]) @reference.call

; Names that are no use of anything

((invocation_expression function: (identifier) @skip)
  (#eq? @skip "nameof"))
((constructor_declaration name: (identifier) @skip)
  (#eq? @skip "extension"))
(member_access_expression expression: (alias_qualified_name name: (identifier) @name)) @reference.read
((type_parameter_constraint type: (identifier) @skip)
  (#eq? @skip "default"))
(argument name: (identifier) @skip)
(attribute_argument name: (identifier) @skip)
(alias_qualified_name alias: (identifier) @skip)
(tuple_element name: (identifier) @skip)
(anonymous_object_creation_expression (identifier) @skip . "=")
(labeled_statement . (identifier) @skip)
(goto_statement . "goto" . (identifier) @skip)
(calling_convention (identifier) @skip)
(accessor_declaration name: (identifier) @skip)

(namespace_declaration name: (qualified_name name: (identifier) @skip))
(namespace_declaration name: (qualified_name qualifier: (qualified_name name: (identifier) @skip)))
(namespace_declaration name: (qualified_name qualifier: (qualified_name qualifier: (qualified_name name: (identifier) @skip))))
(namespace_declaration name: (qualified_name qualifier: (qualified_name qualifier: (qualified_name qualifier: (qualified_name name: (identifier) @skip)))))
(file_scoped_namespace_declaration name: (qualified_name name: (identifier) @skip))
(file_scoped_namespace_declaration name: (qualified_name qualifier: (qualified_name name: (identifier) @skip)))
(file_scoped_namespace_declaration name: (qualified_name qualifier: (qualified_name qualifier: (qualified_name name: (identifier) @skip))))
(file_scoped_namespace_declaration name: (qualified_name qualifier: (qualified_name qualifier: (qualified_name qualifier: (qualified_name name: (identifier) @skip)))))

; The symbols of conditional compilation
(preproc_pragma (identifier) @skip)
(preproc_if condition: (identifier) @skip)
(preproc_elif condition: (identifier) @skip)
(unary_expression argument: (identifier) @skip)
(unary_expression argument: (parenthesized_expression (identifier) @skip))
(unary_expression argument: (parenthesized_expression (binary_expression (identifier) @skip)))
(unary_expression argument: (parenthesized_expression (binary_expression (binary_expression (identifier) @skip))))
([
    (preproc_if condition: [
      (parenthesized_expression [(identifier) @skip (binary_expression (identifier) @skip) (binary_expression (binary_expression (identifier) @skip))])
      (binary_expression [
        (identifier) @skip
        (parenthesized_expression [(binary_expression (identifier) @skip) (binary_expression (binary_expression (identifier) @skip))])
        (binary_expression [
          (identifier) @skip
          (parenthesized_expression (binary_expression (identifier) @skip))
          (binary_expression [(identifier) @skip (binary_expression [(identifier) @skip (binary_expression (identifier) @skip)])])
        ])
      ])
    ])
    (preproc_elif condition: [
      (parenthesized_expression [(identifier) @skip (binary_expression (identifier) @skip)])
      (binary_expression [
        (identifier) @skip
        (parenthesized_expression (binary_expression (identifier) @skip))
        (binary_expression [(identifier) @skip (binary_expression [(identifier) @skip (binary_expression (identifier) @skip)])])
      ])
    ])
  ])

; Names bound for one function

(parameter name: (identifier) @local)
(parameter_list name: (identifier) @local)
(bracketed_parameter_list name: (identifier) @local)
(lambda_expression parameters: (implicit_parameter) @local)
(variable_declaration (variable_declarator name: (identifier) @local))
(tuple_pattern name: (identifier) @local)
(foreach_statement type: (_) left: (identifier) @local)
(catch_declaration name: (identifier) @local)
(declaration_expression name: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(recursive_pattern name: (identifier) @local)
(var_pattern name: (identifier) @local)
(list_pattern name: (identifier) @local)
(parenthesized_variable_designation name: (identifier) @local)
(from_clause name: (identifier) @local)
(let_clause . (identifier) @local)
(join_clause (identifier) @local . "in")
(join_into_clause (identifier) @local)
(query_expression "into" . (identifier) @local)

; `value` in a setter is its parameter: one plain use makes it known for the whole property.
((accessor_declaration
    body: [
      (block [
        (expression_statement [
          (assignment_expression right: [(identifier) @local (_ (identifier) @local)])
          (invocation_expression arguments: (argument_list (argument (identifier) @local)))
        ])
        (if_statement condition: [
          (binary_expression (identifier) @local)
          (prefix_unary_expression (identifier) @local)
          (is_pattern_expression (identifier) @local)
          (invocation_expression arguments: (argument_list (argument (identifier) @local)))
          (identifier) @local
        ])
        (local_declaration_statement (variable_declaration (variable_declarator [(identifier) @local (_ (identifier) @local)])))
        (if_statement consequence: (block (expression_statement (assignment_expression right: (identifier) @local))))
      ])
      (arrow_expression_clause [
        (assignment_expression right: [(identifier) @local (_ (identifier) @local)])
        (invocation_expression arguments: (argument_list (argument (identifier) @local)))
      ])
    ])
  (#eq? @local "value"))

; The arguments of a program that is a row of statements
((global_statement
    [
      (local_declaration_statement
        (variable_declaration (variable_declarator (_ (argument_list (argument (identifier) @local))))))
      (expression_statement (_ (argument_list (argument (identifier) @local))))
      (expression_statement (await_expression (_ (argument_list (argument (identifier) @local)))))
    ])
  (#eq? @local "args"))

; Type parameters

(type_parameter name: (identifier) @local.type)
