((import_declaration (identifier) @import.module) @import
  (#not-match? @import "import\\s+(typealias|struct|class|enum|protocol|let|var|func)\\s") (#not-match? @import "^(public|@_exported)")
  (#set! import.name "*"))
((import_declaration (identifier) @import.module) @import
  (#not-match? @import "import\\s+(typealias|struct|class|enum|protocol|let|var|func)\\s") (#match? @import "^(public|@_exported)")
  (#set! import.name "*") (#set! reexport))

; `import struct Module.Name`
((import_declaration (identifier . (simple_identifier) @import.module . (simple_identifier) @import.name .)) @import
  (#match? @import "import\\s+(typealias|struct|class|enum|protocol|let|var|func)\\s"))
