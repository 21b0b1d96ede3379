<?php

// TIERUP_ROLLOUT: the control's answers reach every caller, whatever the candidate, the disk or the companion does. Answers that
// differ are found.

declare(strict_types=1);

use Conformance\Internal\{Built, Calls};
use Conformance\Rust;

require __DIR__ . '/../check.php';
require __DIR__ . '/../served.php';

const SHADOW = "candidate=3:native\nshadow=1\nkeep=values\n";
const SHARE = "candidate=3:native\nshare=1\n";
const KINDS = ['calls', 'sampled', 'too_large', 'refused', 'dropped', 'shared', 'erred', 'errors', 'panics', 'timeouts', 'lost'];

// Messages of the package go to a file. A check that fails is to be seen.
ini_set('display_errors', 'stderr');
if (!extension_loaded('tierup_conformance')) {
    fwrite(STDERR, "not tested: the extension of 3:native is not loaded\n");
    exit(0);
}

/** Functions of a server: like those in Rust, but for some inputs. */
final class Own
{
    public function echoText(string $text): string
    {
        return $text === '😀' ? ':-)' : $text;
    }

    public function panicIf(bool $condition, string $text): string
    {
        return strtoupper($text);
    }

    public function fail(string $words): string
    {
        throw new DomainException("own words for $words");
    }

    public function hangOn(string $word): int
    {
        return $word === 'changed' ? 0 : strlen($word);
    }

    public function makeBytes(int $length): string
    {
        return str_repeat("\0", min($length, 100));
    }

    public function echoTexts(array &$texts): array
    {
        $answer = $texts;
        $texts = [];

        return $answer;
    }

    public function echoBytes(string $content): string
    {
        return $content;
    }

    public function countCalls(): int
    {
        return 0;
    }
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
    $rust = Rust::with(baseline: new Own(), tier: '0');
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
        same(0600, fileperms($file) & 0777, $file);
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

/** Sends a signal to processes of this host's own program. Other hosts' tests may run at the same time. */
function signal(int $signal, string $which): int
{
    $count = 0;
    foreach (glob('/proc/[0-9]*') as $one) {
        $command = (string) @file_get_contents("$one/cmdline");
        if (str_starts_with($command, Built::program() . "\0") && preg_match($which, $command) === 1) {
            $count += (int) posix_kill((int) basename($one), $signal);
        }
    }
    return $count;
}

/** Runs code in a PHP of its own: `$c` is the baseline. Returns what it prints, what it says and its status. */
function script(string $code): array
{
    global $path;
    $source = file(__FILE__);
    $class = new ReflectionClass(Own::class);
    $own = 'require ' . var_export(__DIR__ . '/../check.php', true) . ";\n"
        . implode('', array_slice($source, $class->getStartLine() - 1, $class->getEndLine() - $class->getStartLine() + 1))
        . "\$c = Conformance\\Rust::with(baseline: new Own(), tier: '0'); \$c->ready();\n";
    $artifacts = realpath(__DIR__ . '/../../.tierup/php/artifacts');
    $command = [PHP_BINARY, '-d', "extension=$artifacts/native.so", '-r', $own . $code];
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

// What differs is found, and nothing else.
$c = bound(SHADOW);
foreach (['a', '', "ä\n"] as $text) {
    same($text, $c->echoText($text));
}
same(':-)', $c->echoText('😀'));
// The candidate panics in the first call.
same(['X', 'X'], [$c->panicIf(true, 'x'), $c->panicIf(false, 'x')]);
// Errors with different messages are alike. The caller gets the server's own error.
same('own words for it', thrown(DomainException::class, fn() => $c->fail('it'))->getMessage());
// The control changes its arguments. The candidate gets them unchanged.
same(['a', 'b'], $c->echoTexts(['a', 'b']));
// `countCalls` is not pure, so it is not compared.
same(0, $c->countCalls());
// Nor are these calls: Rust would refuse the text, and the bytes are too large.
same("\xff", $c->echoText("\xff"));
foreach ([65_533, 1 << 20] as $size) {
    same($size, strlen($c->echoBytes(str_repeat('x', $size))));
}
same(2, count($c->echoTexts(array_fill(0, 2, str_repeat('x', 50_000)))));
compared(8);
same(60_000, strlen($c->echoText(str_repeat('x', 60_000))));
compared(9);
same([14, 1, 0], [$c->metrics()['calls'], $c->metrics()['errors'], $c->metrics()['panics']]);
$c->ready();
same(['calls' => 13, 'sampled' => 13, 'too_large' => 3, 'refused' => 1], host());
same([9, 7, 2, 1, 0, 0], array_map(counted(...), ['compared', 'alike', 'different', 'panics', 'timeouts', 'deaths']));
same(2, count(evidence()[1]));
holds(str_contains(json_encode(evidence()), 'echoText: $text: expected a string in UTF-8'), json_encode(evidence()));
same(0700, fileperms("$path.evidence") & 0777);
// Values are forgotten with the line that asks for them.
replace("candidate=3:native\nshadow=1\n");
$c->ready();
$c->ready();
holds(!str_contains(json_encode(evidence()[0]), 'expected'), json_encode(evidence()));
same("\xff", $c->echoText("\xff"));
same(':-)', $c->echoText('😀'));
compared(10);
same(2, count(evidence()[1]), 'no value is written unless the control file asks for it');

// The control answers whatever panics. The candidate is still called, as no more than half of its calls panic.
$c = bound(SHARE);
for ($number = 0; $number < 1000; $number++) {
    same(["X$number", 'X', 'X'], [$c->panicIf(true, "x$number"), $c->panicIf(false, 'x'), $c->panicIf(false, 'x')]);
}
same('😀', $c->echoText('😀'), 'the candidate answers');
thrown(DomainException::class, fn() => $c->fail('it'), 'own words');
same("\xff", $c->echoText("\xff"));
same([3003, 1, 0], [$c->metrics()['calls'], $c->metrics()['errors'], $c->metrics()['panics']]);
$c->ready();
same(['calls' => 3003, 'refused' => 1, 'shared' => 3003, 'errors' => 1, 'panics' => 1000], host());
holds(!str_contains(said(), 'failed at'), said());

// A candidate that fails in more than half of its calls gets no more, until the file changes.
$c = bound(SHARE);
for ($number = 0; $number < 300; $number++) {
    same('X', $c->panicIf(true, 'x'));
}
same(':-)', $c->echoText('😀'), 'the control answers');
$c->ready();
same(':-)', $c->echoText('😀'), 'the same file is read once more');
same(100, host()['shared']);
replace(SHARE . "generation=2\n");
$c->ready();
same('😀', $c->echoText('😀'), 'the candidate is asked again');
holds(str_contains(said(), '100 of 100 calls failed at 3:native, so the control answers until the control file changes'), said());

// The same input stays with its side, the same one as in other languages: `hmac.new(key, b"14 " + arguments, "sha256")`.
$c = bound("candidate=3:native\nshare=0.5\nby=input\nkey=secret\n");
foreach (['secret' => '10111110100100011011001110111010', str_repeat('k', 70) => '00101010101001110011100000101101'] as $key => $expected) {
    replace("candidate=3:native\nshare=0.5\nby=input\nkey=$key\n");
    $c->ready();
    $rollout = (new ReflectionProperty($c, 'variant'))->getValue($c);
    $rollout = (new ReflectionProperty($rollout, 'rollout'))->getValue($rollout);
    same('echoText', Calls::NAMES[14]);
    same($expected, implode('', array_map(fn($text) => (int) $rollout->isShared($rollout->inForce('0'), 14, ["$text"]), range(0, 31))));
}

// A file that is missing, cut, wrong or over means the control.
$lines = SHARE . "until=4102444800\n";
$whole = "{$lines}checksum=" . substr(hash('sha256', $lines), 0, 16) . "\n";
$c = bound($whole);
foreach ([
    'its last line has no end: it may be cut' => substr($whole, 0, -9),
    'its checksum does not fit the lines above it' => str_replace('share=1', 'share=0.9', $whole),
    '`share` must be a number from 0 to 1, such as 0.01, got `1.5`' => str_replace('1', '1.5', SHARE),
    '`candidate` must be a variant in Rust, such as 3:native, got `0:tuned`' => "candidate=0:tuned\nshare=1\n",
    'its judge has not renewed it: `until` is over' => SHARE . "until=1\n",
    '`until` must be a number' => SHARE . "until=nan\n",
    'it has more than 4096 bytes' => SHARE . str_repeat("#\n", 2048),
    'it cannot be opened' => null,
] as $words => $text) {
    same('😀', $c->echoText('😀'), 'the candidate does not answer');
    $text === null ? unlink($path) : replace($text);
    eventually(fn() => $c->echoText('😀') === ':-)', "the control does not answer: $words");
    same(1, substr_count(said(), " is not obeyed, so the control answers every call: $words"), said());
    replace($whole);
    eventually(fn() => $c->echoText('😀') === '😀', 'the candidate does not answer again');
}
// A pipe is not waited for.
unlink($path);
posix_mkfifo($path, 0600);
eventually(fn() => $c->echoText('😀') === ':-)', 'the control does not answer: a pipe');
unlink($path);

// Somebody removes the folder: deaths and counts are in a new one.
$c = bound(SHARE);
same('😀', $c->echoText('😀'));
exec('rm -r ' . escapeshellarg("$path.evidence"));
$c->ready();
same('😀', $c->echoText('😀'));
$c->ready();
same(1, host()['calls']);
same(1, count(glob("$path.evidence/*.call")));

// A folder that others can write in: their link could lead to any file.
$c = bound(SHARE);
$counts = glob("$path.evidence/*.jsonl")[0];
exec('rm ' . escapeshellarg("$path.evidence") . '/*');
chmod("$path.evidence", 0777);
file_put_contents("$path.own", 'own');
symlink("$path.own", $counts);
$c->ready();
same([':-)', 'own'], [$c->echoText('😀'), file_get_contents("$path.own")]);

// Calls that hang or die are found beside the server.
putenv('TIERUP_CALL_TIMEOUT=3');
signal(SIGTERM, '/--tierup-background/');
$c = bound(SHADOW);
same([6, 6, 4], array_map($c->hangOn(...), ['really', 'deeply', 'fine']));
same(100, strlen($c->makeBytes(1 << 20)));
compared(4);
same([1, 3, 1, 1], array_map(counted(...), ['alike', 'different', 'timeouts', 'deaths']));
putenv('TIERUP_CALL_TIMEOUT');

// After two deaths in a call of the candidate, processes start at the control. A process that is killed between two calls does
// not count. The mark is also written in a forked child.
begin(SHARE);
$die = "echo \$c->hangOn('deeply');";
holds(script($die)[2]['signaled'], 'the first lives');
script('$c->echoText("a"); posix_kill(getmypid(), SIGKILL);');
same('died', script("if (pcntl_fork() === 0) { $die exit; } pcntl_wait(\$status); echo pcntl_wifsignaled(\$status) ? 'died' : 'lives';")[0]);
[$out, $errors, $status] = script($die);
same(['6', 0], [$out, $status['exitcode']], $errors);
holds(str_contains($errors, '2 processes died in a call of 3:native '), $errors);
replace(SHARE . "generation=2\n");
holds(script($die)[2]['signaled'], 'a new generation');
same([], glob("$path.evidence/*.call.died"));
// A process that began before the deaths stops, too.
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
posix_kill($sender, SIGKILL);
pcntl_waitpid($sender, $status);
echo $c->echoText("a"), file_get_contents(glob(getenv("TIERUP_ROLLOUT") . ".evidence/$parent-*.call")[0], length: 1);
PHP;
same('a0', answers("candidate=3:native\nshare=0.5\nshadow=1\n", $code));

// Killed and stopped companions and workers change nothing for callers.
$c = bound(SHADOW);
$large = str_repeat("\0", 60_000);
$hit = 0;
for ($number = 0; $number < 10; $number++) {
    $hit += signal($number % 2 === 0 ? SIGKILL : SIGSTOP, '/--tierup-(background|connection)/');
    for ($call = 0; $call < 50; $call++) {
        same(['a', 60_000], [$c->echoText('a'), strlen($c->echoBytes($large))]);
    }
    usleep(300_000);
    signal(SIGCONT, '/--tierup-(background|connection)/');
}
holds($hit > 2, "only $hit signals");
$before = counted('compared');
eventually(fn() => $c->echoText('a') === 'a' && counted('compared') > $before + 10, 'it is not there again');
$c->ready();
same(counted('calls'), counted('sampled'));

// A candidate is not compared with itself. A call that PHP ends in the middle is no death.
$path = begin(SHARE . "shadow=1\n");
$rust = Rust::with(tier: '3:native');
same('a', $rust->echoText('a'));
$rust->ready();
same([], host());
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
