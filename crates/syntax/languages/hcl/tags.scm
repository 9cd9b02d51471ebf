; Definitions
;
; A later pattern beats an earlier one for the same name; the labels decide the qualified name.

; Blocks without labels: `terraform`, `locals`. Nested ones say how, not what.
((config_file (body (block . (identifier) @name . (block_start) @body) @definition.block))
  (#not-eq? @name "locals"))

; Blocks with one label.
(config_file
  (body
    (block
      .
      (identifier) @qualifier
      .
      [(string_lit (template_literal) @name) (identifier) @name]
      .
      (block_start) @body) @definition.block))

; Blocks with two: `resource "aws_instance" "web"` is written `aws_instance.web`.
(config_file
  (body
    (block
      .
      (identifier)
      .
      [(string_lit (template_literal) @qualifier) (identifier) @qualifier]
      .
      [(string_lit (template_literal) @name) (identifier) @name]
      .
      (block_start) @body) @definition.block))
((config_file
  (body
    (block
      .
      (identifier) @_word
      .
      [(string_lit (template_literal) @qualifier) (identifier) @qualifier]
      .
      [(string_lit (template_literal) @name) (identifier) @name]
      .
      (block_start) @body) @definition.block))
  (#eq? @_word "data") (#set! qualifier "data"))

((config_file
  (body
    (block
      .
      (identifier) @_word
      .
      [(string_lit (template_literal) @name) (identifier) @name]
      .
      (block_start) @body) @definition.variable))
  (#eq? @_word "variable") (#set! qualifier "var"))

; Nested blocks with a label; those that only repeat or run something have a type there, not a name.
((block
    (body
      (block
        .
        (identifier) @qualifier
        .
        [(string_lit (template_literal) @name) (identifier) @name]
        .
        (block_start) @body) @definition.block))
  (#not-any-of? @qualifier "dynamic" "provisioner"))
(block
  (body
    (block
      .
      (identifier)
      .
      [(string_lit (template_literal) @qualifier) (identifier) @qualifier]
      .
      [(string_lit (template_literal) @name) (identifier) @name]
      .
      (block_start) @body) @definition.block))

((block
    (body
      (block
        .
        (identifier) @_word
        .
        (string_lit (template_literal) @qualifier)
        .
        (string_lit (template_literal) @name)
        .
        (block_start) @body) @definition.block))
  (#eq? @_word "data") (#set! qualifier "data"))

; A block whose body is not written yet runs into the next one.
(block . (identifier) . (string_lit (template_literal) @qualifier) . (string_lit (template_literal) @name) . (identifier) @body)
  @definition.block
(block (string_lit) . (identifier) @qualifier . (string_lit (template_literal) @name) . (block_start) @body)
  @definition.block
(block
  (string_lit)
  .
  (identifier)
  .
  (string_lit (template_literal) @qualifier)
  .
  (string_lit (template_literal) @name)
  .
  (block_start) @body) @definition.block

((config_file
  (body
    (block
      .
      (identifier) @_word
      (body (attribute . (identifier) @name) @definition.variable))))
  (#eq? @_word "locals") (#set! qualifier "local"))

; Variable files and settings.
(config_file (body (attribute . (identifier) @name) @definition.variable))

; A block that was never closed.
((ERROR
    (identifier) @_word
    .
    (string_lit (template_literal) @qualifier)
    .
    (string_lit (template_literal) @name) @definition.block
    .
    (block_start))
  (#any-of? @_word "resource" "data"))
((ERROR
    (identifier) @_word
    .
    (string_lit (template_literal) @name) @definition.variable
    .
    (block_start))
  (#eq? @_word "variable") (#set! qualifier "var"))

; Imports

((block
    .
    (identifier) @_word
    (body
      (attribute
        .
        (identifier) @_key
        (expression (literal_value (string_lit (template_literal) @import.module)))) @import))
  (#any-of? @_word "module" "terraform") (#eq? @_key "source"))

; References

; The words that start a block or name its arguments are the schema's.
(block (identifier) @skip)
(attribute . (identifier) @skip)
; An object's bare keys are words, not variables.
(object_elem key: (expression . (variable_expr (identifier) @skip) .))
((variable_expr (identifier) @skip)
  (#any-of? @skip "any" "bool" "dynamic" "list" "map" "number" "object" "set" "string" "tuple"))
((block . (identifier) @_word
    (body
      (attribute
        (expression (collection_value (tuple (expression . (variable_expr (identifier) @skip) .)))))))
  (#eq? @_word "lifecycle"))

(function_call . (identifier) @name) @reference.call
((function_call . (identifier) @skip)
  (#any-of? @skip "list" "map" "object" "optional" "set" "tuple"))

; `var.region`: what stands before the last name is its receiver, which the walk reads from the text, because the
; grammar takes `a && var.b` for `(a && var).b`.
((variable_expr (identifier) @skip)
  (#any-of? @skip "count" "data" "each" "local" "module" "path" "self" "terraform" "var"))
((expression . (variable_expr (identifier) @_root) . (get_attr (identifier) @skip))
  (#any-of? @_root "count" "each" "path" "self" "terraform"))

; Names bound for one expression

(for_intro "for" . (identifier) @local)
(for_intro "," . (identifier) @local)
(template_for_start "for" . (identifier) @local)
(template_for_start "," . (identifier) @local)
