; What is known of the things that names are given to

(formal_parameter type: (_) @bind.type name: (identifier) @bind)
(spread_parameter [(type_identifier) (scoped_type_identifier) (generic_type)] @bind.type (variable_declarator name: (identifier) @bind))
(local_variable_declaration type: (_) @bind.type declarator: (variable_declarator name: (identifier) @bind))
; What follows `var` says more than the word.
((local_variable_declaration
    type: (type_identifier) @_var
    declarator: (variable_declarator name: (identifier) @bind value: (_) @bind.value))
  (#eq? @_var "var"))
(field_declaration type: (_) @bind.type declarator: (variable_declarator name: (identifier) @bind))
(constant_declaration type: (_) @bind.type declarator: (variable_declarator name: (identifier) @bind))
(enhanced_for_statement type: (_) @bind.type name: (identifier) @bind)
((enhanced_for_statement type: (type_identifier) @_var name: (identifier) @bind value: (_) @bind.element)
  (#eq? @_var "var"))
(catch_formal_parameter (catch_type) @bind.type name: (identifier) @bind)
(resource type: (_) @bind.type name: (identifier) @bind)
((resource type: (type_identifier) @_var name: (identifier) @bind value: (_) @bind.value)
  (#eq? @_var "var"))
(instanceof_expression right: (_) @bind.type name: (identifier) @bind)
(type_pattern (_) @bind.type (identifier) @bind .)
(record_pattern_component (_) @bind.type (identifier) @bind .)

(method_declaration type: (_) @bind.type name: (identifier) @bind)
(annotation_type_element_declaration type: (_) @bind.type name: (identifier) @bind)
(type_parameter (type_identifier) @bind (type_bound) @bind.type)
