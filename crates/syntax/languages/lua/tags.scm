; Definitions

(function_declaration name: (identifier) @name) @definition.function
(function_declaration
  name: (dot_index_expression table: (_) @container field: (identifier) @name)) @definition.function
((function_declaration
    name: (method_index_expression table: (_) @container method: (identifier) @name)) @definition.method
  (#set! separator ":"))
(function_declaration name: (identifier) @name "end" @body !body) @definition.function
(function_declaration
  name: (dot_index_expression table: (_) @container field: (identifier) @name)
  "end" @body
  !body) @definition.function
((function_declaration
    name: (method_index_expression table: (_) @container method: (identifier) @name)
    "end" @body
    !body) @definition.method
  (#set! separator ":"))

; Variables. What is only another file's table is an import.
(variable_declaration (variable_list name: (identifier) @name)) @definition.variable
((variable_declaration
    (assignment_statement (variable_list name: (identifier) @name) (expression_list . value: (_) @_value)))
  @definition.variable
  (#not-match? @_value "^require\\s*(\\(\\s*)?[\"'\\[][^()]*(\\s*\\))?(\\.[\\w.]+)?$"))
((variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name . attribute: (attribute (identifier) @_attribute))))
  @definition.constant
  (#eq? @_attribute "const"))
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)

; Members of a table that a file builds.
(chunk
  (assignment_statement
    (variable_list name: (dot_index_expression table: (_) @container field: (identifier) @name))) @definition.field)

; Functions that a variable or a member holds.
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition "end" @body !body)))) @definition.function
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (_) @body)))) @definition.function
(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition "end" @body !body))) @definition.function)
(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (_) @body))) @definition.function)
(block
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition "end" @body !body))) @definition.function)
(block
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (function_definition body: (_) @body))) @definition.function)
((assignment_statement
    (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name))
    (expression_list . value: (function_definition "end" @body !body))) @definition.function
  (#not-eq? @container "self"))
((assignment_statement
    (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name))
    (expression_list . value: (function_definition body: (_) @body))) @definition.function
  (#not-eq? @container "self"))
((assignment_statement
    (variable_list . name: (bracket_index_expression table: (_) @container field: (string) @name))
    (expression_list . value: (function_definition "end" @body !body))) @definition.function
  (#not-eq? @container "self"))
((assignment_statement
    (variable_list . name: (bracket_index_expression table: (_) @container field: (string) @name))
    (expression_list . value: (function_definition body: (_) @body))) @definition.function
  (#not-eq? @container "self"))
((assignment_statement
    (variable_list . name: (dot_index_expression table: (identifier) @_self field: (identifier) @name))
    (expression_list . value: (function_definition "end" @body !body))) @definition.function
  (#eq? @_self "self"))
((assignment_statement
    (variable_list . name: (dot_index_expression table: (identifier) @_self field: (identifier) @name))
    (expression_list . value: (function_definition body: (_) @body))) @definition.function
  (#eq? @_self "self"))

; Fields of a table that a file builds, and of one that gets the members of another.
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier))
      (expression_list
        . value: (table_constructor (field name: (identifier) @name value: (_)) @definition.field)))))
((function_call
    name: (identifier) @_setmetatable
    arguments: (arguments
      . (table_constructor (field name: (identifier) @name value: (_)) @definition.field)
      . (identifier) @container))
  (#eq? @_setmetatable "setmetatable") (#not-eq? @container "self"))

; Functions in a table.
((field name: [(identifier) (string)] @name value: (function_definition "end" @body !body)) @definition.function
  (#match? @name "^.?\\w+.?$"))
((field name: [(identifier) (string)] @name value: (function_definition body: (_) @body)) @definition.function
  (#match? @name "^.?\\w+.?$"))
(field
  name: (identifier) @name
  value: (binary_expression right: (function_definition body: (_) @body))) @definition.function
(field
  name: (identifier) @container
  value: (table_constructor
    (field name: (identifier) @name value: (function_definition "end" @body !body)) @definition.function))
(field
  name: (identifier) @container
  value: (table_constructor
    (field name: (identifier) @name value: (function_definition body: (_) @body)) @definition.function))

; Classes by the libraries that make them.
((chunk
    (variable_declaration
      (assignment_statement
        (variable_list . name: (identifier) @name)
        (expression_list . value: (function_call name: (_) @_maker)))) @definition.class)
  (#match? @name "^[A-Z]")
  (#match? @_maker "^([cC]lass|middleclass|setmetatable|(.*[.:])?(extend|subclass|derive))$"))
((chunk
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (function_call name: (_) @_maker))) @definition.class)
  (#match? @name "^[A-Z]")
  (#match? @_maker "^([cC]lass|middleclass|setmetatable|(.*[.:])?(extend|subclass|derive))$"))

; Tests whose name is a text.
((function_call
    name: (identifier) @_test
    arguments: (arguments . (string) @name (function_definition body: (_)? @body))) @definition.function
  (#any-of? @_test "it" "specify" "test" "pending") (#set! role test))

; What a file returns is what others see of it.
(chunk (return_statement (expression_list (identifier) @exported)))
(chunk (return_statement (expression_list (table_constructor (field value: (identifier) @exported)))))

; What can be saved from code that is not finished.
(ERROR "function" . (identifier) @name @definition.function)
(ERROR "function" . (dot_index_expression table: (_) @container field: (identifier) @name) @definition.function)
((ERROR "function" . (method_index_expression table: (_) @container method: (identifier) @name) @definition.method)
  (#set! separator ":"))
((ERROR "local" . "function" . (identifier) @name @definition.function) (#set! visibility private))

(table_constructor
  (ERROR "function")
  . (field
    value: (function_call
      name: [
        (identifier) @name
        (dot_index_expression table: (_) @container field: (identifier) @name)
      ])) @definition.function)
(arguments
  (ERROR "function")
  . (function_call
    name: [
      (identifier) @name
      (dot_index_expression table: (_) @container field: (identifier) @name)
    ]) @definition.function)

; References

(assignment_statement
  (variable_list
    name: [
      (identifier) @name
      (dot_index_expression field: (identifier) @name)
    ])) @reference.write
(function_call
  name: [
    (identifier) @name
    (dot_index_expression field: (identifier) @name)
    (method_index_expression method: (identifier) @name)
  ]) @reference.call
((function_call
    name: (identifier) @_setmetatable
    arguments: (arguments (_) (table_constructor (field name: (identifier) @_index value: (_) @name)))) @reference.inherit
  (#eq? @_setmetatable "setmetatable") (#eq? @_index "__index") (#match? @name "^[A-Za-z_]\\w*$"))

; Names that are no use of anything

(field name: (identifier) @skip)
(field "[" . name: (identifier) @name) @reference.read
(goto_statement (identifier) @skip)
(label_statement (identifier) @skip)
(attribute (identifier) @skip)
((identifier) @skip (#any-of? @skip "self" "_G" "_ENV"))

; Names bound for one function

(parameters name: (identifier) @local)
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)
(variable_declaration (variable_list name: (identifier) @local))
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
