<?php

// Serves `index.php` with PHP-FPM behind nginx: PORT, TIERUP_WORKERS (children of FPM). SIGTERM stops all of it.

declare(strict_types=1);

require __DIR__ . '/../.tierup/php/autoload.php';

$port = getenv('PORT') ?: '8080';
$workers = getenv('TIERUP_WORKERS') ?: '4';
// The handlers come first, so that a signal during the start also stops the programs that are already started.
$stopped = false;
pcntl_async_signals(true);
foreach ([SIGTERM, SIGINT] as $signal) {
    pcntl_signal($signal, function () use (&$stopped): void {
        $stopped = true;
    });
}
$folder = sys_get_temp_dir() . '/conformance-php-' . bin2hex(random_bytes(6));
mkdir($folder, 0700) || exit(1);
$isRoot = posix_geteuid() === 0;
$user = posix_getpwuid(posix_geteuid())['name'];
file_put_contents("$folder/fpm.conf", implode("\n", [
    '[global]',
    'daemonize = no',
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
    'worker_processes 1;',
    "pid $folder/nginx.pid;",
    'error_log stderr error;',
    'events { worker_connections 512; }',
    'http {',
    '    access_log off;',
    ...array_map(fn($name) => "    {$name}_temp_path $folder/$name;", ['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi']),
    '    client_max_body_size 64m;',
    '    server {',
    "        listen 127.0.0.1:$port;",
    '        location / {',
    "            fastcgi_pass unix:$folder/fpm.sock;",
    '            fastcgi_param SCRIPT_FILENAME ' . __DIR__ . '/index.php;',
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
// Killed children leave the bodies of their requests in this folder.
$options = ['-d', "upload_tmp_dir=$folder"];
foreach (glob(__DIR__ . '/../.tierup/php/artifacts/*.so') as $extension) {
    array_push($options, '-d', "extension=$extension");
}
if (getenv('TIERUP_TIER') === '1:pool' && getenv('OWN_POOL') !== 'no') {
    $pool = Conformance\Pool::start();
}
$fpm = '/usr/sbin/php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
$commands = [
    [$fpm, '-F', ...($isRoot ? ['-R'] : []), '-y', "$folder/fpm.conf", ...$options],
    ['nginx', '-e', 'stderr', '-c', "$folder/nginx.conf"],
];
$children = [];
foreach ($stopped ? [] : $commands as $command) {
    $children[] = proc_open($command, [['file', '/dev/null', 'r'], STDERR, STDERR], $pipes);
}
while (!$stopped && array_product(array_map(fn($child) => (int) proc_get_status($child)['running'], $children)) === 1) {
    usleep(100_000);
}
foreach ($children as $child) {
    proc_terminate($child, SIGTERM);
}
array_map(proc_close(...), $children);
exec('rm -rf ' . escapeshellarg($folder));
