; What only the JavaScript grammar has.

(field_definition property: (_) @name) @definition.field
(field_definition
  property: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method
((field_definition property: (_) @name value: (arrow_function . "async" body: (_) @body)) @definition.method
  (#set! modifier async))

; A constructor's `this.x = …` declares a field, unless a function is assigned.
((assignment_expression left: (member_expression object: (this) @receiver property: (_) @name)) @definition.field
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: (this) @receiver property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @definition.method
  (#set! visibility public))

(class_heritage [
  (identifier) @name
  (member_expression property: (_) @name)
  (call_expression arguments: (arguments (identifier) @name))
]) @reference.inherit

(formal_parameters (identifier) @local)
