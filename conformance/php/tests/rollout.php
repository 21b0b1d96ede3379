<?php

// TIERUP_ROLLOUT in PHP alone: requests, forks, handlers of signals and warnings, text that is not UTF-8. What all languages promise
// is in crates/tierup/tests/conformance/rollout.rs.

declare(strict_types=1);

use Conformance\Rust;

require __DIR__ . '/../check.php';
require __DIR__ . '/../served.php';
require __DIR__ . '/../Different.php';

const SHADOW = "candidate=3:native\nshadow=1\nkeep=values\n";
const SHARE = "candidate=3:native\nshare=1\n";
const KINDS = ['calls', 'sampled', 'too_large', 'refused', 'dropped', 'shared', 'erred', 'errors', 'panics', 'timeouts', 'lost'];

// Messages of the package go to a file. A check that fails is to be seen.
ini_set('display_errors', 'stderr');
if (!extension_loaded('tierup_conformance')) {
    fwrite(STDERR, "not tested: the extension of 3:native is not loaded\n");
    exit(0);
}

$folder = sys_get_temp_dir() . '/tierup-conformance-rollout-' . getmypid();
mkdir($folder, 0700);
$owner = getmypid();
register_shutdown_function(static fn() => getmypid() === $owner && exec('rm -rf ' . escapeshellarg($folder)));
$path = '';

/** Begins with a file of its own. */
function begin(string $lines): string
{
    global $folder, $path;
    static $number = 0;
    $path = "$folder/" . ++$number;
    file_put_contents($path, $lines);
    putenv("TIERUP_ROLLOUT=$path");

    return $path;
}

function replace(string $lines): void
{
    global $path;
    file_put_contents("$path.part", $lines);
    rename("$path.part", $path);
}

/** The baseline under a control file with these lines, ready, in this process. What is printed goes to `$path.said`. */
function bound(string $lines): Rust
{
    $path = begin($lines);
    ini_set('error_log', "$path.said");
    $rust = Rust::with(baseline: Different::class, tier: '0');
    $rust->ready();

    return $rust;
}

function said(): string
{
    global $path;

    return (string) @file_get_contents("$path.said");
}

/** The first lines of evidence, and the calls kept. */
function evidence(): array
{
    global $path;
    [$first, $kept] = [[], []];
    foreach (glob("$path.evidence/*.jsonl") as $file) {
        $lines = explode("\n", trim((string) @file_get_contents($file)));
        $first[] = json_decode(array_shift($lines), true) ?? [];
        $kept = [...$kept, ...$lines];
    }
    return [$first, $kept];
}

/** A kind of count, summed over all files. */
function counted(string $kind): int
{
    return array_sum(array_map(fn($one) => $one['host'][$kind] ?? $one[$kind] ?? 0, evidence()[0]));
}

/** All counts of calls that are not 0. */
function host(): array
{
    $hosts = array_column(evidence()[0], 'host');

    return array_filter(array_combine(KINDS, array_map(fn($kind) => array_sum(array_column($hosts, $kind)), KINDS)));
}

/** PHP has no thread that would write what was counted: a call does so, or `ready()`. */
function compared(int $count): void
{
    global $c;
    eventually(fn() => $c->ready() ?? counted('compared') === $count, "$count calls should be compared: " . json_encode(evidence()));
}

/** Runs code in a PHP of its own: `$c` is the baseline. Returns what it prints, what it says and its status. */
function script(string $code): array
{
    global $path;
    $files = [__DIR__ . '/../check.php', __DIR__ . '/../Different.php'];
    $own = implode('', array_map(fn($file) => 'require ' . var_export($file, true) . ";\n", $files))
        . "\$c = Conformance\\Rust::with(baseline: Different::class, tier: '0'); \$c->ready();\n";
    $artifacts = realpath(__DIR__ . '/../../.tierup/php/artifacts');
    $command = ['timeout', '300', PHP_BINARY, '-d', "extension=$artifacts/native.so", '-r', $own . $code];
    // A companion that it starts keeps standard error open, and may outlive it.
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', "$path.errors", 'w']], $pipes);
    $out = stream_get_contents($pipes[1]);
    while (($status = proc_get_status($process))['running']) {
        usleep(1000);
    }
    return [$out, file_get_contents("$path.errors"), $status];
}

/** What code prints that must succeed. */
function answers(string $lines, string $code, string $words = ''): string
{
    begin($lines);
    [$out, $errors, $status] = script($code);
    same(0, $status['exitcode'], $errors . json_encode($status));
    holds(str_contains($errors, $words), "`$words` is not in: $errors");

    return $out;
}

// What Rust would refuse is counted, and is the control's.
$c = bound(SHADOW);
same('own words for it', thrown(DomainException::class, fn() => $c->fail('it'))->getMessage());
same("\xff", $c->echoText("\xff"));
same(':-)', $c->echoText('😀'));
compared(2);
$c->ready();
same(['calls' => 3, 'sampled' => 3, 'refused' => 1], host());
same(1, count(evidence()[1]));
holds(str_contains(json_encode(evidence()), 'echoText: $text: expected a string in UTF-8'), json_encode(evidence()));
same([3, 1, 0], [$c->metrics()['calls'], $c->metrics()['errors'], $c->metrics()['panics']]);
// Values are forgotten with the line that asks for them.
replace("candidate=3:native\nshadow=1\n");
$c->ready();
$c->ready();
holds(!str_contains(json_encode(evidence()[0]), 'expected'), json_encode(evidence()));
same("\xff", $c->echoText("\xff"));
same(':-)', $c->echoText('😀'));
compared(3);
same(1, count(evidence()[1]), 'no value is written unless the control file asks for it');

// A call is counted once, whoever answers.
$c = bound(SHARE);
same(['X', "\xff"], [$c->panicIf(true, 'x'), $c->echoText("\xff")]);
thrown(DomainException::class, fn() => $c->fail('it'), 'own words');
same([3, 1, 0], [$c->metrics()['calls'], $c->metrics()['errors'], $c->metrics()['panics']]);
$c->ready();
same(['calls' => 3, 'refused' => 1, 'shared' => 3, 'errors' => 1, 'panics' => 1], host());

// A folder that others can write in: their link could lead to any file.
$c = bound(SHARE);
$counts = glob("$path.evidence/*.jsonl")[0];
exec('rm ' . escapeshellarg("$path.evidence") . '/*');
chmod("$path.evidence", 0777);
file_put_contents("$path.own", 'own');
symlink("$path.own", $counts);
$c->ready();
same([':-)', 'own'], [$c->echoText('😀'), file_get_contents("$path.own")]);

$die = "echo \$c->hangOn('deeply');";
// A process that began before two forked children died in a call of the candidate stops, too.
begin(SHARE);
$two = "for (\$number = 0; \$number < 2; \$number++) { if (pcntl_fork() === 0) { \$c->echoText('a'); $die exit; } pcntl_wait(\$status); }";
same('6', answers(SHARE, "\$c->echoText('a'); $two sleep(2); $die", '2 processes died in a call of 3:native '));

// A folder that cannot be written in changes nothing for callers, nor do a server's own handler of warnings or its seed.
begin('');
file_put_contents("$path.evidence", '');
$code = 'set_error_handler(function ($level, $words) { echo $words; throw new Exception($words); }); echo $c->echoText("a"), $c->hangOn("deeply"), error_get_last() === null;';
file_put_contents($path, SHARE . "shadow=1\n");
[$out, $errors, $status] = script($code);
same(['a61', 0], [$out, $status['exitcode']], $errors);
same(1, substr_count($errors, "nothing can be counted in $path.evidence, which"), $errors);
same('a', answers(SHADOW, 'set_error_handler(fn() => throw new Exception("own")); unlink(getenv("TIERUP_ROLLOUT")); sleep(1); echo $c->echoText("a");'));
same((string) (mt_srand(7) ?? mt_rand()), answers(SHADOW, 'mt_srand(7); $c->echoText("a"); echo mt_rand();'));

// A signal's handler calls in the middle of calls, and ends some.
$code = <<<'PHP'
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn() => $c->echoText("b") === "b" || exit(9));
$parent = getmypid();
$sender = pcntl_fork();
if ($sender === 0) {
    while (posix_getppid() === $parent && posix_kill($parent, SIGUSR1)) usleep(300);
    exit;
}
for ($number = 0; $number < 30_000; $number++) $c->echoText("a") === "a" || exit(8);
$isArmed = false;
pcntl_signal(SIGUSR1, function () use (&$isArmed) {
    if ($isArmed) {
        $isArmed = false;
        throw new OverflowException;
    }
});
for ($caught = 0; $caught < 100;) {
    try {
        $isArmed = true;
        while (true) $c->echoText("a") === "a" || exit(7);
    } catch (OverflowException) {
        $caught++;
    }
}
// However often a handler throws as signals are put off, they come again.
for ($caught = 0; $caught < 3000;) {
    try {
        $isArmed = true;
        while (pcntl_async_signals() || exit(6)) Conformance\Internal\Quiet::run(fn() => 1);
    } catch (OverflowException) {
        $caught++;
    }
}
posix_kill($sender, SIGKILL);
pcntl_waitpid($sender, $status);
echo $c->echoText("a"), file_get_contents(glob(getenv("TIERUP_ROLLOUT") . ".evidence/$parent-*.call")[0], length: 1);
PHP;
same('a0', answers("candidate=3:native\nshare=0.5\nshadow=1\n", $code));

// A call that PHP ends in the middle is no death.
answers(SHARE, 'function handler() { exit; } pcntl_async_signals(true); pcntl_signal(SIGALRM, "handler"); pcntl_alarm(1); while (true) $c->echoText("a");');
same([], glob("$path.evidence/*.{call,died}", GLOB_BRACE));

// Bindings in forked children count for themselves.
$c = bound("candidate=3:native\nshadow=0.1\nshare=0.5\n");
for ($child = 0; $child < 4; $child++) {
    if (pcntl_fork() === 0) {
        for ($number = 0; $number < 500; $number++) {
            same('a', $c->echoText('a'));
        }
        exit(0);
    }
}
for ($child = 0; $child < 4; $child++) {
    pcntl_wait($status);
    same(0, $status);
}
$c->echoText('a');
$c->ready();
same(2001, counted('calls'));

// PHP-FPM and `php -S` with several workers: a request knows nothing of the one before, and yet all are counted, a candidate
// that fails gets no more calls, and after two deaths all workers ask the control.
function rolledOut(string $port, int $workers): void
{
    global $path;
    replace("candidate=3:native\nshadow=0.5\nshare=0.3\n");
    $before = host()['calls'] ?? 0;
    inParallel(4, function (int $client) use ($port): void {
        for ($number = 0; $number < 150; $number++) {
            same([200, "$client-$number"], asked($port, "/echo?value=$client-$number"));
        }
    });
    eventually(fn() => host()['calls'] === $before + 600, 'calls are not counted: ' . json_encode(host()));
    $host = host();
    holds($host['shared'] > 100 && $host['sampled'] > 100, json_encode($host));
    // What was compared is written when a call comes a second later.
    eventually(fn() => asked($port, '/echo?value=x')[1] === 'x' && counted('compared') > 100, 'nothing is compared');
    same(0, counted('different'));

    replace(SHARE);
    $before = host()['shared'];
    for ($number = 0; $number < 150 * $workers; $number++) {
        same([200, "x$number"], asked($port, "/panic-if?value=x$number"));
    }
    // Each request sees the control file at once.
    holds(host()['shared'] - $before <= 100 * $workers, 'the candidate is still called: ' . json_encode(host()));
    replace(SHARE . "generation=2\n");
    same([200, '😀'], asked($port, '/echo?value=%F0%9F%98%80'), 'a new file');
    unlink($path);
    same([200, ':-)'], asked($port, '/echo?value=%F0%9F%98%80'), 'no file');
}

$path = begin(SHARE);
[$process, $port] = server(['TIERUP_TIER' => '0', 'TIERUP_WORKERS' => '4']);
rolledOut($port, 4);
replace(SHARE . "generation=3\n");
for ($number = 0; $number < 12; $number++) {
    same([200, 'x'], asked($port, '/echo?value=x'));
}
$deaths = fn() => count(glob("$path.evidence/*.died"));
for ($number = 0; $number < 30 && asked($port, '/deep') !== [200, '6']; $number++) {
    // A process looks for deaths once a second.
    sleep(1);
}
same(2, $deaths());
for ($number = 0; $number < 30; $number++) {
    same([200, '6'], asked($port, '/deep'));
}
stopped($process);

$path = begin(SHARE);
$port = freePort();
$extension = realpath(__DIR__ . '/../../.tierup/php/artifacts/native.so');
$environment = ['TIERUP_TIER' => '0', 'PHP_CLI_SERVER_WORKERS' => '4'] + getenv();
$command = [PHP_BINARY, '-q', '-d', "extension=$extension", '-S', "127.0.0.1:$port", __DIR__ . '/../index.php'];
$process = proc_open($command, [STDIN, ['file', '/dev/null', 'w'], ['file', "$path.said", 'w']], $pipes, null, $environment);
register_shutdown_function(static function () use ($process, $owner): void {
    $server = proc_get_status($process)['pid'];
    getmypid() === $owner && array_map(fn($one) => posix_kill($one, SIGTERM), [...array_keys(descendants($server)), $server]);
});
eventually(fn() => @asked($port, '/tier')[0] === 200, 'the server does not answer');
rolledOut($port, 5);
same(1, substr_count(said(), 'it cannot be opened'), said());
