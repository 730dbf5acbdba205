(class_declaration) @definition
(interface_declaration) @definition
(enum_declaration) @definition
(record_declaration) @definition
(annotation_type_declaration) @definition
(method_declaration) @definition
(constructor_declaration) @definition
(import_declaration (scoped_identifier) @import)
