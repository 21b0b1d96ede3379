<?php

// Samples each request of a server while the file `on` is beside this one. PHP runs it before the server's own script.
//
// The timer uses the thread's CPU time, so waiting does not count. The kernel checks such timers only at its ticks, and
// then reports how many periods have passed since the last check. A request's first sample also stands for requests
// that no tick has hit, so it counts whole ticks. There may be several, as ticks within one of PHP's own functions
// become one sample.
//
// In short requests, most ticks are lost, as their samples would be taken after the end. So this measures the process's
// CPU time from start to end of the server's scripts: all samples together stand for that. Recording a request costs
// more than a short request does. So a request is recorded with the probability of its time per {{written}}
// microseconds, and then counts as that time. The sum stays correct.
//
// Made by tierup for one run.

// A router script of `php -S` must run this file itself, as PHP does not. Where PHP does, once is enough.
if (defined('TIERUP_SAMPLES')) {
    return;
}
define('TIERUP_SAMPLES', true);

// This file replaces the server's own `auto_prepend_file`, which is looked for once.
if (!is_file(__DIR__ . '/own-' . PHP_SAPI)) {
    (static function (): void {
        $found = '';
        $scanned = array_map(trim(...), explode(',', (string) php_ini_scanned_files()));
        foreach (array_filter([(string) php_ini_loaded_file(), ...$scanned]) as $file) {
            $settings = dirname($file) === __DIR__ ? [] : @parse_ini_file($file);
            $found = (string) ($settings['auto_prepend_file'] ?? $found);
        }
        // Renaming is atomic: other processes look for the file, too.
        $written = __DIR__ . '/own-' . getmypid() . '.part';
        if (@file_put_contents($written, $found) !== false) {
            @rename($written, __DIR__ . '/own-' . PHP_SAPI);
        }
    })();
}
$GLOBALS['tierup_own_file'] = (string) @file_get_contents(__DIR__ . '/own-' . PHP_SAPI);

(static function (): void {
    if (!isset($_SERVER['REQUEST_METHOD']) || !extension_loaded('excimer') || !function_exists('getrusage')) {
        return;
    }
    // The process's CPU time, in microseconds.
    $cpu = static function (): int {
        $used = getrusage();
        $seconds = $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'];

        return $seconds * 1_000_000 + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
    };
    $entered = $cpu();
    $tick = (int) @file_get_contents(__DIR__ . '/on');
    if ($tick === 0) {
        return;
    }
    $profiler = new ExcimerProfiler();
    $profiler->setEventType(EXCIMER_CPU);
    $profiler->setPeriod({{microseconds}} / 1e6);
    $write = static function () use ($profiler, $tick, $cpu, $entered, &$began): void {
        $ended = $cpu();
        $profiler->stop();
        $name = static function (array $frame): string {
            $function = $frame['function'] ?? '{main}';
            $function = isset($frame['class']) ? "$frame[class]::$function" : $function;
            // The name must be the same at every line of the function.
            $line = $frame['closure_line'] ?? 0;
            $text = isset($frame['file']) ? "$function ($frame[file]:$line)" : $function;

            return str_replace([';', "\n", "\r", "\0"], '_', $text);
        };
        $lines = '';
        $isFirst = true;
        foreach ($profiler->getLog() as $entry) {
            $trace = $entry->getTrace();
            $periods = $entry->getEventCount();
            $weight = $isFirst ? max(1, (int) ceil($periods / $tick)) * $tick : max($tick, $periods);
            $isFirst = false;
            if ($trace !== [] && ($trace[0]['file'] ?? '') !== __FILE__) {
                $lines .= implode(';', array_map($name, array_reverse($trace))) . " $weight\n";
            }
        }
        [$ofScripts, $ofSensor] = [$ended - $began, $began - $entered + $cpu() - $ended];
        $written = max(1, $ofScripts + $ofSensor, {{written}});
        // mt_rand() may have been seeded by the server.
        if (random_int(1, $written) <= $ofScripts + $ofSensor) {
            $factor = $written / ($ofScripts + $ofSensor);
            $lines .= sprintf("%d %d %d counted\n", $ended, $ofScripts * $factor, $ofSensor * $factor);
        }
        // After a block ends, its stacks have already been read.
        if ($lines !== '' && file_exists(__DIR__ . '/on')) {
            @file_put_contents(__DIR__ . '/stacks-' . getmypid(), $lines, FILE_APPEND);
        }
    };
    // This runs after the server's shutdown functions, so that they are sampled, too.
    register_shutdown_function(static fn() => register_shutdown_function($write));
    $profiler->start();
    $began = $cpu();
})();

if (!in_array($GLOBALS['tierup_own_file'], ['', 'none'], true)) {
    require $GLOBALS['tierup_own_file'];
}
unset($GLOBALS['tierup_own_file']);
