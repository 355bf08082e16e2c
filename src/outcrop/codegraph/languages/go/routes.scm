; net/http's HandleFunc, gin's and echo's verbs in capitals, chi's capitalised ones.

(call_expression
  function: (selector_expression
    field: (field_identifier) @_verb) @callee
  arguments: (argument_list . [(interpreted_string_literal) (raw_string_literal)])
  @arguments
  (#any-of? @_verb "HandleFunc" "Handle" "Group" "Route" "Mount" "GET" "POST" "PUT" "DELETE"
    "PATCH" "OPTIONS" "HEAD" "Any" "Get" "Post" "Put" "Delete" "Patch" "Options"
    "Head")) @call
