; Without `as` and `show` everything comes in.
((import_specification uri: [(configurable_uri . (uri) @import.module) (uri) @import.module]) @import
  (#not-match? @import "['\"]\\s*(deferred\\s+)?(as|show)\\s|\\sshow\\s") (#set! import.name "*"))
(import_specification
  uri: [(configurable_uri . (uri) @import.module) (uri) @import.module]
  alias: (identifier) @import.alias) @import
(import_specification
  uri: [(configurable_uri . (uri) @import.module) (uri) @import.module]
  (combinator "show" (identifier) @import.name)) @import

((library_export uri: (configurable_uri . (uri) @import.module)) @import
  (#not-match? @import "\\sshow\\s") (#set! import.name "*") (#set! reexport))
((library_export
    uri: (configurable_uri . (uri) @import.module)
    (combinator "show" (identifier) @import.name)) @import
  (#set! reexport))

; The parts of a library share one namespace.
((part_directive uri: (uri) @import.module) @import
  (#set! import.name "*"))
((part_of_directive [(uri) (dotted_identifier_list)] @import.module) @import
  (#set! import.name "*"))
