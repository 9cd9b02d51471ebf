; What is known of the things that names are given to, in C and C++

(parameter_declaration
  type: [(type_identifier) (struct_specifier) (union_specifier)] @bind.type
  declarator: (_) @bind)
(declaration type: [(type_identifier) (struct_specifier) (union_specifier)] @bind.type declarator: (_) @bind)
(field_declaration type: [(type_identifier) (struct_specifier) (union_specifier)] @bind.type declarator: (_) @bind)
(function_definition type: [(type_identifier) (struct_specifier) (union_specifier)] @bind.type declarator: (_) @bind)
(type_definition
  type: [(type_identifier) (struct_specifier) (union_specifier)] @bind.type
  declarator: (type_identifier) @bind)
