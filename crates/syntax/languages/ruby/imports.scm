((call !receiver method: (identifier) @skip arguments: (argument_list . (string) @import.module)) @import
  (#any-of? @skip "require" "load" "require_dependency"))
; A path from the folder of the file.
((call !receiver method: (identifier) @skip arguments: (argument_list . (string) @import.module)) @import
  (#eq? @skip "require_relative") (#set! import.prefix "./"))
((call method: (identifier) @skip arguments: (argument_list . (_) . (string) @import.module)) @import
  (#eq? @skip "autoload"))
