; What is known of the things that names are given to

(parameter . (identifier) @bind [(user_type) (nullable_type) (function_type)] @bind.type)
(class_parameter (identifier) @bind [(user_type) (nullable_type)] @bind.type)
(variable_declaration . (identifier) @bind [(user_type) (nullable_type) (function_type)] @bind.type)
(property_declaration (variable_declaration . (identifier) @bind .) "=" . (_) @bind.value)
((property_declaration (multi_variable_declaration . (variable_declaration (identifier) @bind)) "=" . (_) @bind.value)
  (#set! part 0))
((property_declaration
    (multi_variable_declaration . (variable_declaration) . (variable_declaration (identifier) @bind))
    "="
    .
    (_) @bind.value)
  (#set! part 1))
(for_statement (variable_declaration . (identifier) @bind .) "in" . (_) @bind.element)
(when_subject (variable_declaration . (identifier) @bind .) "=" . (_) @bind.value)
(catch_block . (identifier) @bind . (user_type) @bind.type)
(type_parameter . (identifier) @bind (user_type) @bind.type)
(type_alias type: (_) @bind (user_type) @bind.type)

(function_declaration name: (_) @bind (function_value_parameters) . [(user_type) (nullable_type)] @bind.type)
(function_declaration (function_body "=" . (_) @returned))
(getter (function_body "=" . (_) @returned))

; What a test says of the name that it tests

((when_expression
    (when_subject [(identifier) (this_expression)] @narrow)
    (when_entry . condition: (type_test "is" (user_type) @narrow.type) . "->") @narrow.in))
((when_expression
    (when_subject (variable_declaration . (identifier) @narrow))
    (when_entry . condition: (type_test "is" (user_type) @narrow.type) . "->") @narrow.in))
(when_entry
  .
  condition: (is_expression left: [(identifier) (this_expression)] @narrow "is" right: (user_type) @narrow.type)
  .
  "->") @narrow.in
(if_expression
  condition: (is_expression left: [(identifier) (this_expression)] @narrow "is" right: (user_type) @narrow.type)
  .
  ")"
  .
  (_) @narrow.in)
(if_expression
  condition: (binary_expression
    left: (is_expression left: [(identifier) (this_expression)] @narrow "is" right: (user_type) @narrow.type)
    "&&")
  .
  ")"
  .
  (_) @narrow.in)
(binary_expression
  left: (is_expression left: [(identifier) (this_expression)] @narrow "is" right: (user_type) @narrow.type)
  "&&"
  right: (_) @narrow.in)
(if_expression
  condition: (is_expression left: [(identifier) (this_expression)] @narrow "!is" right: (user_type) @narrow.type)
  .
  ")"
  .
  [
    (return_expression)
    (throw_expression)
    (block [(return_expression) (throw_expression)] . "}")
  ]
  .) @narrow.after
