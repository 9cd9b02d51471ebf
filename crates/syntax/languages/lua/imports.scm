((function_call
    name: (identifier) @skip
    arguments: (arguments . (string content: (string_content) @import.module))) @import
  (#any-of? @skip "require" "dofile" "loadfile"))
((variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @import.alias)
      (expression_list
        . value: (function_call
          name: (identifier) @_require
          arguments: (arguments . (string content: (string_content) @import.module)))))) @import
  (#eq? @_require "require"))
((variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @import.alias)
      (expression_list
        . value: (dot_index_expression
          table: (function_call
            name: (identifier) @_require
            arguments: (arguments . (string content: (string_content) @import.module)))
          field: (identifier) @import.name)))) @import
  (#eq? @_require "require"))
; `local ok, json = pcall(require, "json")`
((function_call
    name: (identifier) @_pcall
    arguments: (arguments . (identifier) @skip . (string content: (string_content) @import.module))) @import
  (#eq? @_pcall "pcall") (#eq? @skip "require"))
