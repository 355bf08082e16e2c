; Definitions of PHP.

(class_declaration name: (name) @name body: (_) @body) @class
(trait_declaration name: (name) @name body: (_) @body) @class
(interface_declaration name: (name) @name body: (_) @body) @interface
(enum_declaration name: (name) @name body: (_) @body) @enum

(function_definition name: (name) @name body: (_) @body) @function
(method_declaration name: (name) @name body: (_)? @body) @method

(property_declaration (property_element name: (variable_name (name) @name))) @field
(const_declaration (const_element (name) @name)) @field
(enum_case name: (name) @name) @field
