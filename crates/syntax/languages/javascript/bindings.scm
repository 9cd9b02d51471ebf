; What is known of the things that names are given to, in JavaScript, TypeScript and TSX

(variable_declarator name: (identifier) @bind value: (_) @bind.value)
((shorthand_property_identifier_pattern) @bind (#set! part member))
((variable_declarator
    name: (object_pattern [
      (shorthand_property_identifier_pattern) @bind
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @bind)
    ])
    value: (_) @bind.value)
  (#set! part member))
(variable_declarator
  name: (object_pattern (pair_pattern key: (property_identifier) @bind.member value: (identifier) @bind))
  value: (_) @bind.value)
((variable_declarator name: (array_pattern . (identifier) @bind) value: (_) @bind.value) (#set! part 0))
((variable_declarator name: (array_pattern . (_) . (identifier) @bind) value: (_) @bind.value) (#set! part 1))
(assignment_expression left: (identifier) @bind right: (_) @bind.value)
(assignment_pattern left: (identifier) @bind right: (_) @bind.value)
(for_in_statement left: (identifier) @bind right: (_) @bind.element)

(return_statement . (_) @returned)
(arrow_function
  body: [(identifier) (call_expression) (member_expression) (new_expression) (await_expression) (parenthesized_expression)]
    @returned)

; `if (x instanceof Type)` says what `x` is in the statement.
((if_statement
    condition: (parenthesized_expression
      (binary_expression left: (identifier) @name @local @bind operator: "instanceof" right: (_) @bind.type))) @reference.read)
