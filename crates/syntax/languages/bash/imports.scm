((command name: (command_name (word) @skip) . argument: (_) @import.module) @import
  (#any-of? @skip "source" "."))
((command name: (command_name (word) @_load) . argument: (_) @import.module) @import
  (#any-of? @_load "load" "bats_load_library"))
