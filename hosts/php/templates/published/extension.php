#!/usr/bin/env php
<?php

// Made by tierup; the same in every package. Prints the line of PHP's configuration that loads the extension of 3:native,
// or of the variant that it is given: php -d "$(vendor/bin/{{package}}-extension)" server.php

declare(strict_types=1);

require __DIR__ . '/../autoload.php';

try {
    echo 'extension="' . {{namespace}}\Internal\Extension::loadable($argv[1] ?? '3:native') . "\"\n";
} catch ({{namespace}}\UnavailableException | ValueError $exception) {
    fwrite(STDERR, $exception->getMessage() . "\n");
    exit(1);
}
