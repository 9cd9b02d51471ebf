; Headings. What the grammar calls a section does not begin at an underlined heading, so the levels make the sections.
; Only headings of the document itself count, not those in quotes and lists.

([
    (document (section (atx_heading (atx_h1_marker) heading_content: (inline) @name) @definition.heading))
  ]
  (#set! level 1))

([
    (document (section (atx_heading (atx_h2_marker) heading_content: (inline) @name) @definition.heading))
    (document (section (section (atx_heading (atx_h2_marker) heading_content: (inline) @name) @definition.heading)))
  ]
  (#set! level 2))

([
    (document (section (atx_heading (atx_h3_marker) heading_content: (inline) @name) @definition.heading))
    (document (section (section (atx_heading (atx_h3_marker) heading_content: (inline) @name) @definition.heading)))
    (document (section (section (section (atx_heading (atx_h3_marker) heading_content: (inline) @name) @definition.heading))))
  ]
  (#set! level 3))

([
    (document (section (atx_heading (atx_h4_marker) heading_content: (inline) @name) @definition.heading))
    (document (section (section (atx_heading (atx_h4_marker) heading_content: (inline) @name) @definition.heading)))
    (document (section (section (section (atx_heading (atx_h4_marker) heading_content: (inline) @name) @definition.heading))))
    (document (section (section (section (section (atx_heading (atx_h4_marker) heading_content: (inline) @name) @definition.heading)))))
  ]
  (#set! level 4))

([
    (document (section (atx_heading (atx_h5_marker) heading_content: (inline) @name) @definition.heading))
    (document (section (section (atx_heading (atx_h5_marker) heading_content: (inline) @name) @definition.heading)))
    (document (section (section (section (atx_heading (atx_h5_marker) heading_content: (inline) @name) @definition.heading))))
    (document (section (section (section (section (atx_heading (atx_h5_marker) heading_content: (inline) @name) @definition.heading)))))
    (document (section (section (section (section (section (atx_heading (atx_h5_marker) heading_content: (inline) @name) @definition.heading))))))
  ]
  (#set! level 5))

([
    (document (section (atx_heading (atx_h6_marker) heading_content: (inline) @name) @definition.heading))
    (document (section (section (atx_heading (atx_h6_marker) heading_content: (inline) @name) @definition.heading)))
    (document (section (section (section (atx_heading (atx_h6_marker) heading_content: (inline) @name) @definition.heading))))
    (document (section (section (section (section (atx_heading (atx_h6_marker) heading_content: (inline) @name) @definition.heading)))))
    (document (section (section (section (section (section (atx_heading (atx_h6_marker) heading_content: (inline) @name) @definition.heading))))))
    (document (section (section (section (section (section (section (atx_heading (atx_h6_marker) heading_content: (inline) @name) @definition.heading)))))))
  ]
  (#set! level 6))

([
    (document (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) @body) @definition.heading))
    (document (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) @body) @definition.heading)))
    (document (section (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) @body) @definition.heading))))
    (document (section (section (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) @body) @definition.heading)))))
    (document (section (section (section (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) @body) @definition.heading))))))
    (document (section (section (section (section (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) @body) @definition.heading)))))))
  ]
  (#set! level 1))

([
    (document (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) @body) @definition.heading))
    (document (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) @body) @definition.heading)))
    (document (section (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) @body) @definition.heading))))
    (document (section (section (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) @body) @definition.heading)))))
    (document (section (section (section (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) @body) @definition.heading))))))
    (document (section (section (section (section (section (section (setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) @body) @definition.heading)))))))
  ]
  (#set! level 2))
