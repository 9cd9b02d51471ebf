; A component in use is a call of it; other elements are not ours.

(jsx_opening_element name: (identifier) @skip)
(jsx_self_closing_element name: (identifier) @skip)
((jsx_opening_element name: (identifier) @name) @reference.call
  (#not-match? @name "^[a-z]"))
((jsx_self_closing_element name: (identifier) @name) @reference.call
  (#not-match? @name "^[a-z]"))
(jsx_opening_element name: (member_expression property: (_) @name)) @reference.call
(jsx_self_closing_element name: (member_expression property: (_) @name)) @reference.call
(jsx_closing_element name: (identifier) @skip)
((jsx_closing_element name: (identifier) @name) @reference.read
  (#not-match? @name "^[a-z]"))
(jsx_attribute . (property_identifier) @skip)
(jsx_namespace_name (identifier) @skip)
