(class) @definition
(module) @definition
(method) @definition
(singleton_method) @definition
(call method: (identifier) @caller arguments: (argument_list . (string) @import) (#any-of? @caller "require_relative" "require"))
