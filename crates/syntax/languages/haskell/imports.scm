((import module: (module) @import.module !alias !names) @import
  (#match? @import "^import[^(]*\\bqualified\\b"))
((import module: (module) @import.module !alias !names) @import
  (#not-match? @import "^import[^(]*\\bqualified\\b") (#set! import.name "*"))
(import module: (module) @import.module alias: (module) @import.alias) @import
((import module: (module) @import.module "hiding" !alias) @import (#set! import.name "*"))
((import
    module: (module) @import.module
    names: (import_list
      (import_name
        [
          (variable) @import.name
          (name) @import.name
          (prefix_id (_) @import.name)
        ]))) @import
  (#not-match? @import "^import[^(]*\\bhiding\\b"))
((import
    module: (module) @import.module
    names: (import_list
      (import_name children: (children [(variable) (constructor) (name) (prefix_id (_))] @import.name)))) @import
  (#not-match? @import "^import[^(]*\\bhiding\\b"))
(import "hiding" names: (import_list (import_name [(variable) @skip (name) @skip (prefix_id (_) @skip)])))
((header exports: (exports (module_export module: (module) @import.module) @import))
  (#set! import.name "*") (#set! reexport))
