<?php

// How query strings are read. What the server answers is the contract, which `../node/test` checks.

declare(strict_types=1);

require __DIR__ . '/../src/query.php';

$cases = [
    ['text=a', ['a']],
    ['text=a+b%2B&text=', ['a b+', '']],
    ['te%78t=%C3%A4', ['ä']],
    ['text[]=a&textual=b', []],
    ['', []],
    ['text=%zz', null],
    ['text=%', null],
    ['other=%ff', null],
    ["text=\u{e4}", null],
];
foreach ($cases as [$query, $expected]) {
    try {
        $found = values_of($query, 'text');
    } catch (MalformedQuery) {
        $found = null;
    }
    if ($found !== $expected) {
        fwrite(STDERR, "`$query`: expected " . json_encode($expected) . ', found ' . json_encode($found) . "\n");
        exit(1);
    }
}
