(function_declaration) @definition
(method_declaration) @definition
(type_spec) @definition
(import_spec path: (_) @import)
