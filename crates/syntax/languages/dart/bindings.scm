; What is known of the things that names are given to

(formal_parameter (type) @bind.type name: (identifier) @bind)
(declaration (type) @bind.type (initialized_identifier_list (initialized_identifier name: (identifier) @bind)))
(initialized_identifier name: (identifier) @bind value: (_) @bind.value)
(initialized_variable_declaration (type) @bind.type name: (identifier) @bind)
(initialized_variable_declaration name: (identifier) @bind value: (_) @bind.value)
(for_statement name: (identifier) @bind value: (_) @bind.element)
(function_signature return_type: (type) @bind.type name: (identifier) @bind)
(getter_signature return_type: (type) @bind.type name: (identifier) @bind)
(type_alias . (type_identifier) @bind (type) @bind.type)
(type_parameter (type_identifier) @bind (type) @bind.type)
