((import path: (string) @import.module) @import
  (#not-match? @import "^import\\s+public\\b"))
((import "public" path: (string) @import.module) @import
  (#set! reexport))
