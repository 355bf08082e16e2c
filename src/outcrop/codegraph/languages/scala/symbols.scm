; Definitions of Scala.

(class_definition name: (identifier) @name body: (_)? @body) @class
(object_definition name: (identifier) @name body: (_)? @body) @class
(trait_definition name: (identifier) @name body: (_)? @body) @interface
(enum_definition name: (identifier) @name body: (_) @body) @enum

(function_definition name: (_) @name body: (_)? @body) @function
(function_declaration name: (_) @name) @function

(val_definition pattern: (identifier) @name) @field
(var_definition pattern: (identifier) @name) @field
(simple_enum_case name: (identifier) @name) @field
