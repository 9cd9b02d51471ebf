; What is known of the things that names are given to

(parameter type: (_) @bind.type name: (identifier) @bind)
(variable_declaration type: (_) @bind.type (variable_declarator name: (identifier) @bind))
; What follows `var` says more than the word.
(local_declaration_statement
  (variable_declaration
    type: (implicit_type)
    (variable_declarator name: (identifier) @bind "=" . (_) @bind.value)))
(using_statement
  (variable_declaration
    type: (implicit_type)
    (variable_declarator name: (identifier) @bind "=" . (_) @bind.value)))
(foreach_statement type: (_) @bind.type left: (identifier) @bind)
(foreach_statement type: (implicit_type) left: (identifier) @bind right: (_) @bind.element)
(foreach_statement
  type: (implicit_type)
  left: (identifier) @bind
  right: (implicit_array_creation_expression (initializer_expression . (_) @bind.value)))
(catch_declaration type: (_) @bind.type name: (identifier) @bind)
(declaration_expression type: (_) @bind.type name: (identifier) @bind)
(declaration_pattern type: (_) @bind.type name: (identifier) @bind)
(recursive_pattern type: (_) @bind.type name: (identifier) @bind)
(from_clause name: (identifier) @bind "in" . (_) @bind.element)

(method_declaration returns: (_) @bind.type name: (identifier) @bind)
(local_function_statement type: (_) @bind.type name: (identifier) @bind)
(property_declaration type: (_) @bind.type name: (identifier) @bind)
(event_declaration type: (_) @bind.type name: (identifier) @bind)
(delegate_declaration type: (_) @bind.type name: (identifier) @bind)
(type_parameter_constraints_clause
  .
  (identifier) @local.type @bind
  (type_parameter_constraint type: (_) @bind.type))
