; Django's path("x/", view) and its kin; routers with a prefix.

(call
  function: [(identifier) (attribute)] @callee
  arguments: (argument_list) @arguments
  (#match? @callee "(^|[.])(path|re_path|url|APIRouter|Blueprint|include_router|register_blueprint|add_url_rule|add_api_route)$")) @call
