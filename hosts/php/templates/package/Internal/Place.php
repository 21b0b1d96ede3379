<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\UnavailableException;

/** The folder for sockets. Only this user can enter it, as any client of a socket can make its worker compute. */
final class Place
{
    /** Whether PHP runs as a program: its variables last as long as its process. */
    public static function isProgram(): bool
    {
        return \in_array(\PHP_SAPI, ['cli', 'phpdbg', 'embed', 'micro'], true);
    }

    /** Whether this is the server's first call with this word. Requests share no memory, so a file records it. */
    public static function isFirst(string $word): bool
    {
        static $asked = [];
        $isFirst = !isset($asked[$word]);
        $asked[$word] = true;
        if (!$isFirst || \PHP_SAPI === 'cli' || !\function_exists('posix_getppid')) {
            return $isFirst;
        }
        $server = \PHP_SAPI === 'cli-server' ? \getmypid() : \posix_getppid();

        return Quiet::run(static function () use ($word, $server): bool {
            // The time when the server began, as numbers of processes are reused.
            $began = \explode(' ', (string) \strrchr((string) \file_get_contents("/proc/$server/stat"), ')'))[20] ?? '';

            return \fopen(self::folder() . "/$word-" . Calls::ABI . "-$server-$began", 'x') !== false;
        }, static fn(): bool => true);
    }

    public static function folder(): string
    {
        if (!\function_exists('posix_geteuid')) {
            throw new UnavailableException('1:pool needs the extension posix in a server (Debian: php-common); use 3:native');
        }
        $user = \posix_geteuid();
        $folder = \sys_get_temp_dir() . "/tierup-$user";
        $found = Quiet::run(static function () use ($folder): array|false {
            \is_dir($folder) || \mkdir($folder, 0700);
            \clearstatcache(true, $folder);

            return \lstat($folder);
        });
        if (!\is_array($found) || $found['uid'] !== $user || ($found['mode'] & 0170077) !== 0040000) {
            throw new UnavailableException("$folder must be a folder that only this user can enter (mode 700), and is not");
        }
        return $folder;
    }
}
