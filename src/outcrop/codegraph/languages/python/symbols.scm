; Definitions of Python.

(class_definition name: (identifier) @name body: (block) @body) @class

(function_definition name: (identifier) @name body: (block) @body) @function

(lambda body: (_) @body) @lambda

(module (expression_statement (assignment left: (identifier) @name) @field))

(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name) @field)))
