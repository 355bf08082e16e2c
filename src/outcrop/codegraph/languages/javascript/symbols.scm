; Definitions of JavaScript that the grammar of TypeScript names otherwise.

(class_declaration name: (identifier) @name body: (class_body) @body) @class
(field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  @method)
(field_definition property: (_) @name) @field
