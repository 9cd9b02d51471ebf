; Keys, at most three levels deep.

((document (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)
  (#set! level 1))
((document (pair (inline_table (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)))
  (#set! level 2))
((document (pair (inline_table (pair (inline_table (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)))))
  (#set! level 3))

((table . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key
  (#set! level 1))
((table_array_element . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key
  (#set! level 1))

((table . [(bare_key) (quoted_key)] (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)
  (#set! level 2))
((table_array_element . [(bare_key) (quoted_key)] (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)
  (#set! level 2))
((table . [(bare_key) (quoted_key)] (pair (inline_table (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)))
  (#set! level 3))
((table_array_element . [(bare_key) (quoted_key)] (pair (inline_table (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)))
  (#set! level 3))

; `[a.b]` is two levels already, `[a.b.c]` three.
((table . (dotted_key . [(bare_key) (quoted_key)]) (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)
  (#set! level 3))
((table_array_element . (dotted_key . [(bare_key) (quoted_key)]) (pair . [(bare_key) @name (quoted_key) @name (dotted_key (_) @qualifier . (_) @name .)]) @definition.key)
  (#set! level 3))
