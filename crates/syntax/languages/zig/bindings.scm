; What is known of the things that names are given to

(parameter name: (identifier) @bind type: (_) @bind.type)
(variable_declaration (identifier) @bind type: (_) @bind.type)
(variable_declaration
  .
  "const"
  .
  (identifier) @bind
  .
  "="
  .
  [(field_expression) (call_expression) (try_expression) (identifier) (struct_initializer) (catch_expression)] @bind.value)
(variable_declaration
  .
  "var"
  .
  (identifier) @bind
  .
  "="
  .
  [(field_expression) (call_expression) (try_expression) (identifier) (struct_initializer) (catch_expression)] @bind.value)
; Another name for a type
((variable_declaration "const" . (identifier) @bind . "=" . [(field_expression) (identifier)] @bind.type)
  (#match? @bind "^[A-Z]"))
(container_field name: (identifier) @bind type: (_) @bind.type)
(function_declaration name: (identifier) @bind type: (_) @bind.type)
(if_statement condition: (_) @bind.value (payload . (identifier) @bind .))
(while_statement condition: (_) @bind.value (payload . (identifier) @bind .))
(for_statement . (_) @bind.element (payload . (identifier) @bind))
