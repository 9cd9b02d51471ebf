; What is known of the things that names are given to

(assignment_statement
  (variable_list . name: [(identifier) @bind (dot_index_expression field: (identifier) @bind)])
  (expression_list . value: (_) @bind.value))
(assignment_statement
  (variable_list . (_) . name: (identifier) @bind)
  (expression_list . (_) . value: (_) @bind.value))
((assignment_statement
    (variable_list . (_) . name: (identifier) @bind)
    (expression_list . value: (_) @bind.value .))
  (#set! part 1))
(for_generic_clause
  (variable_list . (_) . name: (identifier) @bind)
  (expression_list . (function_call arguments: (arguments . (_) @bind.element .)) .))

(return_statement (expression_list . (_) @returned))
