<?php

// Made by tierup; the same in every package. For servers without Composer: `require` this file.

declare(strict_types=1);

\spl_autoload_register(static function (string $class): void {
    if (\str_starts_with($class, '{{namespace}}\\')) {
        $file = __DIR__ . '/src/' . \strtr(\substr($class, \strlen('{{namespace}}\\')), '\\', '/') . '.php';
        if (\is_file($file)) {
            require $file;
        }
    }
});
