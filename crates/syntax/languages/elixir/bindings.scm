; What is known of the things that names are given to

(binary_operator left: (identifier) @bind operator: "=" right: (_) @bind.value)
(binary_operator left: (map (struct (alias) @bind.type)) operator: "=" right: (identifier) @bind)
(binary_operator left: (identifier) @bind operator: "=" right: (map (struct (alias) @bind.type)))
(binary_operator left: (identifier) @bind operator: "<-" right: (_) @bind.element)
