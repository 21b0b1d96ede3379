<?php

// Samples each request of a server while the file `on` is beside this one. PHP runs it before the server's own script.
//
// The timer goes by the clock: one of a thread's CPU time fires at ticks of the kernel only, which most requests are too short
// to see. Each sample counts by the CPU time that was used since the one before it, so that waiting does not count.
//
// Made by tierup for one run.

(static function (): void {
    if (!isset($_SERVER['REQUEST_METHOD']) || !extension_loaded('excimer') || !file_exists(__DIR__ . '/on')) {
        return;
    }
    $seconds = {{microseconds}} / 1e6;
    $cpu = static function (): float {
        $used = getrusage();
        return $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'] + ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e6;
    };
    [$stacks, $usedBefore, $before] = [[], $cpu(), hrtime(true)];
    $count = static function (ExcimerLog $log) use (&$stacks, &$usedBefore, &$before, $cpu): void {
        [$used, $now] = [$cpu(), hrtime(true)];
        $share = min(1.0, 1e9 * ($used - $usedBefore) / max(1, $now - $before));
        [$usedBefore, $before] = [$used, $now];
        foreach ($log as $entry) {
            $stacks[] = [$entry->getTrace(), $share * $entry->getEventCount()];
        }
    };
    $profiler = new ExcimerProfiler();
    $profiler->setEventType(EXCIMER_REAL);
    // It begins at a random moment of the first period.
    $profiler->setPeriod($seconds);
    $profiler->setFlushCallback($count, 1);
    $profiler->start();
    $write = static function () use ($profiler, $count, &$stacks): void {
        $profiler->stop();
        $count($profiler->getLog());
        $name = static function (array $frame): string {
            $function = $frame['function'] ?? '{main}';
            $function = isset($frame['class']) ? "$frame[class]::$function" : $function;
            // The same name at every line of the function.
            $line = $frame['closure_line'] ?? 0;
            $text = isset($frame['file']) ? "$function ($frame[file]:$line)" : $function;

            return str_replace([';', "\n", "\r", "\0"], '_', $text);
        };
        $lines = '';
        foreach ($stacks as [$trace, $weight]) {
            if ($weight > 0 && $trace !== [] && ($trace[0]['file'] ?? '') !== __FILE__) {
                $frames = ['process ' . getmypid() . ':"php"', ...array_map($name, array_reverse($trace))];
                $lines .= implode(';', $frames) . sprintf(" %.4F\n", $weight);
            }
        }
        // Not after the end of a block: its stacks have been read.
        if ($lines !== '' && file_exists(__DIR__ . '/on')) {
            @file_put_contents(__DIR__ . '/stacks-' . getmypid(), $lines, FILE_APPEND);
        }
    };
    // After the shutdown functions of the server, which are samples too.
    register_shutdown_function(static fn() => register_shutdown_function($write));
})();

// The server's own file of this kind, which this one stands in for. It is looked for once.
if (!is_file(__DIR__ . '/own-' . PHP_SAPI)) {
    (static function (): void {
        $found = '';
        $scanned = array_map(trim(...), explode(',', (string) php_ini_scanned_files()));
        foreach (array_filter([(string) php_ini_loaded_file(), ...$scanned]) as $file) {
            $settings = dirname($file) === __DIR__ ? [] : @parse_ini_file($file);
            $found = (string) ($settings['auto_prepend_file'] ?? $found);
        }
        // In one step, as other processes look for it too.
        $written = __DIR__ . '/own-' . getmypid() . '.part';
        if (@file_put_contents($written, $found) !== false) {
            @rename($written, __DIR__ . '/own-' . PHP_SAPI);
        }
    })();
}
if (!in_array($GLOBALS['tierup_own_file'] = (string) @file_get_contents(__DIR__ . '/own-' . PHP_SAPI), ['', 'none'], true)) {
    require $GLOBALS['tierup_own_file'];
}
unset($GLOBALS['tierup_own_file']);
