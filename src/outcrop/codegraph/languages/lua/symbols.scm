; Definitions of Lua.

(function_declaration name: (_) @name body: (_)? @body) @function
(assignment_statement
  (variable_list name: (_) @name)
  (expression_list value: (function_definition body: (_)? @body))) @function
