(function_definition) @definition
(struct_specifier body: (_)) @definition
(union_specifier body: (_)) @definition
(enum_specifier body: (_)) @definition
(preproc_include path: [(string_literal) (system_lib_string)] @import)
