; Definitions of Bash.

(function_definition name: (word) @name body: (_) @body) @function
