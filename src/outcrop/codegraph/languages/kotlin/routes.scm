; Ktor: get("/x") { … } inside routing { route("/y") { … } }.

(call_expression
  (call_expression
    . (identifier) @callee
    (value_arguments) @arguments)
  (annotated_lambda)
  (#any-of? @callee "get" "post" "put" "delete" "patch" "options" "head")) @call

(call_expression
  . (identifier) @callee
  (annotated_lambda)
  (#any-of? @callee "get" "post" "put" "delete" "patch" "options" "head")) @call

; users(), a function that adds routes to where it is called.

(call_expression
  . (identifier) @callee
  . (value_arguments) @arguments .) @call
