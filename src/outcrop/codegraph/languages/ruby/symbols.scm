; Definitions of Ruby.

(module name: (_) @name body: (body_statement)? @body) @module
(class name: (_) @name body: (body_statement)? @body) @class

(method name: (_) @name body: (_)? @body) @function
(singleton_method name: (_) @name body: (_)? @body) @function

(assignment left: (constant) @name) @field
