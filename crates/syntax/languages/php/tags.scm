; A variable belongs to the function it stands in; there is nothing to look up elsewhere.
(variable_name) @skip.all
(dynamic_variable_name) @skip.all
(namespace_name (name) @skip)

; Definitions

(namespace_definition name: (namespace_name) @package)

(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.variant
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name))) @definition.field
(property_declaration
  (property_element name: (variable_name (name) @name))
  (property_hook_list) @body) @definition.property
(property_promotion_parameter
  name: [(variable_name (name) @name @local) (by_ref (variable_name (name) @name @local))]) @definition.field
((function_call_expression
    function: [(name) @_define (qualified_name (name) @_define)]
    arguments: (arguments . (argument (string) @name))) @definition.constant
  (#eq? @_define "define"))

; A script's own variables.
(program
  (expression_statement
    (assignment_expression left: (variable_name (name) @name)) @definition.variable))

(program
  (expression_statement
    (assignment_expression
      left: (variable_name (name) @name)
      right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]) @definition.function))

; Tests
((method_declaration name: (name) @name) @definition.method
  (#match? @name "^test[A-Z_0-9]") (#set! role test))
((class_declaration
    name: (name) @name
    (base_clause [(name) @_base (qualified_name (name) @_base)])) @definition.class
  (#match? @_base "TestCase$") (#set! role test))

((function_call_expression
    function: (name) @_test
    arguments: (arguments
      . (argument [(string) (encapsed_string)] @name)
      . (argument [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]))) @definition.function
  (#any-of? @_test "it" "test") (#set! role test))

; What can be saved from code that is not finished.
(ERROR "function" . (name) @name @definition.function)
(ERROR "class" . (name) @name @definition.class)
((ERROR (named_type (name) @skip) . (name) @name @definition.function . "(") (#eq? @skip "function"))
((ERROR (name) @skip . (name) @name @definition.class) (#eq? @skip "class"))
(ERROR "interface" . (name) @name @definition.interface)
(ERROR "trait" . (name) @name @definition.trait)

; References

(function_call_expression function: [(name) @name (qualified_name (name) @name)]) @reference.call
(function_call_expression
  function: (qualified_name prefix: (namespace_name) @receiver (name) @name)) @reference.call
(member_call_expression name: (name) @name) @reference.call
(nullsafe_member_call_expression name: (name) @name) @reference.call
(scoped_call_expression name: (name) @name) @reference.call
(scoped_call_expression scope: [(name) @name (qualified_name (name) @name)]) @reference.type
(object_creation_expression [(name) @name (qualified_name (name) @name)]) @reference.call
(object_creation_expression (qualified_name prefix: (namespace_name) @receiver (name) @name)) @reference.call
(attribute [(name) @name (qualified_name (name) @name)]) @reference.call

(base_clause [(name) @name (qualified_name (name) @name)]) @reference.inherit
(base_clause (qualified_name prefix: (namespace_name) @receiver (name) @name)) @reference.inherit
(class_interface_clause [(name) @name (qualified_name (name) @name)]) @reference.inherit
(class_interface_clause (qualified_name prefix: (namespace_name) @receiver (name) @name)) @reference.inherit
(use_declaration [(name) @name (qualified_name (name) @name)]) @reference.inherit
(use_declaration (qualified_name prefix: (namespace_name) @receiver (name) @name)) @reference.inherit

(named_type [(name) @name (qualified_name (name) @name) (relative_name (name) @name)]) @reference.type
(named_type (qualified_name prefix: (namespace_name) @receiver (name) @name)) @reference.type
(class_constant_access_expression . [(name) @name (qualified_name (name) @name)]) @reference.type
(class_constant_access_expression . (_) @receiver . (name) @name) @reference.read
(scoped_property_access_expression scope: [(name) @name (qualified_name (name) @name)]) @reference.type
(scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @name)) @reference.read
((binary_expression operator: _ @_operator right: [(name) @name (qualified_name (name) @name)]) @reference.type
  (#eq? @_operator "instanceof"))
((binary_expression
    operator: _ @_operator
    right: (qualified_name prefix: (namespace_name) @receiver (name) @name)) @reference.type
  (#eq? @_operator "instanceof"))
(use_instead_of_clause . (class_constant_access_expression) . (name) @name) @reference.type
(use_as_clause (name) (name) @skip)

(assignment_expression
  left: [
    (member_access_expression name: (name) @name)
    (list_literal (member_access_expression name: (name) @name))
  ]) @reference.write
(augmented_assignment_expression left: (member_access_expression name: (name) @name)) @reference.write
(update_expression argument: (member_access_expression name: (name) @name)) @reference.write
(assignment_expression
  left: (scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @name))) @reference.write
(augmented_assignment_expression
  left: (scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @name))) @reference.write
(update_expression
  argument: (scoped_property_access_expression scope: (_) @receiver name: (variable_name (name) @name))) @reference.write

; A script's variables, where they stand outside of functions.
(global_declaration (variable_name (name) @name)) @reference.read
(program
  (expression_statement
    [
      (member_call_expression object: (variable_name (name) @name))
      (assignment_expression right: (variable_name (name) @name))
      (assignment_expression right: (member_call_expression object: (variable_name (name) @name)))
      (function_call_expression arguments: (arguments (argument (variable_name (name) @name))))
      (member_call_expression arguments: (arguments (argument (variable_name (name) @name))))
    ])) @reference.read

; A callable: `[$object, 'method']`, `[new Type, 'method']`, `[self::class, 'method']`
((array_creation_expression
    .
    (array_element_initializer . [(variable_name) (member_access_expression) (object_creation_expression)] @receiver .)
    .
    (array_element_initializer . [(string . (string_content) @name .) (encapsed_string . (string_content) @name .)] .)
    .) @reference.read
  (#match? @name "^[A-Za-z_][A-Za-z0-9_]*$"))
((array_creation_expression
    .
    (array_element_initializer . (class_constant_access_expression . (_) @receiver . (name) @_class .) .)
    .
    (array_element_initializer . [(string . (string_content) @name .) (encapsed_string . (string_content) @name .)] .)
    .) @reference.read
  (#eq? @_class "class")
  (#match? @name "^[A-Za-z_][A-Za-z0-9_]*$"))

; Names that are no use of anything

(argument name: (name) @skip)
(property_hook (name) @skip)
((function_call_expression function: (name) @skip) (#any-of? @skip "define" "compact" "isset" "empty" "unset" "exit" "die" "eval"))
(class_constant_access_expression (_) . (name) @skip . (#eq? @skip "class"))
((name) @skip (#any-of? @skip "self" "static" "parent" "this" "function" "class"))
((object_creation_expression (name) @name) @reference.call (#any-of? @name "self" "static" "parent"))
((name) @skip (#match? @skip "^__[A-Z]+__$"))
