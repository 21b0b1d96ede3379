<?php

// QR codes over HTTP: PHP-FPM behind nginx, both configured here. Settings come from the environment: HOST, PORT and
// TIERUP_WORKERS (children of PHP-FPM), and what the package reads itself, TIERUP_TIER above all. SIGTERM stops all of it.

declare(strict_types=1);

require __DIR__ . '/../.tierup/php/autoload.php';

$host = getenv('HOST') ?: '127.0.0.1';
$port = getenv('PORT') ?: '42069';
$workers = getenv('TIERUP_WORKERS') ?: trim((string) shell_exec('nproc')) ?: '2';
// Before anything is started: a signal that comes meanwhile stops that, too.
$stopped = false;
pcntl_async_signals(true);
foreach ([SIGTERM, SIGINT] as $signal) {
    pcntl_signal($signal, function () use (&$stopped): void {
        $stopped = true;
    });
}
$folder = sys_get_temp_dir() . '/qr-php-' . bin2hex(random_bytes(6));
mkdir($folder, 0700) || exit(1);
$isRoot = posix_geteuid() === 0;
$user = posix_getpwuid(posix_geteuid())['name'];
file_put_contents("$folder/fpm.conf", implode("\n", [
    '[global]',
    'daemonize = no',
    'process_control_timeout = 10',
    'error_log = /proc/self/fd/2',
    '[www]',
    ...($isRoot ? ["user = $user", "group = $user"] : []),
    "listen = $folder/fpm.sock",
    'listen.backlog = 511',
    'pm = static',
    "pm.max_children = $workers",
    'clear_env = no',
    'catch_workers_output = yes',
    '',
]));
file_put_contents("$folder/nginx.conf", implode("\n", [
    ...($isRoot ? ["user $user;"] : []),
    'daemon off;',
    "worker_processes $workers;",
    'worker_shutdown_timeout 10;',
    "pid $folder/nginx.pid;",
    'error_log stderr error;',
    'events { worker_connections 1024; }',
    'http {',
    '    access_log off;',
    ...array_map(fn($name) => "    {$name}_temp_path $folder/$name;", ['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi']),
    '    server_tokens off;',
    '    keepalive_requests 1000000;',
    // The query string may be as long as in other servers.
    '    large_client_header_buffers 4 64k;',
    '    server {',
    "        listen $host:$port;",
    '        location / {',
    "            fastcgi_pass unix:$folder/fpm.sock;",
    '            fastcgi_param SCRIPT_FILENAME ' . __DIR__ . '/public/index.php;',
    '            fastcgi_param REQUEST_METHOD $request_method;',
    '            fastcgi_param REQUEST_URI $request_uri;',
    '            fastcgi_param QUERY_STRING $query_string;',
    '            fastcgi_param CONTENT_TYPE $content_type;',
    '            fastcgi_param CONTENT_LENGTH $content_length;',
    '        }',
    '    }',
    '}',
    '',
]));
$options = [];
foreach (glob(__DIR__ . '/../.tierup/php/artifacts/*.so') as $extension) {
    array_push($options, '-d', "extension=$extension");
}
if (in_array(getenv('TIERUP_TIER'), ['1', '1:pool'], true)) {
    // Workers are children of this process, and end with it.
    $pool = Qr\Pool::start();
}
$fpm = '/usr/sbin/php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
$commands = [
    [$fpm, '-F', ...($isRoot ? ['-R'] : []), '-y', "$folder/fpm.conf", ...$options],
    ['nginx', '-e', 'stderr', '-c', "$folder/nginx.conf"],
];
$children = [];
foreach ($commands as $command) {
    if ($stopped) {
        break;
    }
    $children[] = proc_open($command, [['file', '/dev/null', 'r'], STDERR, STDERR], $pipes);
    // nginx answers for PHP-FPM as soon as it listens, so it begins when there is somebody to ask.
    for ($round = 0; $round < 1000 && !$stopped && !file_exists("$folder/fpm.sock"); $round++) {
        if (!proc_get_status($children[0])['running']) {
            break;
        }
        usleep(10_000);
    }
}
$stopped || fprintf(STDERR, "listening on http://%s:%s (%s workers)\n", $host, $port, $workers);
while (!$stopped && array_product(array_map(fn($child) => (int) proc_get_status($child)['running'], $children)) === 1) {
    usleep(100_000);
}
// What is being answered is finished: nginx first takes no more requests, and PHP-FPM ends when nothing comes any more.
foreach (array_reverse($children) as $child) {
    proc_terminate($child, SIGQUIT);
    proc_close($child);
}
exec('rm -rf ' . escapeshellarg($folder));
