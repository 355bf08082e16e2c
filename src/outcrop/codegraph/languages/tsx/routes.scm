; Express: app.get("/x", handler), app.use("/x", router), express.Router().

(call_expression
  function: (member_expression
    property: (property_identifier) @_verb) @callee
  arguments: (arguments . [(string) (template_string)]) @arguments
  (#any-of? @_verb "get" "post" "put" "delete" "patch" "options" "head" "all" "use")) @call
