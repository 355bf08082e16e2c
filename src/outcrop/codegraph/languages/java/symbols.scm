; Definitions of Java.

(class_declaration name: (identifier) @name body: (class_body) @body) @class
(record_declaration name: (identifier) @name body: (class_body) @body) @class
(interface_declaration name: (identifier) @name body: (interface_body) @body) @interface
(annotation_type_declaration
  name: (identifier) @name body: (annotation_type_body) @body) @interface
(enum_declaration name: (identifier) @name body: (enum_body) @body) @enum

(method_declaration name: (identifier) @name body: (block)? @body) @method
(constructor_declaration name: (identifier) @name body: (constructor_body) @body) @method
(compact_constructor_declaration name: (identifier) @name body: (block) @body) @method
(lambda_expression body: (_) @body) @lambda

(field_declaration declarator: (variable_declarator name: (identifier) @name) @field)
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @field)
(enum_constant name: (identifier) @name) @field
(record_declaration
  parameters: (formal_parameters (formal_parameter name: (identifier) @name) @field))
