; What is known of the things that names are given to

(parameter name: (_) @bind type: (_) @bind.type)
(class_parameter name: (_) @bind type: (_) @bind.type)
(binding name: (_) @bind type: (_) @bind.type)
(val_definition pattern: (identifier) @bind type: (_) @bind.type)
(val_definition pattern: (identifier) @bind value: (_) @bind.value)
(var_definition pattern: (identifier) @bind type: (_) @bind.type)
(var_definition pattern: (identifier) @bind value: (_) @bind.value)
(val_declaration name: (_) @bind type: (_) @bind.type)
(var_declaration name: (_) @bind type: (_) @bind.type)
(enumerator . (identifier) @bind "<-" . (_) @bind.element)
(enumerator . (identifier) @bind "=" . (_) @bind.value)
(typed_pattern pattern: (identifier) @bind type: (_) @bind.type)
(given_definition name: (_) @bind return_type: (_) @bind.type)
(type_parameters name: (_) @bind bound: (upper_bound type: (_) @bind.type))
(type_definition name: (_) @bind type: (_) @bind.type)

(function_definition name: (_) @bind return_type: (_) @bind.type)
(function_declaration name: (_) @bind return_type: (_) @bind.type)
(function_definition
  !return_type
  body: [(identifier) (call_expression) (field_expression) (instance_expression) (generic_function)] @returned)
