; Names in patterns are bound, but for those of constructors.
(constructor) @name @reference.read

(header module: (module) @package)

; What the module exports
(header exports: (exports (export type: (name) @exported)))
(header exports: (exports (export variable: (variable) @exported)))
(header exports: (exports (export operator: (prefix_id (_) @exported))))

; Definitions

(type_synonym name: (name) @name) @definition.type
(type_family name: (name) @name) @definition.type
(type_family name: (name) @name "where" @body) @definition.type
(data_family name: (name) @name) @definition.type
(data_type name: (name) @name) @definition.struct
(data_type name: (name) @name "=" @body) @definition.struct
(data_type name: (name) @name constructors: (data_constructors (data_constructor) "|" @body)) @definition.enum
(data_type name: (name) @name "=" @body constructors: (data_constructors (data_constructor) "|")) @definition.enum
(data_type name: (name) @name "where" @body) @definition.enum
(newtype name: (name) @name) @definition.struct
(newtype name: (name) @name "=" @body) @definition.struct
(newtype name: (name) @name "where" @body) @definition.struct

; `data a :+: b`
(type_synonym (infix operator: [(operator) (constructor_operator) (infix_id (name))] @name)) @definition.type
(type_family (infix operator: [(operator) (constructor_operator) (infix_id (name))] @name)) @definition.type
(data_type (infix operator: [(operator) (constructor_operator) (infix_id (name))] @name) "=" @body) @definition.struct
(newtype (infix operator: [(operator) (constructor_operator) (infix_id (name))] @name) "=" @body) @definition.struct
(type_synonym name: (prefix_id) @name) @definition.type
(data_type name: (prefix_id) @name) @definition.struct

(data_constructor constructor: (prefix name: [(constructor) (prefix_id)] @name)) @definition.variant
(data_constructor
  constructor: (infix operator: [(operator) (constructor_operator) (infix_id (constructor))] @name)) @definition.variant
; Fields stand below the type, as they are shared by its constructors.
(data_constructor constructor: (record name: (constructor) @name @definition.variant))
(newtype_constructor name: [(constructor) (prefix_id)] @name @definition.variant field: (record))
(newtype_constructor name: [(constructor) (prefix_id)] @name field: (field)) @definition.variant
(gadt_constructor name: [(constructor) (prefix_id)] @name type: (prefix)) @definition.variant
(gadt_constructor names: (binding_list name: [(constructor) (prefix_id)] @name) type: (prefix)) @definition.variant
(gadt_constructor name: (constructor) @name @definition.variant type: (record))
(field name: (field_name) @name) @definition.field

(class name: (name) @name) @definition.trait
(class name: (name) @name "where" @body) @definition.trait

; An instance bears the name of its type, the last one where there are several.
(instance
  patterns: (type_patterns
    [
      (name) (qualified) (apply) (infix) (list) (tuple) (unit) (prefix_list) (prefix_tuple) (promoted)
      (parens
        type: [
          (name) (qualified) (apply) (infix) (list) (tuple) (unit) (prefix_list) (prefix_tuple) (promoted) (signature)
        ])
    ] @name
    .)) @definition.impl
(instance
  patterns: (type_patterns
    [
      (name) (qualified) (apply) (infix) (list) (tuple) (unit) (prefix_list) (prefix_tuple) (promoted)
      (parens
        type: [
          (name) (qualified) (apply) (infix) (list) (tuple) (unit) (prefix_list) (prefix_tuple) (promoted) (signature)
        ])
    ] @name
    .)
  "where" @body) @definition.impl
; An instance for every type bears the name of its class.
(instance name: (name) @name patterns: (type_patterns [(variable) (parens type: [(variable) (function)])] .)) @definition.impl
(instance name: (name) @name patterns: (type_patterns [(variable) (parens type: [(variable) (function)])] .) "where" @body) @definition.impl

; A type signature and the clauses after it are one definition, and the signature is what is shown of it.
[
  (declarations (signature name: [(variable) (prefix_id)] @name) @definition.function)
  (class_declarations (signature name: [(variable) (prefix_id)] @name) @definition.function)
  (instance_declarations (signature name: [(variable) (prefix_id)] @name) @definition.function)
  (ERROR (signature name: [(variable) (prefix_id)] @name) @definition.function)
]
(class_declarations (signature names: (binding_list name: [(variable) (prefix_id)] @name)) @definition.function)
(class_declarations (default_signature signature: (signature name: [(variable) (prefix_id)] @name)) @definition.function)
[
  (declarations (function name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function)
  (class_declarations (function name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function)
  (instance_declarations (function name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function)
  (ERROR (function name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function)
]
[
  (declarations (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body) @definition.function)
  (class_declarations (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body) @definition.function)
  (instance_declarations (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body) @definition.function)
  (ERROR (function (infix operator: [(operator) @name (infix_id (variable) @name)]) match: (_) @body) @definition.function)
]
[
  (declarations (function parens: (function_head_parens name: [(variable) (prefix_id)] @name) match: (_) @body) @definition.function)
  (class_declarations (function parens: (function_head_parens name: [(variable) (prefix_id)] @name) match: (_) @body) @definition.function)
  (instance_declarations (function parens: (function_head_parens name: [(variable) (prefix_id)] @name) match: (_) @body) @definition.function)
  (ERROR (function parens: (function_head_parens name: [(variable) (prefix_id)] @name) match: (_) @body) @definition.function)
]
[
  (declarations (function parens: (function_head_parens (infix operator: [(operator) @name (infix_id (variable) @name)])) match: (_) @body) @definition.function)
  (class_declarations (function parens: (function_head_parens (infix operator: [(operator) @name (infix_id (variable) @name)])) match: (_) @body) @definition.function)
  (instance_declarations (function parens: (function_head_parens (infix operator: [(operator) @name (infix_id (variable) @name)])) match: (_) @body) @definition.function)
  (ERROR (function parens: (function_head_parens (infix operator: [(operator) @name (infix_id (variable) @name)])) match: (_) @body) @definition.function)
]
[
  (declarations (bind name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function)
  (class_declarations (bind name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function)
  (instance_declarations (bind name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function)
  (ERROR (bind name: [(variable) (prefix_id)] @name match: (_) @body) @definition.function)
]
(foreign_import signature: (signature name: (variable) @name)) @definition.function

(declarations
  (bind
    pattern: [
      (tuple element: (variable) @name)
      (list element: (variable) @name)
      (apply argument: (variable) @name)
      (parens pattern: (apply argument: (variable) @name))
      (strict pattern: (variable) @name)
    ]
    match: (_) @body) @definition.variable)

(pattern_synonym (equation synonym: [(constructor) @name (apply function: (constructor) @name)])) @definition.function
(pattern_synonym (equation synonym: (apply function: (apply function: (constructor) @name)))) @definition.function
(pattern_synonym
  (equation synonym: (apply function: (apply function: (apply function: (constructor) @name))))) @definition.function
(pattern_synonym (equation synonym: (infix operator: [(constructor_operator) (infix_id)] @name))) @definition.function
(pattern_synonym (equation synonym: (record constructor: (constructor) @name))) @definition.function
(pattern_synonym (signature synonym: [(constructor) (prefix_id)] @name)) @definition.function

; A definition that the grammar gave up on still has a name.
(ERROR (signature pattern: (variable) @name) @definition.function)
(ERROR (variable) @name @definition.function . "::")
(ERROR ["data" "newtype"] . [(name) (constructor)] @name @definition.struct)
(ERROR "type" . [(name) (constructor)] @name @definition.type)
(ERROR "class" . [(name) (constructor)] @name @definition.trait)

; References

(apply function: (variable) @name) @reference.call
(apply function: (constructor) @name) @reference.call
(apply function: (qualified id: [(variable) (constructor)] @name)) @reference.call
(exp [(variable) @name (qualified id: (variable) @name)]) @reference.call
(bind arrow: _ expression: [(variable) @name (qualified id: (variable) @name)]) @reference.call
((infix
    left_operand: [(variable) @name (qualified id: (variable) @name) (constructor) @name]
    operator: (operator) @_operator) @reference.call
  (#any-of? @_operator "$" "$!" "<$>" "<$!>"))
(infix operator: [(operator) (constructor_operator)] @name) @reference.call
(infix operator: (infix_id [(variable) (constructor)] @name)) @reference.call
(infix operator: (infix_id (qualified id: [(variable) (constructor)] @name))) @reference.call

(record expression: (constructor) @name) @reference.call
(record expression: (qualified id: (constructor) @name)) @reference.call
(record constructor: (constructor) @name) @reference.read
(record expression: (_) field: (field_update field: (field_name (variable) @name))) @reference.write
(record
  expression: [(constructor) (qualified)] @receiver
  field: (field_update field: (field_name (variable) @name))) @reference.write
(field_pattern field: (field_name (variable) @name)) @reference.read
(projection field: (field_name (variable) @name)) @reference.read

(deriving classes: (name) @name) @reference.inherit
(deriving classes: (qualified id: (name) @name)) @reference.inherit
(deriving classes: (tuple [(name) @name (qualified id: (name) @name) (apply constructor: (name) @name)])) @reference.inherit
(deriving classes: (parens [(name) @name (qualified id: (name) @name) (apply constructor: (name) @name)])) @reference.inherit
(deriving_instance name: (name) @name) @reference.inherit
(deriving_instance name: (qualified id: (name) @name)) @reference.inherit
(instance name: (name) @name) @reference.inherit
(instance name: (qualified id: (name) @name)) @reference.inherit
(class context: (context (apply constructor: (name) @name))) @reference.inherit
(class context: (context (parens (apply constructor: (name) @name)))) @reference.inherit
(class context: (context (tuple (apply constructor: (name) @name)))) @reference.inherit

; The operators that everybody uses
((operator) @skip
  (#any-of? @skip
    "+" "-" "*" "/" "^" "." "$" "$!" "&" "&&" "||" "==" "/=" "<" "<=" ">" ">=" "++" "<>" "<$>" "<$" "$>" "<&>" "<*>"
    "*>" "<*" "<|>" ">>=" ">>" "=<<" ">=>" "<=<" "!!" "!" "~" "@"))
((constructor_operator) @skip (#any-of? @skip ":"))
((variable) @skip (#eq? @skip "otherwise"))
(fixity operator: _ @skip)
(kind_signature name: (name) @skip)

(signature names: (binding_list [(variable) @skip (prefix_id (_) @skip)]))

; Type variables

(signature type: (_) @skip.all)
(data_type) @skip.all
(newtype) @skip.all
(type_synonym) @skip.all
(type_family) @skip.all
(type_instance) @skip.all
(data_family) @skip.all
(data_instance) @skip.all
(kind_signature) @skip.all
(deriving_instance) @skip.all
(role_annotation) @skip.all
(type_application) @skip.all
(explicit_type) @skip.all
(class context: (_) @skip.all)
(class patterns: (_) @skip.all)
(class fundeps: (_) @skip.all)
(class name: (name) . (_) @skip.all)
(instance context: (_) @skip.all)
(instance patterns: (_) @skip.all)
(gadt_constructor) @skip.all
(forall) @skip.all

; Names bound for one function

(patterns) @local.all
(function (infix left_operand: (_) @local.all right_operand: (_) @local.all) match: (_))
(function_head_parens (infix left_operand: (_) @local.all right_operand: (_) @local.all))
(bind pattern: (_) @local.all)
(generator pattern: (_) @local.all)
(pattern_guard pattern: (_) @local.all)
(alternative pattern: (_) @local.all)
(pattern_synonym (equation synonym: (_) @local.all))
(pattern_synonym (equation pattern: (_) @local.all))
(view_pattern expression: (variable) @name) @reference.call
(local_binds (bind name: (variable) @local))
(local_binds (bind name: (prefix_id (operator) @local)))
(local_binds (function name: (variable) @local))
(local_binds (function name: (prefix_id (operator) @local)))
(local_binds (function (infix operator: [(operator) @local (infix_id (variable) @local)])))
(local_binds (signature name: (variable) @local))
(local_binds (signature name: (prefix_id (operator) @local)))
(local_binds (signature names: (binding_list (variable) @local)))
