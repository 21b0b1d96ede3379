<?php

// The server's own function answers as `../../contract.json` says. What the server answers is held to it by `../node/test`.

declare(strict_types=1);

use Experiments\{OutcomeInvalid, OutcomeMalformed, OutcomeValid};

require __DIR__ . '/../../.tierup/php/autoload.php';
require __DIR__ . '/../src/create_experiment.php';

const STATUS = [200 => OutcomeValid::class, 400 => OutcomeMalformed::class, 422 => OutcomeInvalid::class];

function check(string $what, string $body, string $class, string $answer): void
{
    $found = create_experiment($body);
    if ($found::class !== $class || $found->value !== $answer) {
        fwrite(STDERR, "$what: expected $class $answer,\nfound " . $found::class . " $found->value\n");
        exit(1);
    }
}

$cases = json_decode(file_get_contents(__DIR__ . '/../../contract.json'), true, flags: JSON_THROW_ON_ERROR);
foreach ($cases as $case) {
    $body = isset($case['hex']) ? hex2bin($case['hex']) : $case['body'];
    if (is_array($body)) {
        $body = implode('', array_map(fn($part) => str_repeat(...$part), $body));
    }
    check($case['what'], $body, STATUS[$case['status']], $case['answer']);
}

// What only PHP has trouble with: a key that begins with a NUL character, and a text that looks like one.
$same = '{"name":"\\u0000a","variants":[{"name":"\\"\\u0000x\\":","allocation_percent":100}]}';
check('NUL', substr($same, 0, -1) . ',"\\u0000k" :1,"more":{"\\u0000":["\\u0000v"]}}', OutcomeValid::class, $same);
