; What is known of the things that names are given to

(parameter
  (simple_identifier) @bind
  [(user_type) (optional_type) (array_type) (dictionary_type) (opaque_type) (existential_type)] @bind.type)
(lambda_parameter name: (simple_identifier) @bind [(user_type) (optional_type) (array_type)] @bind.type)
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @bind)
  (type_annotation (_) @bind.type))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @bind) value: (_) @bind.value)
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @bind)
  (type_annotation (_) @bind.type))
(for_statement item: (pattern bound_identifier: (simple_identifier) @bind) collection: (_) @bind.element)
(if_statement bound_identifier: (simple_identifier) @bind "=" . (_) @bind.value)
(guard_statement bound_identifier: (simple_identifier) @bind "=" . (_) @bind.value)
(type_parameter . (type_identifier) @bind [(user_type) (protocol_composition_type)] @bind.type)
(typealias_declaration name: (type_identifier) @bind value: (_) @bind.type)

(function_declaration
  name: (simple_identifier) @bind
  [(user_type) (optional_type) (array_type) (dictionary_type) (opaque_type) (existential_type)] @bind.type)
(protocol_function_declaration
  name: (simple_identifier) @bind
  [(user_type) (optional_type) (array_type) (dictionary_type) (opaque_type) (existential_type)] @bind.type)
