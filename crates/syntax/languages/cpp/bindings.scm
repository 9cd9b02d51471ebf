; What only C++ says of the things that names are given to

(parameter_declaration type: [(qualified_identifier) (template_type)] @bind.type declarator: (_) @bind)
(optional_parameter_declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @bind.type
  declarator: (_) @bind)
(declaration type: [(qualified_identifier) (template_type)] @bind.type declarator: (_) @bind)
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator declarator: (_) @bind value: (_) @bind.value))
(field_declaration type: [(qualified_identifier) (template_type)] @bind.type declarator: (_) @bind)
(for_range_loop type: [(type_identifier) (qualified_identifier) (template_type)] @bind.type declarator: (_) @bind)
(for_range_loop type: (placeholder_type_specifier) declarator: (_) @bind right: (_) @bind.element)
(alias_declaration name: (type_identifier) @bind type: (_) @bind.type)
(type_definition type: [(qualified_identifier) (template_type)] @bind.type declarator: (type_identifier) @bind)
(function_definition type: [(qualified_identifier) (template_type)] @bind.type declarator: (_) @bind)
(function_definition
  declarator: (function_declarator (trailing_return_type (type_descriptor) @bind.type)) @bind)
(function_definition
  type: (placeholder_type_specifier)
  body: (compound_statement (return_statement . (_) @returned)))
