; Definitions of Rust.

(struct_item name: (type_identifier) @name body: (_)? @body) @class
(union_item name: (type_identifier) @name body: (_) @body) @class
(enum_item name: (type_identifier) @name body: (enum_variant_list) @body) @enum
(trait_item name: (type_identifier) @name body: (declaration_list) @body) @interface
(mod_item name: (identifier) @name body: (declaration_list) @body) @module

(function_item name: (identifier) @name body: (block) @body) @function
(function_signature_item name: (identifier) @name) @function
(closure_expression body: (_) @body) @lambda

(field_declaration name: (field_identifier) @name) @field
(enum_variant name: (identifier) @name) @field
(const_item name: (identifier) @name) @field
(static_item name: (identifier) @name) @field
