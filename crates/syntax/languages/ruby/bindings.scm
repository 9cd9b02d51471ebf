; What is known of the things that names are given to

(assignment left: [(identifier) (instance_variable) (class_variable) (constant)] @bind right: (_) @bind.value)
(operator_assignment left: [(identifier) (instance_variable) (class_variable)] @bind right: (_) @bind.value)
((assignment left: (left_assignment_list . (identifier) @bind) right: (_) @bind.value) (#set! part 0))
((assignment left: (left_assignment_list . (_) . (identifier) @bind) right: (_) @bind.value) (#set! part 1))
(optional_parameter name: (identifier) @bind value: (_) @bind.value)
(for pattern: (identifier) @bind value: (in (_) @bind.element))
((call
    receiver: (_) @bind.element
    method: (identifier) @_each
    block: (_ parameters: (block_parameters . (identifier) @bind)))
  (#any-of? @_each "each" "map" "select" "reject" "find" "flat_map" "filter_map" "each_with_index" "any?" "all?" "detect" "each_with_object" "sort_by" "group_by" "sum" "partition" "max_by" "min_by"))
((call
    receiver: (_) @bind.value
    method: (identifier) @_tap
    block: (_ parameters: (block_parameters . (identifier) @bind)))
  (#any-of? @_tap "tap" "then" "yield_self"))
(rescue exceptions: (exceptions . (_) @bind.type .) variable: (exception_variable (identifier) @bind))

(return (argument_list . (_) @returned))
((method body: (body_statement (_) @returned .)) (#not-match? @returned "^super"))
(method body: (call) @returned)
((singleton_method body: (body_statement (_) @returned .)) (#not-match? @returned "^super"))
(singleton_method body: (call) @returned)
