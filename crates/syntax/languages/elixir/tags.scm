; Everything in Elixir is a call: what it means is told by the name that is called.

; Names that are no use of anything: atoms and keywords, unless a later pattern knows better
[(atom) (keyword)] @skip

; A module's name is never bound.
(alias) @name @reference.read

; Definitions

((call target: (identifier) @_def (arguments . (alias) @name)) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @definition.trait
  (#eq? @_def "defprotocol"))

; An implementation bears the name of its type; without one, it adds to the module around it.
((call
    target: (identifier) @_def
    (arguments
      .
      (_)
      (keywords (pair key: (keyword) @_key value: [(alias) @name (list . (alias) @name)])))
    (do_block) @body) @definition.impl
  (#eq? @_def "defimpl") (#match? @_key "^for:"))

; Functions and macros: a head without a body, `, do: …`, and a block
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ])) @definition.function
  (#any-of? @_def "def" "defn" "defdelegate"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ] . (keywords) @body)) @definition.function
  (#any-of? @_def "def" "defn" "defdelegate"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ])
    (do_block) @body) @definition.function
  (#any-of? @_def "def" "defn" "defdelegate"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ])) @definition.function
  (#any-of? @_def "defp" "defnp") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ] . (keywords) @body)) @definition.function
  (#any-of? @_def "defp" "defnp") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ])
    (do_block) @body) @definition.function
  (#any-of? @_def "defp" "defnp") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ])) @definition.macro
  (#any-of? @_def "defmacro" "defguard"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ] . (keywords) @body)) @definition.macro
  (#any-of? @_def "defmacro" "defguard"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ])
    (do_block) @body) @definition.macro
  (#any-of? @_def "defmacro" "defguard"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ])) @definition.macro
  (#any-of? @_def "defmacrop" "defguardp") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ] . (keywords) @body)) @definition.macro
  (#any-of? @_def "defmacrop" "defguardp") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (identifier) @name @arity
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
        (binary_operator left: (identifier) @name @arity operator: "when")
      ])
    (do_block) @body) @definition.macro
  (#any-of? @_def "defmacrop" "defguardp") (#set! visibility private))

; Answers to requests: `def show(conn, params)`, and the callbacks of servers, channels and live views
((call
    target: (identifier) @_def
    (arguments
      .
      (call
        target: (identifier) @name
        (arguments . (identifier) @_conn . [(identifier) @_params (map) @_params] .) @arity)
      .)
    (do_block) @body) @definition.function
  (#eq? @_def "def") (#eq? @_conn "conn") (#match? @_params "^(_?params$|%\\{\")") (#set! role handler))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call target: (identifier) @name (arguments) @arity)
        (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "when")
      ]
      .)
    (do_block) @body) @definition.function
  (#eq? @_def "def")
  (#any-of? @name
    "handle_call" "handle_cast" "handle_info" "handle_continue" "handle_event" "handle_in" "handle_params")
  (#set! role handler))

; Operators: `def left <|> right`
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ])) @definition.function
  (#eq? @_def "def") (#not-any-of? @name "when" "::"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ]
      .
      (keywords) @body)) @definition.function
  (#eq? @_def "def") (#not-any-of? @name "when" "::"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ])
    (do_block) @body) @definition.function
  (#eq? @_def "def") (#not-any-of? @name "when" "::"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ])) @definition.function
  (#eq? @_def "defp") (#not-any-of? @name "when" "::") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ]
      .
      (keywords) @body)) @definition.function
  (#eq? @_def "defp") (#not-any-of? @name "when" "::") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ])
    (do_block) @body) @definition.function
  (#eq? @_def "defp") (#not-any-of? @name "when" "::") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ])) @definition.macro
  (#eq? @_def "defmacro") (#not-any-of? @name "when" "::"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ]
      .
      (keywords) @body)) @definition.macro
  (#eq? @_def "defmacro") (#not-any-of? @name "when" "::"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ])
    (do_block) @body) @definition.macro
  (#eq? @_def "defmacro") (#not-any-of? @name "when" "::"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ])) @definition.macro
  (#eq? @_def "defmacrop") (#not-any-of? @name "when" "::") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ]
      .
      (keywords) @body)) @definition.macro
  (#eq? @_def "defmacrop") (#not-any-of? @name "when" "::") (#set! visibility private))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (binary_operator operator: _ @name)
        (binary_operator left: (binary_operator operator: _ @name) operator: "when")
      ])
    (do_block) @body) @definition.macro
  (#eq? @_def "defmacrop") (#not-any-of? @name "when" "::") (#set! visibility private))

; Callbacks
((unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @_attribute
      (arguments
        .
        [
          (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "::")
          (binary_operator left: (identifier) @name @arity operator: "::")
          (binary_operator
            left: (binary_operator left: (call target: (identifier) @name (arguments) @arity) operator: "::")
            operator: "when")
        ]))) @definition.method
  (#any-of? @_attribute "callback" "macrocallback"))

; Types
((unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @_attribute
      (arguments
        .
        (binary_operator
          left: [(identifier) @name (call target: (identifier) @name)]
          operator: "::")))) @definition.type
  (#any-of? @_attribute "type" "opaque"))
((unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @_attribute
      (arguments
        .
        (binary_operator
          left: [(identifier) @name (call target: (identifier) @name)]
          operator: "::")))) @definition.type
  (#eq? @_attribute "typep") (#set! visibility private))

; Module attributes with a value, as constants
((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @definition.constant
  (#not-any-of? @name
    "moduledoc" "doc" "typedoc" "spec" "type" "typep" "opaque" "callback" "macrocallback" "behaviour" "impl" "deprecated"
    "since" "dialyzer" "compile" "derive" "enforce_keys" "before_compile" "after_compile" "after_verify" "on_load" "on_definition"
    "external_resource" "vsn" "optional_callbacks" "moduletag" "tag" "describetag" "fallback_to_any" "file" "nifs" "protocol" "for" "undefined_impl_description" "record" "typedstruct")
  (#set! visibility private))

; The fields of a struct stand below its module.
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (list (atom) @name @definition.field)
        (list (keywords (pair key: (keyword) @name) @definition.field))
        (keywords (pair key: (keyword) @name) @definition.field)
      ]))
  (#any-of? @_def "defstruct" "defexception"))
((call
    target: (identifier) @_schema
    (do_block (call target: (identifier) @_field (arguments . (atom) @name)) @definition.field))
  (#any-of? @_schema "schema" "embedded_schema")
  (#any-of? @_field
    "field" "belongs_to" "has_many" "has_one" "many_to_many" "embeds_one" "embeds_many"))

; Tests, and the pipelines of a router
((call
    target: (identifier) @_test
    (arguments . (string (quoted_content) @name))
    (do_block) @body) @definition.function
  (#any-of? @_test "test" "describe" "property" "feature") (#set! role test))
((call target: (identifier) @_pipeline (arguments . (atom) @name) (do_block) @body) @definition.function
  (#eq? @_pipeline "pipeline"))
((call target: (identifier) @name (do_block) @body) @definition.function
  (#any-of? @name "setup" "setup_all") (#set! role test))

; A definition that the grammar gave up on still has a name.
((ERROR
    (identifier) @_def
    .
    [
      (identifier) @name
      (call target: (identifier) @name)
      (arguments . (call target: (identifier) @name))
      (arguments . (identifier) @name)
      (arguments . (binary_operator left: (call target: (identifier) @name) operator: "when"))
    ] @definition.function)
  (#any-of? @_def "def" "defmacro"))
((ERROR
    (identifier) @_def
    .
    [
      (identifier) @name
      (call target: (identifier) @name)
      (arguments . (call target: (identifier) @name))
      (arguments . (identifier) @name)
      (arguments . (binary_operator left: (call target: (identifier) @name) operator: "when"))
    ] @definition.function)
  (#any-of? @_def "defp" "defmacrop") (#set! visibility private))
((ERROR (identifier) @_def . [(alias) @name (arguments . (alias) @name)] @definition.module)
  (#any-of? @_def "defmodule" "defprotocol"))

; References

(call target: (identifier) @name) @reference.call
(call target: (dot left: (_) right: (identifier) @name)) @reference.read
((call target: (dot left: (alias) right: (identifier) @name)) @reference.call
  (#set! arguments 0))
(call target: (dot left: (_) right: (identifier) @name) (arguments)) @reference.call
(call target: (dot left: (atom) @receiver right: (identifier) @name)) @reference.call
((binary_operator operator: "|>" right: (identifier) @name) @reference.call
  (#set! arguments 1))
; What is piped is the first argument.
((binary_operator operator: "|>" right: (call target: (identifier) @name) @reference.call)
  (#set! arguments 1))
((binary_operator operator: "|>" right: (call target: (dot left: (_) right: (identifier) @name)) @reference.call)
  (#set! arguments 1))
((binary_operator operator: "|>" right: (call target: (dot left: (atom) @receiver right: (identifier) @name)) @reference.call)
  (#set! arguments 1))
(unary_operator
  operator: "&"
  operand: (binary_operator left: (identifier) @name operator: "/" right: (integer) @arity)) @reference.read
(unary_operator
  operator: "&"
  operand: (binary_operator
    left: (call target: (dot left: (_) right: (identifier) @name) !right)
    operator: "/"
    right: (integer) @arity)) @reference.read
(unary_operator operator: "^" operand: (identifier) @name) @reference.read

; `@timeout`, and not a variable of that name
(unary_operator operator: "@" @receiver operand: (identifier) @name) @reference.read

; A struct's name is its module's.
(struct (alias) @name) @reference.call
(map
  (struct [(alias) (identifier)] @receiver)
  (map_content (keywords (pair key: (keyword) @name)))) @reference.write
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . (alias) @name)))
  @reference.inherit
  (#eq? @_attribute "behaviour"))
((call target: (identifier) @_def (arguments . (alias) @name)) @reference.inherit
  (#eq? @_def "defimpl"))
((call
    target: (identifier) @_def
    (arguments (keywords (pair key: (keyword) @_key value: [(alias) @name (list (alias) @name)])))) @reference.type
  (#eq? @_def "defimpl") (#match? @_key "^for:"))

; Routes and plugs name functions by atoms.
((call
    target: (identifier) @_verb
    (arguments . (string) . (alias) @receiver . (atom) @name)) @reference.call
  (#any-of? @_verb "get" "post" "put" "patch" "delete" "head" "options" "live"))
((call target: (identifier) @_plug (arguments . (atom) @name)) @reference.call
  (#any-of? @_plug "plug" "pipe_through"))

; Functions that are named by a module, an atom and a list of arguments
(arguments (alias) @receiver . (atom) @name . (list)) @reference.read
((arguments (identifier) @receiver . (atom) @name . (list)) @reference.read
  (#eq? @receiver "__MODULE__"))
((call
    target: (identifier) @_delegate
    (arguments
      (keywords
        (pair key: (keyword) @_to value: (alias) @receiver)
        (pair key: (keyword) @_as value: (atom) @name)))) @reference.read
  (#eq? @_delegate "defdelegate") (#match? @_to "^to:") (#match? @_as "^as:"))

; Words of the language
((ERROR (identifier) @skip) (#any-of? @skip "def" "defp" "defmacro" "defmacrop" "defmodule" "defprotocol" "end"))
((call target: (identifier) @skip) (#any-of? @skip "end" "do"))
((call target: (identifier) @skip)
  (#any-of? @skip
    "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defmodule" "defprotocol" "defimpl"
    "defstruct" "defexception" "defoverridable" "defn" "defnp" "alias" "import" "require" "use" "case" "cond" "if"
    "unless" "for" "with" "receive" "try" "raise" "reraise" "throw" "quote" "unquote" "unquote_splicing" "super" "fn"
    "and" "or" "not" "in" "when"))
((call target: (identifier) @skip (arguments . (string)) (do_block))
  (#any-of? @skip "test" "describe" "property" "feature"))
((identifier) @skip (#any-of? @skip "__MODULE__" "__CALLER__" "__ENV__" "__DIR__" "__STACKTRACE__"))
(unary_operator operator: "@" operand: (call target: (identifier) @skip))

; Types in specifications: what is called there is a type.
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments) @type.all))
  (#any-of? @_attribute "spec" "type" "typep" "opaque" "callback" "macrocallback"))
((unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @_attribute
      (arguments
        .
        [
          (binary_operator left: (call target: (identifier) @name) @reference.declaration operator: "::")
          (binary_operator left: (identifier) @name @reference.declaration operator: "::")
          (binary_operator
            left: (binary_operator left: (call target: (identifier) @name) @reference.declaration operator: "::")
            operator: "when")
        ])))
  (#eq? @_attribute "spec"))
(arguments (binary_operator left: (identifier) @skip operator: "::"))
((identifier) @skip
  (#any-of? @skip
    "any" "atom" "binary" "bitstring" "boolean" "charlist" "float" "integer" "iodata" "iolist" "keyword" "mfa"
    "neg_integer" "no_return" "non_neg_integer" "nonempty_list" "number" "pid" "pos_integer" "reference" "term"))

; Names bound for one function

((unary_operator
    operator: "@"
    operand: (call
      target: (identifier) @_attribute
      (arguments
        .
        (binary_operator left: (call (arguments (identifier) @local.type)) operator: "::"))))
  (#any-of? @_attribute "type" "typep" "opaque"))

(binary_operator left: (_) @local.all operator: "=")
(binary_operator left: (_) @local.all operator: "<-")
(stab_clause left: (arguments) @local.all)
(stab_clause left: (binary_operator left: (arguments) @local.all operator: "when"))
((call
    target: (identifier) @_def
    (arguments
      .
      [
        (call (arguments) @local.all)
        (binary_operator left: (call (arguments) @local.all) operator: "when")
        (binary_operator left: (identifier) @local.all right: (identifier) @local.all)
        (binary_operator left: (binary_operator) @local.all operator: "when")
      ]))
  (#any-of? @_def
    "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp"))
((call
    target: (identifier) @_test
    (arguments . (string) . (_) @local.all)
    (do_block))
  (#any-of? @_test "test" "property" "feature"))
((call target: (identifier) @_setup (arguments . (_) @local.all .) (do_block))
  (#any-of? @_setup "setup" "setup_all"))
