; `const x = @import("x.zig")` and `const y = @import("x.zig").y`
((variable_declaration
    "const"
    .
    (identifier) @import.alias
    (builtin_function
      (builtin_identifier) @_function
      (arguments (string (string_content) @import.module)))) @import
  (#eq? @_function "@import") (#not-match? @import "^pub\\s"))
((variable_declaration
    "pub"
    .
    "const"
    .
    (identifier) @import.alias
    (builtin_function
      (builtin_identifier) @_function
      (arguments (string (string_content) @import.module)))) @import
  (#eq? @_function "@import") (#set! reexport))
((variable_declaration
    "const"
    .
    (identifier) @import.alias
    (field_expression
      object: [
        (builtin_function
          (builtin_identifier) @_function
          (arguments (string (string_content) @import.module)))
        (field_expression
          object: (builtin_function
            (builtin_identifier) @_function
            (arguments (string (string_content) @import.module))))
      ]
      member: (identifier) @import.name)) @import
  (#eq? @_function "@import") (#not-match? @import "^pub\\s"))
((variable_declaration
    "pub"
    .
    "const"
    .
    (identifier) @import.alias
    (field_expression
      object: [
        (builtin_function
          (builtin_identifier) @_function
          (arguments (string (string_content) @import.module)))
        (field_expression
          object: (builtin_function
            (builtin_identifier) @_function
            (arguments (string (string_content) @import.module))))
      ]
      member: (identifier) @import.name)) @import
  (#eq? @_function "@import") (#set! reexport))
((using_namespace_declaration
    (builtin_function
      (builtin_identifier) @_function
      (arguments (string (string_content) @import.module)))) @import
  (#eq? @_function "@import") (#set! import.name "*") (#set! reexport))
((builtin_function
    (builtin_identifier) @_function
    (arguments (string (string_content) @import.module))) @import
  (#any-of? @_function "@import" "@cInclude" "@embedFile"))
