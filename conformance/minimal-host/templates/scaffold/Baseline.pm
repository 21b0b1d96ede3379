package Baseline;

# The function as it was before Rust: tier 0.

use strict;
use warnings;

# Lower-case letters and digits; a run of anything else becomes one `-`, none at the ends.
sub slugify {
    my ($text) = @_;
    (my $slug = $text) =~ s/[^a-zA-Z0-9]+/-/g;
    $slug =~ s/\A-|-\z//g;
    return lc $slug if length $slug;
    die "text has no letters or digits\n";
}

1;
