; What is C's alone.

; Functions: `f()`, `*f()`, `**f()`, and `(*f(int))(int)`, which returns a pointer to a function.
(function_definition
  declarator: [
    (function_declarator)
    (pointer_declarator declarator: (function_declarator))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator)))
    (pointer_declarator
      declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator))))
  ] @name) @definition.function

; A type such as `typeof(x)` or a macro with a type as its argument
(declaration
  type: (macro_type_specifier)
  declarator: [(identifier) (pointer_declarator) (array_declarator) (init_declarator)] @name) @definition.variable
(field_declaration
  type: (macro_type_specifier)
  declarator: [(field_identifier) (pointer_declarator) (array_declarator)] @name) @definition.field
(type_definition type: (macro_type_specifier) declarator: (_) @name) @definition.type

; `static DEFINE_SPINLOCK(lock);` and `DEFINE_MUTEX(lock);`
((declaration
    type: (type_identifier) @_macro
    declarator: (parenthesized_declarator (identifier) @name)) @definition.variable
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((translation_unit
    (expression_statement
      (call_expression
        function: (identifier) @_macro
        arguments: (argument_list . (identifier) @name))) @definition.variable)
  (#match? @_macro "^(DEFINE|DECLARE)_[A-Z0-9_]+$|^LIST_HEAD$"))

; Functions that a macro heads: `SYSCALL_DEFINE3(open, …) { … }`
([
    (translation_unit
      (expression_statement
        (call_expression
          function: (identifier) @_macro
          arguments: (argument_list . (identifier) @name))
        ";" @_missing) @definition.function
      .
      (compound_statement) @body)
    (preproc_ifdef
      (expression_statement
        (call_expression
          function: (identifier) @_macro
          arguments: (argument_list . (identifier) @name))
        ";" @_missing) @definition.function
      .
      (compound_statement) @body)
    (preproc_if
      (expression_statement
        (call_expression
          function: (identifier) @_macro
          arguments: (argument_list . (identifier) @name))
        ";" @_missing) @definition.function
      .
      (compound_statement) @body)
  ]
  (#match? @_macro "^[A-Z][A-Z0-9_]+$")
  (#not-match? @_macro "^(TEST|TEST_F|TEST_P)$")
  (#eq? @_missing ""))
((translation_unit
    (expression_statement
      (call_expression
        function: (identifier) @_macro
        arguments: (argument_list . (identifier) @container @skip . (identifier) @name .))
      ";" @_missing) @definition.function
    .
    (compound_statement) @body)
  (#match? @_macro "^(TEST|TEST_F|TEST_P)$")
  (#eq? @_missing "")
  (#set! role test))
((expression_statement
    (call_expression
      function: (identifier) @_macro
      arguments: (argument_list . (_) (identifier) @local))
    ";" @_missing)
  (#match? @_macro "^[A-Z][A-Z0-9_]+_DEFINE[0-9x]$")
  (#eq? @_missing ""))

; The type that a macro takes as an argument
((call_expression
    function: (identifier) @_macro
    arguments: (argument_list . (_) . (identifier) @name)) @reference.type
  (#match? @_macro "^(container_of|container_of_safe|rb_entry|rb_entry_safe|[a-z]*list_(first_|last_|next_|prev_)?entry(_[a-z]+)?)$"))

; A declaration inside a function is of no use to anyone else.
(compound_statement
  (declaration
    declarator: [
      (function_declarator declarator: (identifier))
      (pointer_declarator declarator: (function_declarator declarator: (identifier)))
    ] @name) @definition.field)

; The names of a definition in the old style
(parameter_list (identifier) @local)

; A definition that the grammar gave up on still has a name.
(ERROR (function_declarator declarator: (identifier) @name) @definition.function)
(ERROR (function_declarator declarator: (function_declarator declarator: (field_identifier) @name) @definition.function))
(ERROR type: (_) . (identifier) @name @definition.function . "(")
(ERROR "struct" . (type_identifier) @name @definition.struct . "{")
