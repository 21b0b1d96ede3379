<?php

// What the second server does for the first: `in_worker`. Answers the CPU of the function, and of its process.

declare(strict_types=1);

require __DIR__ . '/own.php';

$isMeasured = ($_SERVER['QUERY_STRING'] ?? '') === 'measured';
$function = spent($isMeasured, in_worker(...));
echo $function, ' ', $isMeasured ? cpu() : 0;
