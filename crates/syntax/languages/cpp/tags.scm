; What C++ adds to C.

; Definitions

(namespace_definition name: (_) @name) @definition.module
(class_specifier name: (_) @name body: (_)) @definition.class
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

(type_definition
  type: [
    (qualified_identifier)
    (template_type)
    (dependent_type)
    (decltype)
    (placeholder_type_specifier)
    (class_specifier !body)
  ]
  declarator: (_) @name) @definition.type
(type_definition type: (class_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.class

; Variables
(declaration
  type: [
    (qualified_identifier)
    (template_type)
    (dependent_type)
    (decltype)
    (placeholder_type_specifier)
    (class_specifier !body)
    (type_identifier)
    (primitive_type)
    (sized_type_specifier)
    (struct_specifier !body)
    (union_specifier !body)
    (enum_specifier !body)
  ]
  declarator: [
    (identifier)
    (qualified_identifier)
    (pointer_declarator)
    (reference_declarator)
    (array_declarator)
    (attributed_declarator)
    (init_declarator)
    (function_declarator declarator: (parenthesized_declarator))
  ] @name) @definition.variable
((declaration
    (type_qualifier) @_const
    type: (_)
    declarator: (init_declarator declarator: [(identifier) (array_declarator) (qualified_identifier)] @name)) @definition.constant
  (#any-of? @_const "const" "constexpr" "constinit"))
((declaration
    (storage_class_specifier) @_extern
    type: (_)
    declarator: [(identifier) (pointer_declarator) (reference_declarator) (array_declarator)] @name) @definition.variable
  (#eq? @_extern "extern")
  (#set! modifier declare))

; Fields
(field_declaration
  type: [
    (qualified_identifier)
    (template_type)
    (dependent_type)
    (decltype)
    (placeholder_type_specifier)
    (class_specifier !body)
    (type_identifier)
    (primitive_type)
    (sized_type_specifier)
    (struct_specifier !body)
    (union_specifier !body)
    (enum_specifier !body)
  ]
  declarator: [
    (field_identifier)
    (pointer_declarator)
    (reference_declarator)
    (array_declarator)
    (attributed_declarator)
    (function_declarator)
  ] @name) @definition.field
((field_declaration
    (type_qualifier) @_const
    type: (_)
    declarator: (field_identifier) @name
    default_value: (_)) @definition.constant
  (#any-of? @_const "constexpr" "constinit"))

; Methods that are only declared
((field_declaration
    declarator: [
      (function_declarator
        declarator: [(field_identifier) (operator_name) (destructor_name) (template_method) (template_function)])
      (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)]))
      (pointer_declarator
        declarator: (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)])))
      (pointer_declarator
        declarator: (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)])))
      (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)]))
    ] @name) @definition.method
  (#set! modifier declare))
((field_declaration
    declarator: [
      (function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)])
      (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)]))
      (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)]))
    ] @name
    default_value: (number_literal) @_zero) @definition.method
  (#eq? @_zero "0")
  (#set! modifier abstract))
((field_declaration
    declarator: [
      (function_declarator declarator: (_) (virtual_specifier) @_word)
      (pointer_declarator declarator: (function_declarator declarator: (_) (virtual_specifier) @_word))
      (reference_declarator (function_declarator declarator: (_) (virtual_specifier) @_word))
    ] @name) @definition.method
  (#eq? @_word "override")
  (#set! modifier override)
  (#set! modifier declare))
((field_declaration
    declarator: [
      (function_declarator declarator: (_) (virtual_specifier) @_word)
      (pointer_declarator declarator: (function_declarator declarator: (_) (virtual_specifier) @_word))
      (reference_declarator (function_declarator declarator: (_) (virtual_specifier) @_word))
    ] @name) @definition.method
  (#eq? @_word "final")
  (#set! modifier final)
  (#set! modifier declare))

; Functions that are only declared; `friend` and templates too
((declaration
    declarator: [
      (function_declarator
        declarator: [
          (identifier)
          (qualified_identifier)
          (operator_name)
          (destructor_name)
          (template_function)
          (parenthesized_declarator (identifier))
        ])
      (pointer_declarator
        declarator: (function_declarator declarator: [(identifier) (qualified_identifier) (operator_name)]))
      (pointer_declarator
        declarator: (reference_declarator (function_declarator declarator: [(identifier) (operator_name)])))
      (pointer_declarator
        declarator: (pointer_declarator
          declarator: (function_declarator declarator: [(identifier) (qualified_identifier) (operator_name)])))
      (reference_declarator
        (function_declarator declarator: [(identifier) (qualified_identifier) (operator_name)]))
      (operator_cast)
    ] @name) @definition.function
  (#set! modifier declare))
((field_declaration_list
    (declaration
      declarator: (function_declarator declarator: (destructor_name) (virtual_specifier)) @name) @definition.method)
  (#set! modifier override)
  (#set! modifier declare))

; Functions. Without a type it is a constructor, a destructor, a conversion, or headed by a macro.
(function_definition
  type: (_)
  declarator: [
    (function_declarator)
    (pointer_declarator declarator: (function_declarator))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator)))
    (pointer_declarator declarator: (reference_declarator (function_declarator)))
    (reference_declarator (function_declarator))
  ] @name) @definition.function
(function_definition
  !type
  declarator: [
    (operator_cast)
    (qualified_identifier name: (operator_cast))
    (qualified_identifier name: (qualified_identifier name: (operator_cast)))
    (function_declarator
      declarator: [(qualified_identifier) (destructor_name) (operator_name) (template_function) (field_identifier)])
    (reference_declarator (function_declarator))
    (pointer_declarator declarator: (function_declarator))
  ] @name) @definition.function
((function_definition
    !type
    declarator: (function_declarator declarator: (identifier) @name)) @definition.function
  (#not-match? @name "^[A-Z][A-Z0-9_]+$"))
((function_definition
    !type
    declarator: (function_declarator
      declarator: (identifier) @_macro
      parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator)))) @definition.function
  (#match? @_macro "^[A-Z][A-Z0-9]*_[A-Z0-9_]+$")
  (#not-match? @_macro "^((GTEST|TYPED|BOOST_FIXTURE|FRIEND)_)?TEST(_F|_P|_CASE)?$|TYPED_TEST_P"))
((function_definition
    declarator: [
      (function_declarator (virtual_specifier) @_word)
      (pointer_declarator declarator: (function_declarator (virtual_specifier) @_word))
      (reference_declarator (function_declarator (virtual_specifier) @_word))
    ] @name) @definition.method
  (#eq? @_word "override")
  (#set! modifier override))
((function_definition
    declarator: [
      (function_declarator (virtual_specifier) @_word)
      (pointer_declarator declarator: (function_declarator (virtual_specifier) @_word))
      (reference_declarator (function_declarator (virtual_specifier) @_word))
    ] @name) @definition.method
  (#eq? @_word "final")
  (#set! modifier final))
((function_definition declarator: (_) @name (pure_virtual_clause)) @definition.function
  (#set! modifier abstract))

; Outside of a class, `static` means private to the file.
((function_definition
    (storage_class_specifier) @_static
    declarator: [
      (function_declarator declarator: (identifier))
      (pointer_declarator declarator: (function_declarator declarator: (identifier)))
      (reference_declarator (function_declarator declarator: (identifier)))
    ] @name) @definition.function
  (#eq? @_static "static")
  (#set! visibility private))
((declaration
    (storage_class_specifier) @_static
    type: (_)
    declarator: [(identifier) (pointer_declarator) (array_declarator) (init_declarator)] @name) @definition.variable
  (#eq? @_static "static")
  (#set! visibility private))
((declaration
    (storage_class_specifier) @_static
    (type_qualifier) @_const
    type: (_)
    declarator: (init_declarator declarator: [(identifier) (array_declarator)] @name)) @definition.constant
  (#eq? @_static "static")
  (#any-of? @_const "const" "constexpr")
  (#set! visibility private))
((declaration
    (storage_class_specifier) @_static
    declarator: [
      (function_declarator declarator: (identifier))
      (pointer_declarator declarator: (function_declarator declarator: (identifier)))
    ] @name) @definition.function
  (#eq? @_static "static")
  (#set! visibility private)
  (#set! modifier declare))
; A member template is not in a class as far as the grammar knows.
(field_declaration_list
  (template_declaration
    (function_definition
      (storage_class_specifier)
      declarator: [
        (function_declarator declarator: (identifier))
        (pointer_declarator declarator: (function_declarator declarator: (identifier)))
        (reference_declarator (function_declarator declarator: (identifier)))
      ] @name) @definition.function))
((field_declaration_list
    (template_declaration
      (declaration
        (storage_class_specifier)
        declarator: [
          (function_declarator declarator: (identifier))
          (pointer_declarator declarator: (function_declarator declarator: (identifier)))
        ] @name) @definition.function))
  (#set! modifier declare))

; Constructors: named as the class, or without a type.
((class_specifier
    name: [(type_identifier) @_class (template_type name: (type_identifier) @_class)]
    body: (field_declaration_list
      [
        (function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor
        (template_declaration
          (function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
      ]))
  (#eq? @name @_class))
((class_specifier
    name: [(type_identifier) @_class (template_type name: (type_identifier) @_class)]
    body: (field_declaration_list
      [
        (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor
        (template_declaration
          (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
      ]))
  (#eq? @name @_class)
  (#set! modifier declare))
((struct_specifier
    name: [(type_identifier) @_class (template_type name: (type_identifier) @_class)]
    body: (field_declaration_list
      [
        (function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor
        (template_declaration
          (function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
      ]))
  (#eq? @name @_class))
((struct_specifier
    name: [(type_identifier) @_class (template_type name: (type_identifier) @_class)]
    body: (field_declaration_list
      [
        (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor
        (template_declaration
          (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
      ]))
  (#eq? @name @_class)
  (#set! modifier declare))
((function_definition
    !type
    declarator: (function_declarator
      declarator: (qualified_identifier
        scope: [(namespace_identifier) @_class (template_type name: (type_identifier) @_class)]
        name: (identifier) @name))) @definition.constructor
  (#eq? @name @_class))
((function_definition
    !type
    declarator: (function_declarator
      declarator: (qualified_identifier
        name: (qualified_identifier
          scope: [(namespace_identifier) @_class (template_type name: (type_identifier) @_class)]
          name: (identifier) @_name))) @name) @definition.constructor
  (#eq? @_name @_class))
((function_definition
    !type
    declarator: (function_declarator
      declarator: (qualified_identifier
        scope: [(namespace_identifier) @_class (template_type name: (type_identifier) @_class)]
        name: (identifier) @_name)) @name) @definition.constructor
  (#eq? @_name @_class))

; What follows `:` after a constructor's parameters belongs to its body.
((function_definition
    declarator: (function_declarator declarator: (identifier) @name)
    (field_initializer_list) @body) @definition.constructor)
((function_definition
    declarator: (function_declarator declarator: (qualified_identifier)) @name
    (field_initializer_list) @body) @definition.constructor)

; Tests of GoogleTest, and of frameworks that name them by a string
((function_definition
    !type
    declarator: (function_declarator
      declarator: (identifier) @_macro
      parameters: (parameter_list
        .
        (parameter_declaration type: (type_identifier) @container !declarator)
        .
        (parameter_declaration type: (type_identifier) @name !declarator)
        .))) @definition.function
  (#match? @_macro "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|GTEST_TEST|FRIEND_TEST|BOOST_FIXTURE_TEST_CASE)$")
  (#set! separator ".")
  (#set! role test))
((translation_unit
    (expression_statement
      (call_expression
        function: (identifier) @_macro
        arguments: (argument_list . [(string_literal) (identifier)] @name))
      ";" @_missing) @definition.function
    .
    (compound_statement) @body)
  (#match? @_macro "^(TEST_CASE|SCENARIO|TEMPLATE_TEST_CASE|TEST_CASE_TEMPLATE|BOOST_AUTO_TEST_CASE|TEST)$")
  (#eq? @_missing "")
  (#set! role test))

; What is declared inside a function is its own; most of it is `Lock lock(mutex);`.
(compound_statement
  (declaration
    declarator: [
      (function_declarator declarator: (identifier))
      (pointer_declarator declarator: (function_declarator declarator: (identifier)))
    ] @name) @definition.variable)
(case_statement
  (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.variable)

(compound_statement
  (declaration
    declarator: (function_declarator
      declarator: (identifier)
      parameters: (parameter_list (parameter_declaration type: (type_identifier) @name !declarator))))) @reference.read

; Visibility

((access_specifier) @section (#eq? @section "public") (#set! visibility public))
((access_specifier) @section (#eq? @section "protected") (#set! visibility protected))
((access_specifier) @section (#eq? @section "private") (#set! visibility private))
((namespace_definition !name body: (declaration_list "{" @section))
  (#set! visibility private))

; References

(call_expression function: (template_function name: (identifier) @name)) @reference.call
(call_expression function: (qualified_identifier name: (identifier) @name)) @reference.call
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @name))) @reference.call
(call_expression
  function: (qualified_identifier name: (qualified_identifier name: (identifier) @name))) @reference.call
(call_expression
  function: (qualified_identifier
    name: (qualified_identifier name: (template_function name: (identifier) @name)))) @reference.call
(call_expression
  function: (qualified_identifier
    name: (qualified_identifier name: (qualified_identifier name: (identifier) @name)))) @reference.call
(call_expression
  function: (field_expression field: (template_method name: (field_identifier) @name))) @reference.call
(call_expression
  function: (field_expression
    field: (dependent_name (template_method name: (field_identifier) @name)))) @reference.call
; The macro that heads a function
(function_definition !type declarator: (function_declarator declarator: (identifier) @name)) @reference.call
(new_expression
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))
    (qualified_identifier name: (qualified_identifier name: (type_identifier) @name))
  ]) @reference.call
(compound_literal_expression
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))
  ]) @reference.call
; A variable with arguments for the constructor of its type
(declaration
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))
  ]
  declarator: (init_declarator declarator: (identifier) value: (argument_list) @arity)) @reference.call
(declaration
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))
  ]
  declarator: (init_declarator declarator: (identifier) value: (initializer_list))) @reference.call
(field_declaration
  type: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))
  ]
  declarator: (field_identifier)
  default_value: (initializer_list)) @reference.call
; Functions of the library that pass their arguments to a constructor
((call_expression
    function: [
      (template_function
        name: (identifier) @_make
        arguments: (template_argument_list . (type_descriptor type: (type_identifier) @name)))
      (qualified_identifier
        name: (template_function
          name: (identifier) @_make
          arguments: (template_argument_list . (type_descriptor type: (type_identifier) @name))))
    ]
    arguments: (argument_list) @arity) @reference.call
  (#any-of? @_make "make_unique" "make_shared"))

(compound_literal_expression
  type: [
    (type_identifier) @receiver
    (template_type name: (type_identifier) @receiver)
    (qualified_identifier name: (type_identifier) @receiver)
  ]
  value: (initializer_list
    (initializer_pair designator: (field_designator (field_identifier) @name)))) @reference.write

(base_class_clause
  [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))
    (qualified_identifier name: (qualified_identifier name: (type_identifier) @name))
    (qualified_identifier name: (qualified_identifier name: (template_type name: (type_identifier) @name)))
  ]) @reference.inherit

(field_initializer . (field_identifier) @name) @reference.write
; A base class or another constructor, by its capital
((field_initializer . (field_identifier) @name) @reference.call
  (#match? @name "^[A-Z]"))
(field_initializer . (template_method name: (field_identifier) @name)) @reference.call
((template_function name: (identifier) @skip)
  (#any-of? @skip "static_cast" "dynamic_cast" "const_cast" "reinterpret_cast"))

((namespace_identifier) @skip (#eq? @skip "std"))
(destructor_name (identifier) @skip)
(nested_namespace_specifier (namespace_identifier) @skip)
(literal_suffix) @skip

; Names bound for one function

(parameter_declaration declarator: (reference_declarator) @local)
(optional_parameter_declaration
  declarator: [
    (identifier)
    (pointer_declarator)
    (array_declarator)
    (function_declarator)
    (reference_declarator)
  ] @local)
(variadic_parameter_declaration declarator: [(variadic_declarator) (reference_declarator)] @local)
(for_range_loop
  declarator: [(identifier) (pointer_declarator) (reference_declarator) (array_declarator)] @local)
(structured_binding_declarator (identifier) @local)
(lambda_capture_initializer left: (identifier) @local)
(type_parameter_declaration (type_identifier) @local.type)
(variadic_type_parameter_declaration (type_identifier) @local.type)
(optional_type_parameter_declaration name: (type_identifier) @local.type)
(template_parameter_list
  [
    (parameter_declaration declarator: (identifier) @local.type)
    (optional_parameter_declaration declarator: (identifier) @local.type)
    (variadic_parameter_declaration declarator: (variadic_declarator (identifier) @local.type))
  ])

; A definition that the grammar gave up on still has a name.
(ERROR ["class" "struct"] . (type_identifier) @name @definition.class . "{")
(ERROR "namespace" . (namespace_identifier) @name @definition.module . "{")
(ERROR
  (function_declarator declarator: [(identifier) (qualified_identifier)] @name) @definition.function)

; Explicit instantiations name what they instantiate
(template_instantiation
  declarator: [
    (function_declarator)
    (pointer_declarator)
    (reference_declarator)
    (template_function)
    (qualified_identifier)
  ] @name) @reference.declaration
(template_instantiation
  type: (class_specifier
    name: [
      (template_type name: (type_identifier) @name)
      (qualified_identifier name: (template_type name: (type_identifier) @name))
    ]) @reference.declaration)
(template_instantiation
  type: (struct_specifier
    name: [
      (template_type name: (type_identifier) @name)
      (qualified_identifier name: (template_type name: (type_identifier) @name))
    ]) @reference.declaration)

; Type parameters
(type_parameter_declaration (type_identifier) @local.type)
(optional_type_parameter_declaration name: (type_identifier) @local.type)
(variadic_type_parameter_declaration (type_identifier) @local.type)
