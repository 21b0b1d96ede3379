<?php

// Made by tierup; the same for every project.

declare(strict_types=1);

/**
 * A baseline by its name in tierup.toml: `function`, `Class` or `Class::method`, which Composer's autoloader finds, or
 * one of these after its file: `src/codes.php:encode`.
 */
function tierup_baseline(string $folder, string $name): mixed
{
    if (preg_match('/\A(.+\.php):([^:].*)\z/', $name, $parts) === 1) {
        [, $file, $name] = $parts;
        $path = "$folder/$file";
        if (!is_file($path)) {
            throw new RuntimeException("the baseline's file $path does not exist");
        }
        require_once $path;
    }
    if (function_exists($name) || class_exists($name)) {
        return $name;
    }
    if (preg_match('/\A(.+)::(\w+)\z/', $name, $parts) === 1 && method_exists($parts[1], $parts[2])) {
        [, $class, $method] = $parts;
        $isStatic = (new ReflectionMethod($class, $method))->isStatic();

        return Closure::fromCallable([$isStatic ? $class : new $class(), $method]);
    }
    throw new RuntimeException("there is no function, class or method $name");
}
