; Definitions of Python.

(class_definition name: (identifier) @name body: (block) @body) @class

(function_definition name: (identifier) @name body: (block) @body) @function

(lambda body: (_) @body) @lambda

(module (expression_statement (assignment left: (identifier) @name) @field))

; Attributes that methods give to their instance.
(assignment
  left: (attribute object: (identifier) @_self attribute: (identifier) @name)
  (#eq? @_self "self")) @field

(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name) @field)))
