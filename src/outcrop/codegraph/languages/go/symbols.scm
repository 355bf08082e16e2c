; Definitions of Go.

(type_declaration
  (type_spec name: (type_identifier) @name type: (struct_type) @body) @class)
(type_declaration
  (type_spec name: (type_identifier) @name type: (interface_type) @body) @interface)
(type_declaration (type_spec name: (type_identifier) @name type: (_)) @class)
(type_declaration (type_alias name: (type_identifier) @name) @class)

(function_declaration name: (identifier) @name body: (block)? @body) @function
(method_declaration name: (field_identifier) @name body: (block)? @body) @method
(method_elem name: (field_identifier) @name) @method
(func_literal body: (block) @body) @lambda

(field_declaration name: (field_identifier) @name) @field
(field_declaration !name type: (type_identifier) @name) @field
(field_declaration !name type: (pointer_type (type_identifier) @name)) @field
(source_file (var_declaration (var_spec name: (identifier) @name) @field))
(source_file
  (var_declaration (var_spec_list (var_spec name: (identifier) @name) @field)))
(source_file (const_declaration (const_spec name: (identifier) @name) @field))
