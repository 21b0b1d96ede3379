<?php

require_once __DIR__ . '/lib/words.php';

use Shop\Desk;

function greet(string $text): string
{
    return 'hello ' . ($text === '' ? uniqid() : $text);
}

$text = $_GET['text'] ?? '';
$words = array_filter(explode(' ', $text));
try {
    $desk = new Desk('!');
    $swapped = $text;
    Shop\swap($swapped);
    $answers = [
        Shop\tally($text)->words,
        Shop\describe($text, strlen($text), '7', $text === '', $words, array_count_values($words), strlen($text) << 32, $words[0] ?? null),
        bin2hex(Desk::digest($text)),
        $desk->double(strlen($text)),
        $desk->cry($text),
        Shop\One::both(1),
        Shop\Two::both(1),
        $desk->name(),
        Shop\name($text),
        count(iterator_to_array(Shop\each($words))),
        Shop\loose((object) ['key' => $text]),
        greet($text),
        Shop\shout($text),
    ];
    $body = json_encode($answers);
} catch (InvalidArgumentException $failure) {
    $body = $failure->getMessage();
}
echo $body;
