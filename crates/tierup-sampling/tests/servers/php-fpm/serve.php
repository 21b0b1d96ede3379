<?php

// Serves `index.php` with PHP-FPM behind nginx at PORT. SIGTERM stops both. All other files are written to this folder.

declare(strict_types=1);

$stopped = false;
pcntl_async_signals(true);
foreach ([SIGTERM, SIGINT] as $signal) {
    pcntl_signal($signal, function () use (&$stopped): void {
        $stopped = true;
    });
}
$port = (int) getenv('PORT');
$folder = __DIR__;
$isRoot = posix_geteuid() === 0;
$user = posix_getpwuid(posix_geteuid())['name'];
// The pool clears the environment, as is usual, and its children are replaced from time to time.
file_put_contents("$folder/fpm.conf", implode("\n", [
    '[global]',
    'daemonize = no',
    'error_log = /proc/self/fd/2',
    '[www]',
    ...($isRoot ? ["user = $user", "group = $user"] : []),
    "listen = $folder/fpm.sock",
    'pm = static',
    'pm.max_children = 3',
    'pm.max_requests = 20',
    '',
]));
$pass = [
    "fastcgi_pass unix:$folder/fpm.sock;",
    "fastcgi_param SCRIPT_FILENAME $folder/index.php;",
    'fastcgi_param REQUEST_METHOD $request_method;',
    'fastcgi_param REQUEST_URI $request_uri;',
];
file_put_contents("$folder/nginx.conf", implode("\n", [
    ...($isRoot ? ["user $user;"] : []),
    'daemon off;',
    'worker_processes 1;',
    "pid $folder/nginx.pid;",
    'error_log stderr error;',
    'events { worker_connections 128; }',
    'http {',
    '    access_log off;',
    ...array_map(fn($name) => "    {$name}_temp_path $folder/$name;", ['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi']),
    "    server { listen 127.0.0.1:$port; location / { " . implode(' ', $pass) . ' } }',
    '}',
    '',
]));
$fpm = '/usr/sbin/php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
$children = [];
foreach ([
    [$fpm, '-F', ...($isRoot ? ['-R'] : []), '-y', "$folder/fpm.conf"],
    ['nginx', '-e', 'stderr', '-c', "$folder/nginx.conf"],
] as $command) {
    $children[] = proc_open($command, [['file', '/dev/null', 'r'], STDERR, STDERR], $pipes);
    // nginx starts after PHP-FPM listens: otherwise it would answer with errors until then.
    while (!$stopped && !file_exists("$folder/fpm.sock") && proc_get_status($children[0])['running']) {
        usleep(10_000);
    }
}
while (!$stopped && array_product(array_map(fn($child) => (int) proc_get_status($child)['running'], $children)) === 1) {
    usleep(50_000);
}
foreach (array_reverse($children) as $child) {
    proc_terminate($child, SIGTERM);
    proc_close($child);
}
exit($stopped ? 0 : 1);
