<?php

// bacon/bacon-qr-code: by Composer, or Debian's package php-bacon-qr-code.

declare(strict_types=1);

$composer = __DIR__ . '/../vendor/autoload.php';
require_once is_file($composer) ? $composer : 'Bacon/BaconQrCode/autoload.php';
