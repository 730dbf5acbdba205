(class_declaration) @definition
(function_declaration) @definition
(generator_function_declaration) @definition
(method_definition) @definition
(program (lexical_declaration (variable_declarator value: [(arrow_function) (function_expression) (class)]) @definition))
(program (export_statement (lexical_declaration (variable_declarator value: [(arrow_function) (function_expression) (class)]) @definition)))
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: [(import) (identifier)] @caller arguments: (arguments . (string) @import) (#any-of? @caller "require" "import"))
(abstract_class_declaration) @definition
(interface_declaration) @definition
(type_alias_declaration) @definition
(enum_declaration) @definition
(internal_module) @definition
(function_signature) @definition
(abstract_method_signature) @definition
