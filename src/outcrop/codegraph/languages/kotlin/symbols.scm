; Definitions of Kotlin. The members of a companion object belong to its class.

(class_declaration
  "class" name: (identifier) @name [(class_body) (enum_class_body)]? @body) @class
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @interface
(object_declaration name: (identifier) @name (class_body)? @body) @class

(function_declaration name: (identifier) @name (function_body)? @body) @function
(secondary_constructor "constructor" @name (block)? @body) @method
(lambda_literal) @lambda
(anonymous_function (function_body) @body) @lambda

(property_declaration (variable_declaration . (identifier) @name)) @field
(class_parameter ["val" "var"] (identifier) @name) @field
(enum_entry . (identifier) @name) @field
