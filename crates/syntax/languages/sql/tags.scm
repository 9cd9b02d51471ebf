; Definitions
;
; A schema before the name is part of the qualified name only. Each statement is a tree of its own.

(create_table (object_reference name: (identifier) @name)) @definition.table
(create_table
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.table
(create_table (object_reference name: (identifier) @name) (column_definitions) @body) @definition.table
(create_table
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)
  (column_definitions) @body) @definition.table
(create_view (object_reference name: (identifier) @name) (keyword_as) @body) @definition.view
(create_view
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)
  (keyword_as) @body) @definition.view
(create_materialized_view (object_reference name: (identifier) @name) (keyword_as) @body) @definition.view
(create_materialized_view
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)
  (keyword_as) @body) @definition.view
(create_index column: (_) @name) @definition.index
(create_function
  (keyword_function)
  .
  (object_reference name: (identifier) @name)
  (function_body) @body) @definition.function
(create_function
  (keyword_function)
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)
  (function_body) @body) @definition.function
(create_trigger [(keyword_trigger) (keyword_exists)] . (object_reference name: (identifier) @name)) @definition.trigger
(create_trigger
  [(keyword_trigger) (keyword_exists)]
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.trigger
(create_sequence [(keyword_sequence) (keyword_exists)] . (object_reference name: (identifier) @name)) @definition.variable
(create_sequence
  [(keyword_sequence) (keyword_exists)]
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.variable
(create_schema [(keyword_schema) (keyword_exists)] . (identifier) @name) @definition.module
(create_database [(keyword_database) (keyword_exists)] . (identifier) @name) @definition.module

(create_type (object_reference name: (identifier) @name)) @definition.type
(create_type (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.type
(create_type (object_reference name: (identifier) @name) (column_definitions) @body) @definition.struct
(create_type
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)
  (column_definitions) @body) @definition.struct
(create_type (object_reference name: (identifier) @name) (enum_elements) @body) @definition.enum
(create_type
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)
  (enum_elements) @body) @definition.enum
(enum_elements (literal) @name @definition.variant)

; `CREATE PROC` reaches the grammar as a type.
((create_type (keyword_type) @_word (object_reference name: (identifier) @name)) @definition.function
  (#match? @_word "(?i)^proc"))
((create_type
    (keyword_type) @_word
    (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.function
  (#match? @_word "(?i)^proc"))

; A constraint of a dialect may look like a column.
((column_definition name: (_) @name) @definition.field
  (#not-match? @name "(?i)^(check|constraint|exclude|foreign|fulltext|index|like|period|primary|spatial|unique)$"))
((alter_table
    (object_reference) @container
    (add_column (column_definition name: (_) @name) @definition.field))
  (#not-match? @name "(?i)^(check|constraint|foreign|fulltext|index|key|partition|primary|spatial|unique)$"))

; What the grammar gave up on. The whole of it is one statement.
(ERROR
  (keyword_create)
  (keyword_table)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference name: (identifier) @name)) @definition.table
(ERROR
  (keyword_create)
  (keyword_table)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.table
(ERROR
  (keyword_create)
  (keyword_view)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference name: (identifier) @name)) @definition.view
(ERROR
  (keyword_create)
  (keyword_view)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.view
(ERROR
  (keyword_create)
  .
  (keyword_or)?
  .
  (keyword_replace)?
  .
  (keyword_function)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference name: (identifier) @name)) @definition.function
(ERROR
  (keyword_create)
  .
  (keyword_or)?
  .
  (keyword_replace)?
  .
  (keyword_function)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.function
(ERROR
  (keyword_create)
  (keyword_trigger)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference name: (identifier) @name)) @definition.trigger
(ERROR
  (keyword_create)
  (keyword_trigger)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.trigger
(ERROR
  (keyword_create)
  (keyword_type)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference name: (identifier) @name)) @definition.type
(ERROR
  (keyword_create)
  (keyword_type)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.type
(ERROR
  (keyword_create)
  (keyword_sequence)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference name: (identifier) @name)) @definition.variable
(ERROR
  (keyword_create)
  (keyword_sequence)
  .
  (keyword_if)?
  .
  (keyword_not)?
  .
  (keyword_exists)?
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)) @definition.variable
(ERROR
  (keyword_create)
  .
  (keyword_or)?
  .
  (keyword_replace)?
  .
  (keyword_function)
  .
  (object_reference name: (identifier) @name)
  (keyword_as) @body
  .) @definition.function
(ERROR
  (keyword_create)
  .
  (keyword_or)?
  .
  (keyword_replace)?
  .
  (keyword_function)
  .
  (object_reference schema: (identifier) @qualifier name: (identifier) @name)
  (keyword_as) @body
  .) @definition.function

; Imports

(create_extension (keyword_extension) . (identifier) @import.module) @import
(create_extension (keyword_exists) . (identifier) @import.module) @import

; References

(object_reference name: (identifier) @name) @reference.type
(object_reference schema: (identifier) @skip)
(object_reference database: (identifier) @skip)
(field (object_reference) @receiver name: (identifier) @name) @reference.read
; A table or its alias before a column.
(field (object_reference name: (identifier) @skip))
(all_fields (object_reference name: (identifier) @skip))

(invocation (object_reference name: (identifier) @name)) @reference.call
(create_trigger [(keyword_function) (keyword_procedure)] . (object_reference name: (identifier) @name)) @reference.call
(ERROR (keyword_trigger) (keyword_on) . (identifier) @name) @reference.type

(assignment left: (field name: (identifier) @name)) @reference.write
(insert (list (column (identifier) @name))) @reference.write

(relation alias: (identifier) @skip)
(term alias: (identifier) @skip)
(constraint name: (identifier) @skip)
(function_language (identifier) @skip)
(field opclass: (identifier) @skip)
(create_type name: (identifier) @skip)

; Names bound for one routine or query

(function_argument (identifier) @local)
(cte . (identifier) @local.type)
