; Definitions of C#.

(class_declaration name: (identifier) @name body: (declaration_list)? @body) @class
(struct_declaration name: (identifier) @name body: (declaration_list)? @body) @class
(record_declaration name: (identifier) @name body: (declaration_list)? @body) @class
(interface_declaration
  name: (identifier) @name body: (declaration_list) @body) @interface
(enum_declaration
  name: (identifier) @name body: (enum_member_declaration_list) @body) @enum

(method_declaration name: (identifier) @name body: (_)? @body) @method
(constructor_declaration name: (identifier) @name body: (_)? @body) @method
(destructor_declaration name: (identifier) @name body: (_)? @body) @method
(local_function_statement name: (identifier) @name body: (_)? @body) @function
(lambda_expression body: (_) @body) @lambda
(anonymous_method_expression (block) @body) @lambda

(property_declaration
  name: (identifier) @name accessors: (accessor_list)? @body) @field
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name) @field))
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name) @field))
(enum_member_declaration name: (identifier) @name) @field
(record_declaration (parameter_list (parameter name: (identifier) @name) @field))
