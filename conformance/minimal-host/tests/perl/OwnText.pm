package OwnText;

# Another baseline: tier 0:text.

use strict;
use warnings;

sub echo_text { return "own $_[0]" }

1;
