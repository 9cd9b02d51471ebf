; What is known of the things that names are given to

(parameter pattern: [(identifier) @bind (mut_pattern (identifier) @bind)] type: (_) @bind.type)
(let_declaration pattern: [(identifier) @bind (mut_pattern (identifier) @bind)] type: (_) @bind.type)
(let_declaration pattern: [(identifier) @bind (mut_pattern (identifier) @bind)] value: (_) @bind.value)
((let_declaration
    pattern: (tuple_pattern . [(identifier) @bind (mut_pattern (identifier) @bind)])
    value: (_) @bind.value)
  (#set! part 0))
((let_declaration
    pattern: (tuple_pattern . (_) . [(identifier) @bind (mut_pattern (identifier) @bind)])
    value: (_) @bind.value)
  (#set! part 1))
; `Some(x)` and `Ok(x)` hold what the value has, other patterns what their type or variant holds.
((let_declaration
    pattern: (tuple_struct_pattern type: (_) @_pattern . [(identifier) @bind (_ (identifier) @bind)] .)
    value: (_) @bind.value)
  (#any-of? @_pattern "Some" "Ok"))
((let_condition
    pattern: (tuple_struct_pattern type: (_) @_pattern . [(identifier) @bind (_ (identifier) @bind)] .)
    value: (_) @bind.value)
  (#any-of? @_pattern "Some" "Ok"))
((match_expression
    value: (_) @bind.value
    body: (match_block
      (match_arm
        pattern: (match_pattern (tuple_struct_pattern type: (_) @_pattern . [(identifier) @bind (_ (identifier) @bind)] .)))))
  (#any-of? @_pattern "Some" "Ok"))
((tuple_struct_pattern type: (_) @bind.value . [(identifier) @bind (mut_pattern (identifier) @bind) (ref_pattern (identifier) @bind)])
  (#not-any-of? @bind.value "Some" "Ok" "Err") (#set! part "payload 0"))
((tuple_struct_pattern type: (_) @bind.value . (_) . [(identifier) @bind (mut_pattern (identifier) @bind) (ref_pattern (identifier) @bind)])
  (#not-any-of? @bind.value "Some" "Ok" "Err") (#set! part "payload 1"))
((struct_pattern type: (_) @bind.value (field_pattern name: (shorthand_field_identifier) @bind)) (#set! part member))
(let_condition pattern: (identifier) @bind value: (_) @bind.value)
(for_expression pattern: (identifier) @bind value: (_) @bind.element)

(function_item name: (identifier) @bind return_type: (_) @bind.type)
(function_signature_item name: (identifier) @bind return_type: (_) @bind.type)
(field_declaration name: (field_identifier) @bind type: (_) @bind.type)
(enum_variant name: (identifier) @bind body: (ordered_field_declaration_list) @bind.type)
(struct_item name: (type_identifier) @bind body: (ordered_field_declaration_list) @bind.type)
(const_item name: (identifier) @bind type: (_) @bind.type)
(static_item name: (identifier) @bind type: (_) @bind.type)
(type_item name: (type_identifier) @bind type: (_) @bind.type)
(associated_type name: (type_identifier) @bind bounds: (trait_bounds) @bind.type)
(impl_item type: (generic_type type: (type_identifier) @bind) @bind.type)
(impl_item type: (scoped_type_identifier name: (type_identifier) @bind) @bind.type)
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @bind)) @bind.type)
(type_parameter name: (type_identifier) @bind bounds: (trait_bounds) @bind.type)
; A bound that stands apart from its parameter binds it again.
((where_predicate left: (type_identifier) @local.type @bind bounds: (trait_bounds) @bind.type)
  (#match? @bind "^[A-Z][A-Z0-9]?$"))
