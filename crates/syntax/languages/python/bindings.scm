; What is known of the things that names are given to

(parameters . (identifier) @bind (#set! first))
((parameters . (typed_parameter . (identifier) @bind type: (type) @bind.type)) (#set! first))
(typed_parameter . (identifier) @bind type: (type) @bind.type)
(typed_default_parameter name: (identifier) @bind type: (type) @bind.type)
; What gathers further arguments is a tuple or a dictionary.
(list_splat_pattern (identifier) @bind) @bind.value
(dictionary_splat_pattern (identifier) @bind) @bind.value
(default_parameter name: (identifier) @bind value: (_) @bind.value)

(assignment left: [(identifier) @bind (attribute attribute: (identifier) @bind)] right: (_) @bind.value)
(assignment left: [(identifier) @bind (attribute attribute: (identifier) @bind)] type: (type) @bind.type)
((assignment left: [(pattern_list . (identifier) @bind) (tuple_pattern . (identifier) @bind)] right: (_) @bind.value)
  (#set! part 0))
((assignment
    left: [(pattern_list . (_) . (identifier) @bind) (tuple_pattern . (_) . (identifier) @bind)]
    right: (_) @bind.value)
  (#set! part 1))
(named_expression name: (identifier) @bind value: (_) @bind.value)
(for_statement left: (identifier) @bind right: (_) @bind.element)
(for_in_clause left: (identifier) @bind right: (_) @bind.element)
(as_pattern . (_) @bind.value alias: (as_pattern_target (identifier) @bind))
(except_clause (as_pattern . (_) @bind.type alias: (as_pattern_target (identifier) @bind)))

(function_definition name: (identifier) @bind return_type: (type) @bind.type)
(type_alias_statement left: (type (identifier) @bind) right: (type) @bind.type)
(type_parameter (type (constrained_type . (type (identifier) @bind) (type) @bind.type)))
(return_statement . (_) @returned)
