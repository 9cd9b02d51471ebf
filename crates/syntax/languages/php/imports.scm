(namespace_use_declaration
  (namespace_use_clause . (name) @import.name alias: (name)? @import.alias)
  !body) @import
(namespace_use_declaration
  (namespace_use_clause
    . (qualified_name prefix: (namespace_name) @import.module (name) @import.name)
    alias: (name)? @import.alias)) @import
(namespace_use_declaration
  (namespace_name) @import.module
  body: (namespace_use_group
    (namespace_use_clause . [(name) (qualified_name)] @import.name alias: (name)? @import.alias))) @import

; `__DIR__ . "/x.php"` is the file `/x.php` of this folder.
(require_expression [(string) (encapsed_string)] @import.module) @import
(require_expression (binary_expression right: [(string) (encapsed_string)] @import.module)) @import
(require_expression (parenthesized_expression [(string) (encapsed_string)] @import.module)) @import
(require_expression
  (parenthesized_expression (binary_expression right: [(string) (encapsed_string)] @import.module))) @import
(require_once_expression [(string) (encapsed_string)] @import.module) @import
(require_once_expression (binary_expression right: [(string) (encapsed_string)] @import.module)) @import
(require_once_expression (parenthesized_expression [(string) (encapsed_string)] @import.module)) @import
(require_once_expression
  (parenthesized_expression (binary_expression right: [(string) (encapsed_string)] @import.module))) @import
(include_expression [(string) (encapsed_string)] @import.module) @import
(include_expression (binary_expression right: [(string) (encapsed_string)] @import.module)) @import
(include_expression (parenthesized_expression [(string) (encapsed_string)] @import.module)) @import
(include_expression
  (parenthesized_expression (binary_expression right: [(string) (encapsed_string)] @import.module))) @import
(include_once_expression [(string) (encapsed_string)] @import.module) @import
(include_once_expression (binary_expression right: [(string) (encapsed_string)] @import.module)) @import
(include_once_expression (parenthesized_expression [(string) (encapsed_string)] @import.module)) @import
(include_once_expression
  (parenthesized_expression (binary_expression right: [(string) (encapsed_string)] @import.module))) @import
