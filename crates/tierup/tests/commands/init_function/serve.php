<?php

pcntl_exec(PHP_BINARY, ['-q', '-S', '127.0.0.1:' . getenv('PORT'), __DIR__ . '/router.php']);
