; Symbols and the keys of hashes name nothing unless something below says so.
(simple_symbol) @skip
(pair key: (hash_key_symbol) @skip value: (_))
(keyword_pattern key: (hash_key_symbol) @skip value: (_))

; Definitions. `private` as a section says nothing about constants, types and singleton methods.

((class name: (_) @name) @definition.class (#set! visibility public))
((module name: (_) @name) @definition.module (#set! visibility public))
((class name: (_) @name "end" @body !body) @definition.class (#set! visibility public))
((module name: (_) @name "end" @body !body) @definition.module (#set! visibility public))
(method name: (_) @name) @definition.function
(method name: (_) @name "end" @body !body) @definition.function
((singleton_method name: (_) @name) @definition.method (#set! separator ".") (#set! visibility public))
((singleton_method name: (_) @name "end" @body !body) @definition.method
  (#set! separator ".") (#set! visibility public))
((program (singleton_method object: (constant) @container name: (_) @name) @definition.method)
  (#set! separator ".") (#set! visibility public))
((call
    method: (identifier) @_private
    arguments: (argument_list (singleton_method name: (_) @name) @definition.method))
  (#eq? @_private "private_class_method") (#set! separator ".") (#set! visibility private))

; In `class << self` the methods are the class's own.
((singleton_class body: (body_statement (method name: (_) @name) @definition.method)) (#set! separator "."))
((singleton_class body: (body_statement (method name: (_) @name "end" @body !body) @definition.method))
  (#set! separator "."))
((singleton_class
    body: (body_statement (call arguments: (argument_list (method name: (_) @name) @definition.method))))
  (#set! separator "."))

((assignment left: [(constant) @name (scope_resolution) @name (left_assignment_list (constant) @name)])
  @definition.constant
  (#set! visibility public))
((operator_assignment left: [(constant) @name (scope_resolution) @name]) @definition.constant (#set! visibility public))

; Classes that are made by a call.
((assignment
    left: [(constant) @name (scope_resolution) @name]
    right: (call receiver: (constant) @_maker method: (identifier) @_make)) @definition.class
  (#match? @_maker "^(Struct|Class|Data|OpenStruct)$") (#match? @_make "^(new|define)$") (#set! visibility public))
((assignment
    left: [(constant) @name (scope_resolution) @name]
    right: (call receiver: (constant) @_maker method: (identifier) @_make block: (_) @body)) @definition.class
  (#match? @_maker "^(Struct|Class|Data|OpenStruct)$") (#match? @_make "^(new|define)$") (#set! visibility public))
((assignment
    left: [(constant) @name (scope_resolution) @name]
    right: (call receiver: (constant) @_maker method: (identifier) @_make)) @definition.module
  (#eq? @_maker "Module") (#eq? @_make "new") (#set! visibility public))
((assignment
    left: [(constant) @name (scope_resolution) @name]
    right: (call receiver: (constant) @_maker method: (identifier) @_make block: (_) @body)) @definition.module
  (#eq? @_maker "Module") (#eq? @_make "new") (#set! visibility public))
((assignment
    right: (call
      receiver: (constant) @_maker
      method: (identifier) @_make
      arguments: (argument_list (simple_symbol) @name @definition.property)))
  (#match? @_maker "^(Struct|Data)$") (#match? @_make "^(new|define)$"))
((class
    superclass: (superclass
      (call
        receiver: (constant) @_maker
        method: (identifier) @_make
        arguments: (argument_list (simple_symbol) @name @definition.property))))
  (#match? @_maker "^(Struct|Data)$") (#match? @_make "^(new|define)$"))

; Methods that are made by a call.
((call
    method: (identifier) @_attribute
    arguments: (argument_list [(simple_symbol) (string)] @name)) @definition.property
  (#match? @_attribute "^([cm]?attr|(c|m|thread_m)?attr_(reader|writer|accessor)|attr_internal|class_attribute)$"))
((singleton_class
    body: (body_statement
      (call
        method: (identifier) @_attribute
        arguments: (argument_list [(simple_symbol) (string)] @name)) @definition.property))
  (#match? @_attribute "^attr(_(reader|writer|accessor))?$") (#set! separator "."))
((call
    method: (identifier) @_relation
    arguments: (argument_list . (simple_symbol) @name)) @definition.property
  (#any-of? @_relation "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "has_one_attached" "has_many_attached"))
((call
    method: (identifier) @_scope
    arguments: (argument_list . (simple_symbol) @name . (lambda))) @definition.method
  (#eq? @_scope "scope") (#set! separator "."))
((call
    method: (identifier) @_define
    arguments: (argument_list . [(simple_symbol) (string)] @name)) @definition.method
  (#eq? @_define "define_method") (#not-match? @name "#\\{"))
((call
    method: (identifier) @_define
    arguments: (argument_list . [(simple_symbol) (string)] @name)
    block: (_) @body) @definition.method
  (#eq? @_define "define_method") (#not-match? @name "#\\{"))
((call
    method: (identifier) @_define
    arguments: (argument_list . [(simple_symbol) (string)] @name)
    block: (_) @body) @definition.method
  (#eq? @_define "define_singleton_method") (#set! separator "."))
((call
    !receiver
    method: (identifier) @_delegate
    arguments: (argument_list (simple_symbol) @name (pair))) @definition.method
  (#eq? @_delegate "delegate"))
((call
    !receiver
    method: (identifier) @_delegate
    arguments: (argument_list . (_) (simple_symbol) @name)) @definition.method
  (#any-of? @_delegate "def_delegators" "def_instance_delegators"))

(alias name: [(identifier) (simple_symbol) (operator) (setter) (constant)] @name) @definition.function
((singleton_class body: (body_statement (alias name: (_) @name) @definition.method)) (#set! separator "."))
((call
    method: (identifier) @_alias
    arguments: (argument_list . [(simple_symbol) (string)] @name)) @definition.function
  (#any-of? @_alias "alias_method" "alias_attribute"))
((singleton_class
    body: (body_statement
      (call method: (identifier) @_alias arguments: (argument_list . (simple_symbol) @name)) @definition.method))
  (#eq? @_alias "alias_method") (#set! separator "."))

; A constructor's `@x = …` declares a field of its class.
((assignment
    left: [
      (instance_variable) @name @receiver
      (left_assignment_list (instance_variable) @name @receiver)
    ]) @definition.field
  (#set! visibility private))
((operator_assignment left: (instance_variable) @name @receiver) @definition.field (#set! visibility private))
((class
    body: (body_statement
      [
        (assignment left: [(instance_variable) (class_variable)] @name) @definition.field
        (operator_assignment left: [(instance_variable) (class_variable)] @name) @definition.field
      ]))
  (#set! visibility private) (#set! separator "."))
((module
    body: (body_statement
      [
        (assignment left: [(instance_variable) (class_variable)] @name) @definition.field
        (operator_assignment left: [(instance_variable) (class_variable)] @name) @definition.field
      ]))
  (#set! visibility private) (#set! separator "."))

; A script's own variables.
((program (assignment left: [(identifier) @name (left_assignment_list (identifier) @name)]) @definition.variable)
  (#set! visibility private))
(program (assignment left: (global_variable) @name) @definition.variable)

; Tests and tasks whose name is a text.
((call
    !receiver
    method: (identifier) @_test
    arguments: (argument_list . (string) @name)
    block: (_) @body) @definition.function
  (#any-of? @_test "it" "specify" "example" "scenario" "test" "should") (#set! role test))
((call
    !receiver
    method: (identifier) @_let
    arguments: (argument_list . (simple_symbol) @name)
    block: (_) @body) @definition.function
  (#any-of? @_let "let" "let!" "subject" "subject!"))
((class
    name: (_) @name
    superclass: (superclass
      [(constant) @_base (scope_resolution scope: (_) @_base) (scope_resolution name: (_) @_base)])) @definition.class
  (#match? @_base "^Minitest$|TestCase$|IntegrationTest$") (#set! role test) (#set! visibility public))
((call
    !receiver
    method: (identifier) @_task
    arguments: (argument_list . [
      (simple_symbol) @name
      (string) @name
      (pair key: [(hash_key_symbol) (simple_symbol) (string)] @name)
    ])
    block: (_) @body) @definition.function
  (#any-of? @_task "task" "multitask"))

; What can be saved from code that is not finished.
(ERROR "def" . [(identifier) (constant) (operator) (setter)] @name @definition.function)
(ERROR "class" . (constant) @name @definition.class)
(ERROR "module" . (constant) @name @definition.module)

; References. A bare name that is no local variable is a call.

(program (identifier) @name) @reference.call
(body_statement (identifier) @name) @reference.call
(block_body (identifier) @name) @reference.call
(then (identifier) @name) @reference.call
(else (identifier) @name) @reference.call
(ensure (identifier) @name) @reference.call
(begin (identifier) @name) @reference.call
(do (identifier) @name) @reference.call
(parenthesized_statements (identifier) @name) @reference.call
(interpolation (identifier) @name) @reference.call
(argument_list (identifier) @name) @reference.call
(splat_argument (identifier) @name) @reference.call
(hash_splat_argument (identifier) @name) @reference.call
(block_argument (identifier) @name) @reference.call
(array (identifier) @name) @reference.call
(pair value: (identifier) @name) @reference.call
(pair key: (identifier) @name) @reference.call
(binary (identifier) @name) @reference.call
(unary (identifier) @name) @reference.call
(range (identifier) @name) @reference.call
(conditional (identifier) @name) @reference.call
(element_reference (identifier) @name) @reference.call
(call receiver: (identifier) @name) @reference.call
(assignment right: (identifier) @name) @reference.call
(operator_assignment right: (identifier) @name) @reference.call
(right_assignment_list (identifier) @name) @reference.call
(if condition: (identifier) @name) @reference.call
(unless condition: (identifier) @name) @reference.call
(elsif condition: (identifier) @name) @reference.call
(while condition: (identifier) @name) @reference.call
(until condition: (identifier) @name) @reference.call
(if_modifier (identifier) @name) @reference.call
(unless_modifier (identifier) @name) @reference.call
(while_modifier (identifier) @name) @reference.call
(until_modifier (identifier) @name) @reference.call
(rescue_modifier (identifier) @name) @reference.call
(case value: (identifier) @name) @reference.call
(case_match value: (identifier) @name) @reference.call
(in (identifier) @name) @reference.call
(pattern (identifier) @name) @reference.call
(optional_parameter value: (identifier) @name) @reference.call
(keyword_parameter value: (identifier) @name) @reference.call
(method body: (identifier) @name) @reference.call
(singleton_method body: (identifier) @name) @reference.call

(call method: [(identifier) (constant)] @name) @reference.call
((call receiver: [(constant) @name (scope_resolution name: (constant) @name)] method: (identifier) @_new)
  @reference.call
  (#eq? @_new "new"))
; `{x:}` and `f(x:)` stand for `x: x`.
(pair key: (hash_key_symbol) @name !value) @reference.call
(alias alias: [(identifier) (simple_symbol)] @name) @reference.read
(block_argument (simple_symbol) @name) @reference.call
((call method: (identifier) @_alias arguments: (argument_list . (_) . (simple_symbol) @name)) @reference.read
  (#eq? @_alias "alias_method"))
; Names of methods that are given as symbols.
((call method: (identifier) @_send arguments: (argument_list . (simple_symbol) @name)) @reference.call
  (#any-of? @_send "send" "public_send" "__send__" "try" "try!"))
((call method: (identifier) @_method arguments: (argument_list . (simple_symbol) @name)) @reference.read
  (#any-of? @_method "method" "instance_method" "public_method" "respond_to?" "method_defined?" "remove_method" "undef_method"))
((call !receiver method: (identifier) @_callback arguments: (argument_list (simple_symbol) @name)) @reference.read
  (#match? @_callback "^((before|after|around|skip_before|skip_after|prepend_before|append_before)_[a-z_]+|validate|helper_method|module_function)$"))

(superclass [(constant) (scope_resolution)] @name) @reference.inherit
((call !receiver method: (identifier) @_include arguments: (argument_list [(constant) (scope_resolution)] @name))
  @reference.inherit
  (#any-of? @_include "include" "extend" "prepend"))
((call receiver: (constant) @_class method: (identifier) @_new arguments: (argument_list . [(constant) (scope_resolution)] @name))
  @reference.inherit
  (#eq? @_class "Class") (#eq? @_new "new"))
(exceptions [(constant) (scope_resolution)] @name) @reference.type
(pattern [(constant) (scope_resolution)] @name) @reference.type
(as_pattern value: [(constant) (scope_resolution)] @name) @reference.type
(in_clause pattern: [(constant) (scope_resolution)] @name) @reference.type
(array_pattern class: [(constant) (scope_resolution)] @name) @reference.type
(hash_pattern class: [(constant) (scope_resolution)] @name) @reference.type
(keyword_pattern value: [(constant) (scope_resolution)] @name) @reference.type

(assignment
  left: [
    (call method: (identifier) @name)
    (instance_variable) @name
    (class_variable) @name
    (global_variable) @name
    (left_assignment_list [(instance_variable) @name (class_variable) @name (global_variable) @name (call method: (identifier) @name)])
  ]) @reference.write
(operator_assignment
  left: [
    (call method: (identifier) @name)
    (instance_variable) @name
    (class_variable) @name
    (global_variable) @name
  ]) @reference.write

; Words of the language that are written as calls.
(alias name: (global_variable) @skip)
((call !receiver method: (identifier) @skip)
  (#any-of? @skip "private" "protected" "public" "module_function" "private_class_method" "public_class_method"
    "private_constant" "attr" "attr_reader" "attr_writer" "attr_accessor" "include" "extend" "prepend" "alias_method"
    "define_method" "define_singleton_method" "block_given?" "lambda" "proc" "raise" "loop"))
((identifier) @skip (#any-of? @skip "raise" "block_given?" "loop" "lambda" "proc" "binding" "__method__" "__dir__" "it"))
((identifier) @skip (#match? @skip "^_[1-9]$"))

; Visibility

((identifier) @section @skip (#eq? @section "private") (#set! visibility private))
((identifier) @section @skip (#eq? @section "protected") (#set! visibility protected))
((identifier) @section @skip (#any-of? @section "public" "module_function") (#set! visibility public))
((singleton_class value: (_) @section) (#set! visibility public))
((call
    method: (identifier) @_private
    arguments: (argument_list [(simple_symbol) @exported (string) @exported (symbol_array (bare_symbol) @exported)
      (splat_argument (symbol_array (bare_symbol) @exported))]))
  (#any-of? @_private "private" "private_class_method" "private_constant")
  (#set! visibility private))
((call
    method: (identifier) @_protected
    arguments: (argument_list [(simple_symbol) @exported (symbol_array (bare_symbol) @exported)]))
  (#eq? @_protected "protected")
  (#set! visibility protected))
((call
    method: (identifier) @_public
    arguments: (argument_list [(simple_symbol) @exported (symbol_array (bare_symbol) @exported)]))
  (#any-of? @_public "public" "public_class_method")
  (#set! visibility public))

; Names bound for one function

(method_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(block_parameters (identifier) @local)
(destructured_parameter (identifier) @local)
(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(destructured_left_assignment (identifier) @local)
(rest_assignment (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)
(as_pattern name: (identifier) @local)
(array_pattern (identifier) @local)
(find_pattern (identifier) @local)
(in_clause pattern: (identifier) @local)
(keyword_pattern value: (identifier) @local)
(keyword_pattern key: (hash_key_symbol) @local !value)
