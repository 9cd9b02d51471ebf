; What only the TypeScript grammars say of the things that names are given to

(required_parameter pattern: (identifier) @bind type: (type_annotation (_) @bind.type))
(optional_parameter pattern: (identifier) @bind type: (type_annotation (_) @bind.type))
(required_parameter pattern: (identifier) @bind value: (_) @bind.value)
((required_parameter
    pattern: (object_pattern [
      (shorthand_property_identifier_pattern) @bind
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @bind)
    ])
    type: (type_annotation (_) @bind.type))
  (#set! part member))
(variable_declarator name: (identifier) @bind type: (type_annotation (_) @bind.type))
(public_field_definition name: (_) @bind type: (type_annotation (_) @bind.type))
(public_field_definition name: (_) @bind value: (_) @bind.value)
(property_signature name: (_) @bind type: (type_annotation (_) @bind.type))
(type_alias_declaration name: (_) @bind value: (_) @bind.type)
(type_parameter name: (type_identifier) @bind constraint: (constraint (_) @bind.type))

(function_declaration name: (identifier) @bind return_type: (type_annotation (_) @bind.type))
(function_signature name: (_) @bind return_type: (type_annotation (_) @bind.type))
(method_definition name: (_) @bind return_type: (type_annotation (_) @bind.type))
(method_signature name: (_) @bind return_type: (type_annotation (_) @bind.type))
(abstract_method_signature name: (_) @bind return_type: (type_annotation (_) @bind.type))
(variable_declarator
  name: (identifier) @bind
  value: [
    (arrow_function return_type: (type_annotation (_) @bind.type))
    (function_expression return_type: (type_annotation (_) @bind.type))
  ])
(public_field_definition
  name: (_) @bind
  value: (arrow_function return_type: (type_annotation (_) @bind.type)))
