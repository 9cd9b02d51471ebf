; `using N;` brings in everything that N holds, and so does `using static`.
((using_directive !name [(identifier) (qualified_name) (alias_qualified_name) (generic_name)] @import.module) @import
  (#not-match? @import "^global\\s") (#set! import.name "*"))
((using_directive "global" !name [(identifier) (qualified_name) (alias_qualified_name) (generic_name)] @import.module) @import
  (#set! import.name "*") (#set! reexport))

((using_directive
    name: (identifier) @import.alias
    "="
    [(identifier) @import.module (alias_qualified_name) @import.module (generic_name . (identifier) @import.module)]) @import
  (#not-match? @import "^global\\s"))
((using_directive
    name: (identifier) @import.alias
    "="
    (qualified_name qualifier: (_) @import.module name: [(identifier) @import.name (generic_name . (identifier) @import.name)])) @import
  (#not-match? @import "^global\\s"))
((using_directive
    "global"
    name: (identifier) @import.alias
    "="
    [(identifier) @import.module (alias_qualified_name) @import.module (generic_name . (identifier) @import.module)]) @import
  (#set! reexport))
((using_directive
    "global"
    name: (identifier) @import.alias
    "="
    (qualified_name qualifier: (_) @import.module name: [(identifier) @import.name (generic_name . (identifier) @import.name)])) @import
  (#set! reexport))

(extern_alias_directive name: (identifier) @import.module) @import

; Every part of the path is named by the import.
(using_directive (qualified_name qualifier: (qualified_name name: (identifier) @name))) @reference.import
(using_directive (qualified_name qualifier: (qualified_name qualifier: (qualified_name name: (identifier) @name)))) @reference.import
(using_directive (qualified_name qualifier: (qualified_name qualifier: (qualified_name qualifier: (qualified_name name: (identifier) @name))))) @reference.import
