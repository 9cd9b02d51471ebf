; What is known of the things that names are given to

(parameter_declaration name: (identifier) @bind type: (_) @bind.type)
(variadic_parameter_declaration name: (identifier) @bind type: (_) @bind.type)
(var_spec name: (identifier) @bind type: (_) @bind.type)
(var_spec name: (identifier) @bind value: (expression_list . (_) @bind.value))
(const_spec name: (identifier) @bind type: (_) @bind.type)
(short_var_declaration left: (expression_list . (identifier) @bind) right: (expression_list . (_) @bind.value))
((short_var_declaration
    left: (expression_list . (identifier) @bind . (_))
    right: (expression_list . (_) @bind.value .))
  (#set! part 0))
((short_var_declaration
    left: (expression_list . (_) . (identifier) @bind)
    right: (expression_list . (_) @bind.value .))
  (#set! part 1))
(short_var_declaration
  left: (expression_list . (_) . (identifier) @bind)
  right: (expression_list . (_) . (_) @bind.value))
(assignment_statement left: (expression_list . (identifier) @bind .) right: (expression_list . (_) @bind.value .))
(range_clause left: (expression_list . (_) . (identifier) @bind .) right: (_) @bind.element)

(function_declaration name: (identifier) @bind result: (_) @bind.type)
(method_declaration name: (field_identifier) @bind result: (_) @bind.type)
(method_elem name: (field_identifier) @bind result: (_) @bind.type)
(field_declaration name: (field_identifier) @bind type: (_) @bind.type)
(type_spec
  name: (type_identifier) @bind
  type: [
    (type_identifier) (qualified_type) (pointer_type) (map_type) (slice_type) (array_type) (function_type) (generic_type)
    (channel_type)
  ] @bind.type)
(type_alias name: (type_identifier) @bind type: (_) @bind.type)
(type_parameter_declaration name: (identifier) @bind type: (type_constraint) @bind.type)
