; Most words are texts.
(word) @skip

; Definitions

(function_definition name: (word) @name) @definition.function

; An assignment in a function is to a variable of the whole script unless the function declares it.
(program
  [
    (variable_assignment name: (variable_name) @name) @definition.variable
    (variable_assignments (variable_assignment name: (variable_name) @name) @definition.variable)
    (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable)
    (list (variable_assignment name: (variable_name) @name) @definition.variable)
    (list (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))
    (if_statement
      [
        (variable_assignment name: (variable_name) @name) @definition.variable
        (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable)
        (else_clause (variable_assignment name: (variable_name) @name) @definition.variable)
        (elif_clause (variable_assignment name: (variable_name) @name) @definition.variable)
      ])
    (case_statement (case_item (variable_assignment name: (variable_name) @name) @definition.variable))
  ])
; Inside a function these are the function's own.
(declaration_command
  ["local" "declare" "typeset"]
  (variable_assignment name: (variable_name) @name) @definition.variable)
(c_style_for_statement
  initializer: (variable_assignment name: (variable_name) @name) @definition.variable)
(program
  (declaration_command "readonly" (variable_assignment name: (variable_name) @name) @definition.constant))
((program
    (declaration_command
      ["declare" "typeset" "export" "local"]
      (word) @_flags
      (variable_assignment name: (variable_name) @name) @definition.constant))
  (#match? @_flags "^-[a-zA-Z]*r"))

((command
    name: (command_name (word) @_alias)
    argument: (concatenation . (word) @name)) @definition.function
  (#eq? @_alias "alias") (#match? @name "^[^=]+=$"))

; A Bats test: its quote stands where the parenthesis is read.
((function_definition name: (word) @name . "(" @_quote @body) @definition.function
  (#match? @_quote "^[\"']") (#set! role test))

; What can be saved from code that is not finished.
(ERROR "function" . (word) @name @definition.function)
(ERROR (word) @name @definition.function . "(" . ")")
(ERROR (command argument: (word) @name @definition.function .) . "(" . ")")
(command argument: (word) @name @definition.function . (ERROR . "("))
(program (command name: (command_name (word) @name)) @definition.function . (ERROR . "(" . ")"))

; References

(variable_assignment name: [(variable_name) @name (subscript name: (variable_name) @name)]) @reference.write
(simple_expansion (variable_name) @name) @reference.read
(expansion (variable_name) @name) @reference.read
(expansion (subscript name: (variable_name) @name)) @reference.read
(postfix_expression (variable_name) @name) @reference.write
((binary_expression left: (variable_name) @name operator: _ @_operator) @reference.write
  (#match? @_operator "^([-+*/%&|^]|<<|>>)?=$"))
((c_style_for_statement condition: (binary_expression (word) @name)) @reference.read
  (#match? @name "^[A-Za-z_]"))
((command name: (command_name (word) @name)) @reference.call
  (#not-match? @name "/|^-"))
((command name: (command_name (word) @_read) argument: (word) @name) @reference.write
  (#any-of? @_read "read" "mapfile" "readarray" "getopts")
  (#match? @name "^[A-Za-z_][A-Za-z0-9_]*$"))
((command name: (command_name (word) @_printf) argument: (word) @_flag . argument: (word) @name) @reference.write
  (#eq? @_printf "printf") (#eq? @_flag "-v"))
; Commands that run the command after them.
((command name: (command_name (word) @_runner) . argument: (word) @name) @reference.call
  (#any-of? @_runner "run" "trap" "command" "exec" "eval" "nohup" "time" "retry" "type")
  (#match? @name "^[A-Za-z_][-A-Za-z0-9_:.]*$"))
((command name: (command_name (word) @_complete) argument: (word) @_flag . argument: (word) @name) @reference.call
  (#eq? @_complete "complete") (#eq? @_flag "-F"))

; Words of the language that are written as commands, and variables that every script has.
((command name: (command_name (word) @skip))
  (#any-of? @skip "return" "exit" "break" "continue" "shift" ":" "true" "false" "[" "{" "}" "alias" "unalias" "set"
    "builtin" "eval" "exec" "trap" "test" "@test"))
(command (variable_assignment name: (variable_name) @skip))
((variable_name) @skip (#match? @skip "^[0-9]+$"))

; Names bound for one function

(declaration_command ["local" "declare" "typeset"] (variable_name) @local)
(for_statement variable: (variable_name) @local)
; `declare -f` and `unset -f` speak of functions.
((declaration_command (word) @_flag (variable_name) @name) @reference.read
  (#match? @_flag "^-[a-zA-Z]*[fF]"))
((unset_command (word) @_flag (variable_name) @name) @reference.read
  (#match? @_flag "^-f"))
