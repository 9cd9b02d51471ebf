((call target: (identifier) @_word (arguments . [(alias) @name (dot left: (alias) @name)])) @reference.import
  (#any-of? @_word "alias" "require" "import"))
; What a module uses may name its behaviours.
((call target: (identifier) @_word (arguments . [(alias) @name (dot left: (alias) @name)])) @reference.inherit
  (#eq? @_word "use"))

((call target: (identifier) @_word (arguments . (alias) @import.module)) @import
  (#any-of? @_word "alias" "require" "use") (#not-match? @import "\\bas:\\s*\\w+\\)?$"))
((call
    target: (identifier) @_word
    (arguments
      .
      (alias) @import.module
      (keywords (pair key: (keyword) @_key value: (alias) @import.alias)))) @import
  (#any-of? @_word "alias" "require") (#match? @_key "^as:"))
((call
    target: (identifier) @_word
    (arguments . (dot left: (alias) @import.module right: (tuple (alias) @import.name)))) @import
  (#any-of? @_word "alias" "require" "import" "use"))

; `import M` brings in all of its functions, `only:` some of them.
((call target: (identifier) @_word (arguments . (alias) @import.module)) @import
  (#eq? @_word "import") (#not-match? @import "\\bonly:\\s*\\[") (#set! import.name "*"))
((call
    target: (identifier) @_word
    (arguments
      .
      (alias) @import.module
      (keywords
        (pair
          key: (keyword) @_key
          value: (list (keywords (pair key: (keyword) @import.name))))))) @import
  (#eq? @_word "import") (#match? @_key "^only:"))
