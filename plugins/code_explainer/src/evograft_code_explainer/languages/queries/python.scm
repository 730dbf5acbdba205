(class_definition) @definition
(function_definition) @definition
(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)
(import_from_statement module_name: (_) @from name: (dotted_name) @name)
(import_from_statement module_name: (_) @from name: (aliased_import name: (dotted_name) @name))
