; What is known of the things that names are given to

(simple_parameter name: (variable_name (name) @local))
(simple_parameter type: (_) @bind.type name: (variable_name (name) @bind))
(variadic_parameter name: (variable_name (name) @local))
(property_promotion_parameter type: (_) @bind.type name: (variable_name (name) @bind))
(assignment_expression left: (variable_name (name) @local @bind) right: (_) @bind.value)
(assignment_expression left: (member_access_expression name: (name) @bind) right: (_) @bind.value)
(list_literal (variable_name (name) @local))
(foreach_statement . (_) @bind.element . (variable_name (name) @local @bind))
(foreach_statement . (_) @bind.element . (pair (variable_name (name) @local) . (variable_name (name) @local @bind)))
(catch_clause type: (_) @bind.type name: (variable_name (name) @local @bind))

(property_declaration type: (_) @bind.type (property_element name: (variable_name (name) @bind)))
(function_definition name: (name) @bind return_type: (_) @bind.type)
(method_declaration name: (name) @bind return_type: (_) @bind.type)
(return_statement . (_) @returned)
