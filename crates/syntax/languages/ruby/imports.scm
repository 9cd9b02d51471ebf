((call !receiver method: (identifier) @skip arguments: (argument_list . (string) @import.module)) @import
  (#any-of? @skip "require" "require_relative" "load" "require_dependency"))
((call method: (identifier) @skip arguments: (argument_list . (_) . (string) @import.module)) @import
  (#eq? @skip "autoload"))
