<?php

// Every kind of value comes back as it went in, and values that do not fit are refused before anything is called.

declare(strict_types=1);

use Conformance\{Color, Everything, Keywords, Nothing, Point, ReservedType, Rust, ShapeCircle, ShapeEmpty, ShapeLine, ShapePolygon};

require __DIR__ . '/../check.php';

foreach (tiers() as $tier) {
    $rust = Rust::with(tier: $tier);
    same($tier, $rust->tier());
    foreach ([0, 1, PHP_INT_MAX, '9223372036854775808', '18446744073709551615'] as $number) {
        same($number, $rust->echoU64($number), $tier);
    }
    same(7, $rust->echoU64('0007'), $tier);
    thrown(ValueError::class, fn() => $rust->echoU64(-1), '$value');
    thrown(ValueError::class, fn() => $rust->echoU64('18446744073709551616'));
    thrown(ValueError::class, fn() => $rust->echoU64('-1'));
    thrown(ValueError::class, fn() => $rust->echoU8(256), '$value: expected a whole number from 0 to 255, got 256');
    foreach ([NAN, INF, -INF, -0.0, 0.1, 1e308] as $number) {
        same($number, $rust->echoF64($number), $tier);
    }
    thrown(ValueError::class, fn() => $rust->echoF32(1e300));
    same(1.5, $rust->echoF32(1.5));
    foreach (['', 'plain', "ä€😀\0\n", str_repeat('ä', 100_000)] as $text) {
        same($text, $rust->echoText($text), $tier);
        same($text, $rust->echoOwnedText($text), $tier);
    }
    foreach (["\xff", "ab\xc3", "\xed\xa0\x80"] as $text) {
        thrown(ValueError::class, fn() => $rust->echoText($text));
        same($text, $rust->echoBytes($text), $tier);
    }
    thrown(TypeError::class, fn() => $rust->echoText(5));
    thrown(TypeError::class, fn() => $rust->echoTexts(['a', 5]), '$values[1]: expected a string, got 5');
    thrown(TypeError::class, fn() => $rust->echoTexts(['key' => 'a']), 'expected a list');
    thrown(ValueError::class, fn() => $rust->echoU64s([1, -2]), '$values[1]');
    same(['10' => 1, '9' => 2, 'ä' => 3], $rust->echoMap(['ä' => 3, '9' => 2, '10' => 1]), $tier);
    thrown(TypeError::class, fn() => $rust->echoMap(['a' => 'b']), "\$values['a']");
    same(null, $rust->echoOption(null));
    same(null, $rust->echoOption());
    same('18446744073709551615', $rust->echoOption('18446744073709551615'));
    $corners = [new Point(1.0, 2.0), new Point(NAN, -0.0)];
    $shapes = [new ShapeEmpty(), new ShapeCircle(1.5), new ShapeLine(...$corners), new ShapePolygon($corners, Color::DarkBlue)];
    same($shapes, $rust->echoShapes($shapes), $tier);
    foreach (Color::cases() as $color) {
        holds($rust->echoColor($color) === $color, 'an enum is the same case');
    }
    $everything = new Everything(
        true, -8, 255, PHP_INT_MIN, '18446744073709551615', 7, 0.5, 0.1, "t\0", "\xff", null, $shapes[3], [1, 2],
        ['', "\0"], [[], [1.0]], ['a' => '18446744073709551614'], ['x' => $shapes, 'y' => []], Color::Red,
    );
    same($everything, $rust->echoEverything($everything), $tier);
    same(new Nothing(), $rust->echoNothing(new Nothing()), $tier);
    $keywords = new Keywords('t', 1, true, -1, 2, null);
    same($keywords, $rust->echoKeywords($keywords), $tier);
    same(new ReservedType(1, 2), $rust->echoReserved(new ReservedType(1, 2)), $tier);
    same([3, 4, 'url 5', 'URL 6', 'Url 7'], [
        $rust->with_(3), $rust->close_(4), $rust->get_url(5), $rust->get_URL_(6), $rust->getUrl(7),
    ], $tier);
    $rust->doNothing();
    same('harmless', $rust->hostileDocs());
}
// A baseline is an array of functions or an object.
$given = ['echoText' => fn(string $value): string => "own $value"];
$object = new class {
    public function echoText(string $value): string
    {
        return "own $value";
    }
};
foreach ([$given, $object, $object::class] as $baseline) {
    $own = is_string($baseline) ? new $baseline() : $baseline;
    same('own x', Rust::with(baseline: $own, tier: '0')->echoText('x'));
    same('own x', Rust::with(baselines: ['tuned' => $own], tier: '0:tuned')->echoText('x'));
}
$count = 0;
$free = Rust::with(baseline: ['echoText' => function (string $value) use (&$count): string {
    return ++$count . $value;
}], tier: '0:free');
same(['1a', '2b', '1a', 2], [$free->echoText('a'), $free->echoText('b'), $free->echoText('a'), $count]);
foreach (['0', '0:free', '1:spawn'] as $tier) {
    putenv("TIERUP_TIER=$tier");
    same($tier, Rust::with(baseline: $given)->tier());
}
putenv('TIERUP_TIER');
thrown(TypeError::class, fn() => Rust::with(baseline: 5), 'baseline is a function');
thrown(ValueError::class, fn() => Rust::with(tier: '5'), '5 is not a tier');
thrown(Conformance\UnavailableException::class, fn() => Rust::with(tier: '2:component'));
putenv('TIERUP_CALL_TIMEOUT=soon');
thrown(ValueError::class, fn() => Rust::with(tier: '1:pool'), 'TIERUP_CALL_TIMEOUT must be');
