; Definitions of Swift.

(class_declaration
  declaration_kind: ["class" "struct" "actor"]
  name: (type_identifier) @name body: (_) @body) @class
(class_declaration
  declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @enum
(class_declaration
  declaration_kind: "extension" name: (user_type) @name body: (_) @body) @class
(protocol_declaration name: (type_identifier) @name body: (_) @body) @interface

(function_declaration name: (simple_identifier) @name body: (_)? @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(init_declaration name: "init" @name body: (_)? @body) @method

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @field
(enum_entry . name: (simple_identifier) @name) @field
