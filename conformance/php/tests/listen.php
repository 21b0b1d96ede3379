<?php

// The program of 1:pool, where it has no file descriptors left: it waits, without keeping a processor busy, and goes on.

declare(strict_types=1);

use Conformance\Internal\{Built, Calls};

require __DIR__ . '/../check.php';

/** The processor time that a process has used, in clock ticks, of which a second has 100. */
function ticks(int $process): int
{
    $text = (string) file_get_contents("/proc/$process/stat");
    $fields = explode(' ', substr($text, strrpos($text, ')') + 2));

    return (int) $fields[11] + (int) $fields[12];
}

$socket = sys_get_temp_dir() . '/conformance-listen-' . getmypid() . '.sock';
$command = ['prlimit', '--nofile=20:100', Built::program(), '--tierup-listen', $socket, Calls::ABI];
$process = proc_open($command, [['file', '/dev/null', 'r'], STDERR, STDERR], $pipes);
register_shutdown_function(function () use ($process, $socket): void {
    proc_terminate($process, SIGKILL);
    proc_close($process);
    @unlink($socket);
});
$program = proc_get_status($process)['pid'];
eventually(fn() => @stream_socket_client("unix://$socket") !== false, 'the program does not listen');

// With this limit the program, which keeps what it has, gets no descriptor for another connection.
exec("prlimit --pid $program --nofile=1:100", result_code: $code);
same(0, $code, 'prlimit');
$waiting = stream_socket_client("unix://$socket");
stream_set_timeout($waiting, 2);
$before = ticks($program);
same('', (string) fread($waiting, 8), 'nobody can have taken the connection');
holds(stream_get_meta_data($waiting)['timed_out'], 'the connection waits');
// One that tries again and again takes 100 to 200.
$used = ticks($program) - $before;
holds($used < 20, "the program used $used ticks while it waited");

exec("prlimit --pid $program --nofile=20:100", result_code: $code);
same(0, $code, 'prlimit');
stream_set_timeout($waiting, 60);
same(Calls::ABI, bin2hex(strrev((string) fread($waiting, 8))), 'the connection is served');
