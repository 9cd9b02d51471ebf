(package (full_ident) @package)
(package (full_ident (identifier) @skip))

; Definitions

(message (message_name (identifier) @name) (message_body) @body) @definition.struct
(group (message_name (identifier) @name) (message_body) @body) @definition.struct
(enum (enum_name (identifier) @name) (enum_body) @body) @definition.enum
(enum_field . (identifier) @name) @definition.variant
(service (service_name (identifier) @name) "{" @body) @definition.interface
(rpc (rpc_name (identifier) @name)) @definition.method
(rpc (rpc_name (identifier) @name) "{" @body) @definition.method

(field (type) . (identifier) @name) @definition.field
(oneof_field (type) . (identifier) @name) @definition.field
(map_field (type) . (identifier) @name) @definition.field

; `@local` beside the name keeps the oneof from becoming the container of its fields, which are the message's.
(oneof "oneof" @local . (identifier) @name "{" @body) @definition.field

; Fields that extend a message belong, by name, to the package or message around the `extend`.
(extend (full_ident (identifier) @skip))
(extend (full_ident (identifier) @name .)) @reference.type
(extend (full_ident (identifier) @receiver . (identifier) @name .)) @reference.type

; What the grammar gave up on still has a name.
(ERROR "message" . [(message_name (identifier) @name) (identifier) @name] @definition.struct)
(ERROR "enum" . [(enum_name (identifier) @name) (identifier) @name] @definition.enum)
(ERROR "service" . [(service_name (identifier) @name) (identifier) @name] @definition.interface)
(ERROR "rpc" . [(rpc_name (identifier) @name) (identifier) @name] @definition.method)

; References

(message_or_enum_type (identifier) @skip)
((message_or_enum_type (identifier) @name) @reference.type
  (#match? @name "^[A-Z]"))
(message_or_enum_type (identifier) @name .) @reference.type
(message_or_enum_type (identifier) @receiver . (identifier) @name .) @reference.type

; Options name things of `descriptor.proto` or extensions of it.
(option (identifier) @skip)
(option (full_ident (identifier) @skip))
(option (full_ident (identifier) @name .)) @reference.read
(field_option (identifier) @skip)
(field_option (full_ident (identifier) @skip))
(field_option (full_ident (identifier) @name .)) @reference.read
(enum_value_option (identifier) @skip)
(enum_value_option (full_ident (identifier) @skip))
(enum_value_option (full_ident (identifier) @name .)) @reference.read
(block_lit (identifier) @skip)
