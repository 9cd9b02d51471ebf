; Definitions

(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function

; A variable: a field in a class, a local in a function. `a = b = 1` binds two names.
(assignment
  left: [
    (identifier) @name
    (pattern_list (identifier) @name)
    (tuple_pattern (identifier) @name)
  ]) @definition.variable
(assignment right: (assignment left: (identifier) @name)) @definition.variable
(assignment right: (assignment right: (assignment left: (identifier) @name))) @definition.variable

(assignment left: (identifier) @name right: (lambda body: (_) @body)) @definition.function

; A constructor's `self.x = …` declares a field of its class.
((assignment
    left: [
      (attribute object: (identifier) @receiver attribute: (identifier) @name)
      (pattern_list (attribute object: (identifier) @receiver attribute: (identifier) @name))
    ]) @definition.field
  (#eq? @receiver "self"))

((assignment left: (identifier) @name type: (type [(identifier) @_type (attribute attribute: (identifier) @_type)]))
  @definition.type
  (#eq? @_type "TypeAlias"))
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type

((class_definition
    name: (identifier) @name
    superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])) @definition.enum
  (#match? @_base "(Enum|Flag|Choices)$"))
((class_definition
    name: (identifier) @name
    superclasses: (argument_list
      [
        (identifier) @_base
        (attribute attribute: (identifier) @_base)
        (subscript value: (identifier) @_base)
        (subscript value: (attribute attribute: (identifier) @_base))
      ])) @definition.trait
  (#eq? @_base "Protocol"))

((class_definition
    name: (identifier) @name
    superclasses: (argument_list [(identifier) @_base (attribute attribute: (identifier) @_base)])) @definition.class
  (#match? @_base "TestCase$") (#set! role test))

((decorated_definition
    (decorator [(identifier) @_decorator (attribute attribute: (identifier) @_decorator)])
    definition: (function_definition name: (identifier) @name) @definition.property)
  (#match? @_decorator "^(.*_?property|getter|setter|deleter)$"))

; A definition that the grammar gave up on still has a name.
(ERROR "def" . (identifier) @name @definition.function)
(ERROR "class" . (identifier) @name @definition.class)

; References

(call function: [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.call
((call function: (subscript value: [(identifier) @name (attribute attribute: (identifier) @name)])) @reference.call
  (#match? @name "^_*[A-Z]"))
(decorator [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.call

(class_definition
  superclasses: (argument_list
    [
      (identifier) @name
      (attribute attribute: (identifier) @name)
      (subscript value: (identifier) @name)
      (subscript value: (attribute attribute: (identifier) @name))
    ])) @reference.inherit
(class_definition
  superclasses: (argument_list
    (subscript subscript: [(identifier) @name (attribute attribute: (identifier) @name)]))) @reference.type
(class_pattern (dotted_name . (identifier) @name .)) @reference.type
(class_pattern (dotted_name (identifier) @receiver . (identifier) @name .)) @reference.type
(case_pattern (dotted_name (identifier) @receiver . (identifier) @name .)) @reference.read

(assignment
  left: [
    (attribute attribute: (identifier) @name)
    (pattern_list (attribute attribute: (identifier) @name))
    (tuple_pattern (attribute attribute: (identifier) @name))
  ]) @reference.write
(augmented_assignment left: [(identifier) @name (attribute attribute: (identifier) @name)]) @reference.write

; Types in quotes that stand elsewhere than in annotations
((call
    function: [(identifier) @_cast (attribute attribute: (identifier) @_cast)]
    arguments: (argument_list . (string) @type.all))
  (#eq? @_cast "cast"))
((call
    function: [(identifier) @_variable (attribute attribute: (identifier) @_variable)]
    arguments: (argument_list (keyword_argument name: (identifier) @_bound value: (string) @type.all)))
  (#eq? @_variable "TypeVar") (#eq? @_bound "bound"))
((assignment type: (type [(identifier) @_alias (attribute attribute: (identifier) @_alias)]) right: (_) @type.all)
  (#eq? @_alias "TypeAlias"))
((generic_type (identifier) @_literal (type_parameter) @skip.all) (#eq? @_literal "Literal"))
((subscript
    value: [(identifier) @_literal (attribute attribute: (identifier) @_literal)]
    subscript: (string) @skip.all)
  (#eq? @_literal "Literal"))

; Names that are no use of anything

(keyword_argument name: (identifier) @skip)
(keyword_pattern . (identifier) @skip)
[(global_statement (identifier) @nonlocal) (nonlocal_statement (identifier) @nonlocal)]

; Names bound for one function

(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(typed_parameter . (identifier) @local)
(typed_default_parameter name: (identifier) @local)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)
(list_pattern (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern_target [(identifier) @local (tuple (identifier) @local)])
(named_expression name: (identifier) @local)
(case_pattern (dotted_name . (identifier) @local .))
(keyword_pattern (dotted_name . (identifier) @local .))
(case_pattern (as_pattern (identifier) @local))
(splat_pattern (identifier) @local)

; Type parameters

(class_definition type_parameters: (type_parameter (type (identifier) @local.type)))
(function_definition type_parameters: (type_parameter (type (identifier) @local.type)))
(type_alias_statement left: (type (generic_type (type_parameter (type (identifier) @local.type)))))
(type_parameter (type (constrained_type . (type (identifier) @local.type))))
(function_definition type_parameters: (type_parameter (type (splat_type (identifier) @local.type))))
(class_definition type_parameters: (type_parameter (type (splat_type (identifier) @local.type))))
