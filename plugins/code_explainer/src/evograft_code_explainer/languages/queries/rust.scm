(function_item) @definition
(function_signature_item) @definition
(struct_item) @definition
(enum_item) @definition
(union_item) @definition
(trait_item) @definition
(impl_item) @definition
(mod_item body: (_)) @definition
(macro_definition) @definition
(type_item) @definition
(mod_item name: (identifier) @import !body)
(use_declaration argument: (_) @use)
