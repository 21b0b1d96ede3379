<?php

// The package as Composer and tools that read code see it. Nothing is fetched from anywhere.

declare(strict_types=1);

require __DIR__ . '/../check.php';
require __DIR__ . '/../served.php';

const PACKAGE = __DIR__ . '/../../.tierup/php';

function ran(array $command, string $folder): string
{
    // In a folder of its own, as Composer keeps what it knows of packages in its home.
    $environment = ['COMPOSER_HOME' => $folder, 'COMPOSER_ALLOW_SUPERUSER' => '1', 'COMPOSER_DISABLE_NETWORK' => '1'] + getenv();
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['file', "$folder/errors", 'w']], $pipes, $folder, $environment);
    $text = stream_get_contents($pipes[1]);
    same(0, proc_close($process), implode(' ', $command) . ': ' . file_get_contents("$folder/errors"));

    return $text;
}

// A `path` repository, offline.
$folder = sys_get_temp_dir() . '/tierup-conformance-composer-' . getmypid();
mkdir($folder);
register_shutdown_function(static fn() => exec('rm -rf ' . escapeshellarg($folder)));
$repositories = [['type' => 'path', 'url' => realpath(PACKAGE)], ['packagist' => false]];
$manifest = ['repositories' => $repositories, 'require' => ['tierup/conformance' => '*']];
file_put_contents("$folder/composer.json", json_encode($manifest));
ran(['composer', 'install', '--no-interaction'], $folder);
$script = 'require "vendor/autoload.php"; $rust = Conformance\Rust::with(tier: "1:pool"); echo $rust->tier(), " ", $rust->echoText("ä");';
same('1:pool ä', ran([PHP_BINARY, '-r', $script], $folder));

// Every class loads, and each file declares types strictly. Every exception is of one tree.
$files = new RegexIterator(new RecursiveIteratorIterator(new RecursiveDirectoryIterator(PACKAGE . '/src')), '/\.php\z/');
$exceptions = [];
foreach ($files as $file) {
    $class = 'Conformance' . strtr(substr((string) $file, strlen(PACKAGE . '/src'), -4), '/', '\\');
    holds(class_exists($class) || interface_exists($class) || trait_exists($class), "$class does not load");
    holds(str_contains(file_get_contents((string) $file), 'declare(strict_types=1);'), "$class is not strict");
    if (is_subclass_of($class, Throwable::class) && !str_contains($class, '\\Internal\\')) {
        $exceptions[] = $class;
    }
}
holds(count($exceptions) > 5, 'exceptions: ' . implode(' ', $exceptions));
foreach ($exceptions as $class) {
    same(true, is_a($class, Conformance\RustException::class, true), $class);
}

// What tools read of a function: PHP's types, and finer ones in the documentation.
$method = new ReflectionMethod(Conformance\Rust::class, 'describeAll');
$types = array_map(static fn(ReflectionParameter $one): string => "{$one->getType()} {$one->getName()}", $method->getParameters());
same('bool flag, int count, string name, float ratio, string bytes, ?Conformance\Color color, array points, array extra', implode(', ', $types));
same('string', (string) $method->getReturnType());
foreach (['@param int<0, 65535> $count', '@param list<\Conformance\Point> $points', '@param array<array-key, string> $extra'] as $tag) {
    holds(str_contains($method->getDocComment(), $tag), "$tag is not in {$method->getDocComment()}");
}
