<?php

// Made by tierup; the same in every package.

declare(strict_types=1);

namespace {{namespace}}\Internal;

use {{namespace}}\UnavailableException;

/** The folder for sockets, which only this user can enter: a client of a socket makes its worker compute. */
final class Place
{
    public static function folder(): string
    {
        if (!\function_exists('posix_geteuid')) {
            throw new UnavailableException('1:pool needs the extension posix in a server (Debian: php-common); use 3:native');
        }
        $user = \posix_geteuid();
        $folder = \sys_get_temp_dir() . "/tierup-$user";
        if (!\is_dir($folder)) {
            @\mkdir($folder, 0700);
        }
        \clearstatcache(true, $folder);
        $found = @\lstat($folder);
        if ($found === false || $found['uid'] !== $user || ($found['mode'] & 0170077) !== 0040000) {
            throw new UnavailableException("$folder must be a folder that only this user can enter (mode 700), and is not");
        }
        return $folder;
    }
}
