; Definitions that JavaScript, TypeScript and TSX write alike.

(variable_declarator
  name: (identifier) @name value: (class body: (class_body) @body) @class)

(function_declaration name: (identifier) @name body: (statement_block) @body) @function
(generator_function_declaration
  name: (identifier) @name body: (statement_block) @body) @function
(method_definition name: (_) @name body: (statement_block) @body) @method

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  @function)
(pair
  key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  @method)
(assignment_expression
  left: (member_expression
    object: (identifier) @_exports property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]
  @function
  (#any-of? @_exports "exports" "module"))
(assignment_expression
  left: (member_expression
    object: (member_expression
      object: (identifier) property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: (function_expression body: (_) @body) @method
  (#any-of? @_prototype "exports" "prototype"))
(arrow_function body: (_) @body) @lambda
(function_expression body: (_) @body) @lambda

(program
  (lexical_declaration (variable_declarator name: (identifier) @name) @field))
(program
  (export_statement
    (lexical_declaration (variable_declarator name: (identifier) @name) @field)))
(program
  (variable_declaration (variable_declarator name: (identifier) @name) @field))
(variable_declarator name: (identifier) @name value: (object) @body) @object
