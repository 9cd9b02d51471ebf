((import (qualified_identifier) @import.module .) @import
  (#not-match? @import "\\*\\s*;?\\s*$"))
((import (qualified_identifier) @import.module .) @import
  (#match? @import "\\*\\s*;?\\s*$")
  (#set! import.name "*"))
(import (qualified_identifier) @import.module (identifier) @import.alias) @import
