; Keys of objects in objects; what stands in a list has no name.

((document (object (pair key: (string) @name) @definition.key))
  (#set! level 1))
((document (object (pair value: (object (pair key: (string) @name) @definition.key))))
  (#set! level 2))
((document (object (pair value: (object (pair value: (object (pair key: (string) @name) @definition.key))))))
  (#set! level 3))
