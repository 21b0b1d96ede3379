package Tierup::{{module}}::Failure;

# Made by tierup; the same in every package.
#
# Why a call has no answer. Its kind is
#   error    the function returned an error, whose message this is
#   panic    the function panicked
#   refused  the arguments are not what the signature says; nothing was called
#   lost     the tier cannot run, or the process that was to answer has ended

use strict;
use warnings;

use overload '""' => sub { $_[0]{message} }, bool => sub { 1 }, fallback => 1;

# Dies with a failure.
sub throw {
    my ($class, $kind, $message) = @_;
    die bless { kind => $kind, message => $message }, $class;
}

sub kind    { return $_[0]{kind} }
sub message { return $_[0]{message} }

1;
