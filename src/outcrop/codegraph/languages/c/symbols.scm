; Definitions of C.

(struct_specifier name: (type_identifier) @name body: (_) @body) @class
(union_specifier name: (type_identifier) @name body: (_) @body) @class
(enum_specifier name: (type_identifier) @name body: (_) @body) @enum
(type_definition type: (struct_specifier body: (_) @body) declarator: (type_identifier) @name) @class
(type_definition type: (enum_specifier body: (_) @body) declarator: (type_identifier) @name) @enum

(function_definition
  declarator: (function_declarator declarator: (identifier) @name)
  body: (_) @body) @function
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name))
  body: (_) @body) @function

(field_declaration declarator: (field_identifier) @name) @field
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @field
(enumerator name: (identifier) @name) @field
(preproc_function_def name: (identifier) @name) @function
