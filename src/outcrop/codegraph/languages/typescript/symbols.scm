; Definitions of TypeScript and TSX beside those shared with JavaScript.

(class_declaration name: (type_identifier) @name body: (class_body) @body) @class
(public_field_definition
  name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  @method)
(public_field_definition name: (_) @name) @field

(abstract_class_declaration
  name: (type_identifier) @name body: (class_body) @body) @class
(interface_declaration
  name: (type_identifier) @name body: (interface_body) @body) @interface
(type_alias_declaration name: (type_identifier) @name value: (object_type)) @interface
(enum_declaration name: (identifier) @name body: (enum_body) @body) @enum
(internal_module name: (identifier) @name body: (statement_block) @body) @module

(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(function_signature name: (identifier) @name) @function
(property_signature name: (_) @name) @field
(enum_assignment name: (_) @name) @field
(enum_body (property_identifier) @name @field)
(required_parameter
  (accessibility_modifier) pattern: (identifier) @name) @field
