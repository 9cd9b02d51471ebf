; Definitions

((mod_item "mod" @_word name: (identifier) @name) @definition.module (#eq? @_word "mod"))
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.union
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.variant
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(field_declaration name: (field_identifier) @name) @definition.field
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(macro_definition name: (identifier) @name) @definition.macro
; A macro with items in its rules, which is shown as a module
((mod_item "mod" @_word name: (identifier) @name) @definition.macro (#eq? @_word "mac"))
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function

; An impl block bears the name of its type.
(impl_item
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
    (scoped_type_identifier name: (type_identifier) @name)
    (dynamic_type trait: (type_identifier) @name)
    (dynamic_type trait: (generic_type type: (type_identifier) @name))
    (dynamic_type trait: (scoped_type_identifier name: (type_identifier) @name))
    (reference_type type: (type_identifier) @name)
    (reference_type type: (generic_type type: (type_identifier) @name))
    (reference_type type: (scoped_type_identifier name: (type_identifier) @name))
    (reference_type type: (dynamic_type trait: (type_identifier) @name))
    (reference_type type: (primitive_type) @name)
    (reference_type type: (array_type) @name)
    (primitive_type) @name
    (array_type) @name
    (tuple_type) @name
    (unit_type) @name
    (pointer_type) @name
    (function_type) @name
  ]) @definition.impl

; Members of a trait implementation are as public as the trait.
((impl_item trait: (_) body: (declaration_list (function_item name: (identifier) @name) @definition.function))
  (#set! visibility public))
((impl_item trait: (_) body: (declaration_list (type_item name: (type_identifier) @name) @definition.type))
  (#set! visibility public))
((impl_item trait: (_) body: (declaration_list (const_item name: (identifier) @name) @definition.constant))
  (#set! visibility public))

; Items in the arguments of a macro, which the grammar does not parse
((macro_invocation
    macro: (identifier) @_macro
    (token_tree "fn" . (identifier) @name @definition.function))
  (#not-match? @_macro "quote"))
((macro_invocation
    macro: (identifier) @_macro
    (token_tree ["struct" "enum"] . (identifier) @name @definition.struct))
  (#not-match? @_macro "quote"))
((macro_invocation
    macro: (identifier) @_macro
    (token_tree "type" . (identifier) @name @definition.type))
  (#not-match? @_macro "quote"))
((macro_invocation
    macro: (identifier) @_macro
    (token_tree "trait" . (identifier) @name @definition.trait))
  (#not-match? @_macro "quote"))
((macro_invocation
    macro: (identifier) @_macro
    (token_tree "static" . (identifier) @name @definition.variable))
  (#eq? @_macro "thread_local"))
((macro_invocation
    macro: (identifier) @_macro
    (token_tree "static" . (identifier) . (identifier) @name @definition.variable))
  (#eq? @_macro "lazy_static"))

; A definition that the grammar gave up on still has a name.
(ERROR "fn" . (identifier) @name @definition.function)
(ERROR "enum" . [(identifier) (type_identifier)] @name @definition.enum)
(ERROR "struct" . [(identifier) (type_identifier)] @name @definition.struct)

; References

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression field: (field_identifier) @name)) @reference.call
(call_expression function: (scoped_identifier name: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (scoped_identifier name: (identifier) @name))) @reference.call
(call_expression function: (generic_function function: (field_expression field: (field_identifier) @name))) @reference.call
(macro_invocation macro: (identifier) @name) @reference.call
(macro_invocation macro: (scoped_identifier name: (identifier) @name)) @reference.call
(struct_expression name: (type_identifier) @name) @reference.call
(struct_expression name: (scoped_type_identifier name: (type_identifier) @name)) @reference.call
(impl_item trait: (type_identifier) @name) @reference.inherit
(impl_item trait: (generic_type type: (type_identifier) @name)) @reference.inherit
(impl_item trait: (scoped_type_identifier name: (type_identifier) @name)) @reference.inherit
(impl_item
  trait: (generic_type type: (scoped_type_identifier name: (type_identifier) @name))) @reference.inherit
(trait_item bounds: (trait_bounds (type_identifier) @name)) @reference.inherit
(trait_item bounds: (trait_bounds (generic_type type: (type_identifier) @name))) @reference.inherit
(trait_item bounds: (trait_bounds (scoped_type_identifier name: (type_identifier) @name))) @reference.inherit
(trait_item
  bounds: (trait_bounds
    (generic_type type: (scoped_type_identifier name: (type_identifier) @name)))) @reference.inherit

; The fields of a struct literal and of a struct pattern
(struct_expression
  name: (_) @receiver
  body: (field_initializer_list (field_initializer field: (field_identifier) @name))) @reference.write
(struct_expression
  name: (_) @receiver
  body: (field_initializer_list (shorthand_field_initializer (identifier) @name))) @reference.write
(struct_pattern type: (_) @receiver (field_pattern name: (field_identifier) @name)) @reference.read

(type_binding name: (type_identifier) @skip)
(lifetime (identifier) @skip)
(label (identifier) @skip)

(assignment_expression left: (identifier) @name) @reference.write
(assignment_expression left: (field_expression field: (field_identifier) @name)) @reference.write
(compound_assignment_expr left: (identifier) @name) @reference.write
(compound_assignment_expr left: (field_expression field: (field_identifier) @name)) @reference.write

; Names bound for one function

(parameter pattern: (identifier) @local)
(parameter pattern: (mut_pattern (identifier) @local))
(closure_parameters (identifier) @local)
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (mut_pattern (identifier) @local))
(for_expression pattern: (identifier) @local)
(tuple_pattern (identifier) @local)
(tuple_pattern (mut_pattern (identifier) @local))
(tuple_struct_pattern (identifier) @local)
(tuple_struct_pattern type: (_) (identifier) @local)
(tuple_struct_pattern (mut_pattern (identifier) @local))
(tuple_struct_pattern type: (identifier) @name) @reference.read
(ref_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(captured_pattern . (identifier) @local)
(slice_pattern (identifier) @local)
((match_pattern . (identifier) @local) (#match? @local "^[a-z_]"))
(field_pattern name: (shorthand_field_identifier) @local)
(struct_pattern type: (_) @receiver (field_pattern name: (shorthand_field_identifier) @name @local)) @reference.read
(field_pattern pattern: (identifier) @local)
(type_parameter name: (type_identifier) @local.type)
(const_parameter name: (identifier) @local.type)
