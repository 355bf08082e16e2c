; ASP.NET's minimal endpoints: app.MapGet("/x", handler).

(invocation_expression
  function: (member_access_expression name: (identifier) @_verb) @callee
  arguments: (argument_list) @arguments
  (#any-of? @_verb "MapGet" "MapPost" "MapPut" "MapDelete" "MapPatch" "MapGroup")) @call
