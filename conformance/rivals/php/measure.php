<?php

// Prints what one call costs in PHP for each way of doing it. Argument: the folder that `run.sh` fills. PHP has loaded tierup's
// extensions of conformance/crossings and the one by ext-php-rs.

declare(strict_types=1);

require __DIR__ . '/paired.php';
require __DIR__ . '/../../crossings/.tierup/php/autoload.php';

$ffi = FFI::cdef(
    <<<'C'
        typedef struct { uint8_t *bytes; size_t length; size_t capacity; } Answer;
        int32_t rivals_echo_text(const char *, size_t, Answer *);
        int32_t rivals_echo_bytes(const char *, size_t, Answer *);
        void rivals_release(const Answer *);
        C,
    "$argv[1]/librivals_c.so",
);
$answer = $ffi->new('Answer');
$at = FFI::addr($answer);
$native = Crossings\Rust::with(tier: '3:native');
$sandbox = Crossings\Rust::with(tier: '2:core');

/** Written for speed: the answer's memory is kept, and nothing is looked up in the loop. */
$byFfi = fn(string $function) => function (string $value, int $count) use ($ffi, $answer, $at, $function): string {
    for ($text = ''; $count > 0; $count--) {
        if ($ffi->$function($value, strlen($value), $at) !== 0) {
            throw new RuntimeException('the function panicked');
        }
        $text = FFI::string($answer->bytes, $answer->length);
        $ffi->rivals_release($at);
    }
    return $text;
};

/** Calls a function by name, as a script does. */
$byName = fn(string $function) => eval("return function (string \$value, int \$count): string {
    for (\$text = ''; \$count > 0; \$count--) {
        \$text = \\$function(\$value);
    }
    return \$text;
};");

$byMethod = fn(object $rust, string $method) => eval("return function (string \$value, int \$count) use (\$rust): string {
    for (\$text = ''; \$count > 0; \$count--) {
        \$text = \$rust->$method(\$value);
    }
    return \$text;
};");

$calls = [
    ['echo_text, 64 bytes', 'a text of sixty-four bytes, like a title that becomes an address', 0, 'echoText', 'echo_text'],
    ['echo_bytes, 64 KiB', random_bytes(1 << 16), 1, 'echoBytes', 'echo_bytes'],
];
echo 'PHP ', PHP_VERSION, ', JIT ', (opcache_get_status(false)['jit']['on'] ?? false) ? 'on' : 'off', "\n";
foreach ($calls as [$title, $value, $number, $method, $name]) {
    $ways = [
        'C glue, as 3:native: the extension\'s function' => $byName("tierup_crossings_$number"),
        'the same, by the package\'s method' => $byMethod($native, $method),
        '2:core, by the package\'s method' => $byMethod($sandbox, $method),
        'ext-php-rs' => $byName("rivals_$name"),
        'PHP\'s FFI' => $byFfi("rivals_$name"),
    ];
    foreach ($ways as $way => $call) {
        // All of them must answer alike before they are timed.
        if ($call($value, 1) !== $value) {
            throw new RuntimeException("$way answers $name otherwise");
        }
    }
    compare($title, array_map(fn($call) => fn(int $count) => $call($value, $count), $ways));
}
