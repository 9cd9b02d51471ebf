; Functions in an object that is kept, `name: function () {}` and `name() {}`: what JavaScript, TypeScript and TSX have in
; common. In an object that is only an argument the first are no definitions. Patterns cannot go down for ever: functions
; are found below one key or two, and below three where a variable holds the object.

; Values of an object that a module exports as a constant.
(export_statement
  declaration: (lexical_declaration
    . "const"
    (variable_declarator
      name: (identifier)
      value: (object
        (pair
          key: [(property_identifier) (string)] @name
          value: [
            (string) (template_string) (number) (true) (false) (null) (regex) (unary_expression) (identifier)
            (member_expression) (array)
          ]) @definition.field))))
((export_statement
  declaration: (lexical_declaration
    . "const"
    (variable_declarator
      name: (identifier)
      value: (call_expression
        function: (member_expression) @_freeze
        arguments: (arguments
          . (object
            (pair
              key: [(property_identifier) (string)] @name
              value: [
                (string) (template_string) (number) (true) (false) (null) (regex) (unary_expression) (identifier)
                (member_expression) (array)
              ]) @definition.field))))))
  (#eq? @_freeze "Object.freeze"))

; The object is a variable's. Here `name() {}` needs no pattern, it is a method definition already.
(variable_declarator
  value: (object [
    (pair
      key: (_) @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
    (pair
      key: (_) @container
      value: (object [
        (pair
          key: (_) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
        (method_definition name: (_) @name) @definition.method
      ]))
    (pair
      key: (_) @qualifier
      value: (object
        (pair
          key: (_) @container
          value: (object [
            (pair
              key: (_) @name
              value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
            (method_definition name: (_) @name) @definition.method
          ]))))
  ]))

; It goes through a function first: `Base.extend({ … })`, `defineStore({ … })`.
(variable_declarator
  value: (call_expression
    arguments: (arguments
      (object [
        (pair
          key: (_) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
        (pair
          key: (_) @container
          value: (object [
            (pair
              key: (_) @name
              value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
            (method_definition name: (_) @name) @definition.method
          ]))
      ]))))

; A function gives it back.
(return_statement
  (object [
    (pair
      key: (_) @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
    (pair
      key: (_) @container
      value: (object [
        (pair
          key: (_) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
        (method_definition name: (_) @name) @definition.method
      ]))
  ]))
(variable_declarator
  value: (arrow_function
    body: (parenthesized_expression
      (object [
        (pair
          key: (_) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
        (pair
          key: (_) @container
          value: (object [
            (pair
              key: (_) @name
              value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
            (method_definition name: (_) @name) @definition.method
          ]))
      ]))))

; It is what the module exports.
(export_statement
  . "export" . "default" .
  value: [
    (object [
      (pair
        key: (_) @name
        value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
      (pair
        key: (_) @container
        value: (object [
          (pair
            key: (_) @name
            value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
          (method_definition name: (_) @name) @definition.method
        ]))
    ])
    (call_expression
      arguments: (arguments
        (object [
          (pair
            key: (_) @name
            value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
          (pair
            key: (_) @container
            value: (object [
              (pair
                key: (_) @name
                value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
              (method_definition name: (_) @name) @definition.method
            ]))
        ])))
  ])

; It is assigned: to a variable declared before, to a member, to what a key picks.
((assignment_expression
  left: [
    (identifier) @container
    (member_expression object: [(identifier) (member_expression)]) @container
    (subscript_expression object: [(identifier) (member_expression)] @container)
  ]
  right: (object [
    (pair
      key: (_) @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
    (method_definition name: (_) @name) @definition.method
  ]))
  (#not-match? @container "^(this|module|exports)\\b|\\.prototype$")
  (#set! visibility public))
((assignment_expression
  left: [
    (identifier) @qualifier
    (member_expression object: [(identifier) (member_expression)]) @qualifier
    (subscript_expression object: [(identifier) (member_expression)] @qualifier)
  ]
  right: (object
    (pair
      key: (_) @container
      value: (object [
        (pair
          key: (_) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
        (method_definition name: (_) @name) @definition.method
      ]))))
  (#not-match? @qualifier "^(this|module|exports)\\b|\\.prototype$")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: [(identifier) (member_expression)]) @container
  right: (call_expression
    arguments: (arguments
      (object [
        (pair
          key: (_) @name
          value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
        (method_definition name: (_) @name) @definition.method
      ]))))
  (#not-match? @container "^(this|module|exports)\\b|\\.prototype$")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: [(identifier) (member_expression)]) @qualifier
  right: (call_expression
    arguments: (arguments
      (object
        (pair
          key: (_) @container
          value: (object [
            (pair
              key: (_) @name
              value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
            (method_definition name: (_) @name) @definition.method
          ]))))))
  (#not-match? @qualifier "^(this|module|exports)\\b|\\.prototype$")
  (#set! visibility public))
((assignment_expression
  left: (member_expression object: (this) @receiver property: (_) @container)
  right: (object [
    (pair
      key: (_) @name
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
    (method_definition name: (_) @name) @definition.method
  ]))
  (#set! visibility public))

; Functions mixed into something: `Object.assign(Base.prototype, { … })`.
((call_expression
  function: (_) @_callee
  arguments: (arguments
    . [
      (identifier) @container
      (member_expression object: (_) @container property: (property_identifier) @_prototype)
    ]
    . (object
      (pair
        key: (_) @name
        value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)))
  (#match? @_callee "(^|\\.)(assign|extend|mixin|mixIn|merge|augment)$")
  (#not-match? @container "^this\\b")
  (#eq? @_prototype "prototype")
  (#set! visibility public))
