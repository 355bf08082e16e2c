; Definitions of C++.

(namespace_definition name: (_) @name body: (_) @body) @module
(class_specifier name: (type_identifier) @name body: (_) @body) @class
(struct_specifier name: (type_identifier) @name body: (_) @body) @class
(union_specifier name: (type_identifier) @name body: (_) @body) @class
(enum_specifier name: (type_identifier) @name body: (_) @body) @enum

(function_definition
  declarator: (function_declarator
    declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name)
      (operator_name)] @name)
  body: (_)? @body) @function
(function_definition
  declarator: (_ declarator: (function_declarator
    declarator: [(identifier) (field_identifier) (qualified_identifier)] @name))
  body: (_)? @body) @function
(function_definition
  declarator: (reference_declarator (function_declarator
    declarator: [(identifier) (field_identifier) (qualified_identifier)] @name))
  body: (_)? @body) @function
(field_declaration
  declarator: (function_declarator declarator: (field_identifier) @name)) @method

(field_declaration declarator: (field_identifier) @name) @field
(enumerator name: (identifier) @name) @field
