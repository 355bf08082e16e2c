; Express: app.get("/x", handler), app.use("/x", router), express.Router().

(call_expression
  function: (member_expression
    property: (property_identifier) @_verb) @callee
  arguments: (arguments . [(string) (template_string)]) @arguments
  (#any-of? @_verb "get" "post" "put" "delete" "patch" "options" "head" "all" "use")) @call

; app.use(router), and app.route("/x").get(handler).

(call_expression
  function: (member_expression
    property: (property_identifier) @_use) @callee
  arguments: (arguments . [(identifier) (call_expression)]) @arguments
  (#eq? @_use "use")) @call

(call_expression
  function: (member_expression
    object: (call_expression)
    property: (property_identifier) @_verb) @callee
  arguments: (arguments) @arguments
  (#match? @callee "[.]route[(]")
  (#any-of? @_verb "get" "post" "put" "delete" "patch" "options" "head" "all")) @call
