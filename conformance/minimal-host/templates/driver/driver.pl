# Made by tierup from tierup.toml; changes here are lost at the next build.
#
# Makes calls on request (docs/driver.md): requests come on file descriptor 3, answers go out on 4. Calls go through the
# package's public methods, so that they cross what a server's calls cross.

use strict;
use warnings;

use FindBin '$Bin';
use Scalar::Util 'blessed';
use Time::HiRes qw(CLOCK_MONOTONIC clock_gettime);

use lib {{folder}}, "$Bin/../lib";

use Tierup::{{module}};
use Tierup::{{module}}::Interface '@FUNCTIONS';
use Tierup::{{module}}::Wire qw(decode_arguments encode_output);

# The server's own functions: a module by label; the one without a label is tier 0.
my %baselines = ({{baselines}});

my %outcomes = (error => 1, panic => 2, refused => 3, lost => 4);

# The package at each tier that was asked for.
my %bindings;

open my $requests, '<&=', 3 or die "no requests: $!";
open my $answers,  '>&=', 4 or die "no answers: $!";
binmode $_ for $requests, $answers;
$answers->autoflush;

while (defined(my $header = read_exactly(4))) {
    my $request = read_exactly(unpack 'V', $header) // last;
    my ($row, $number, $repeat, $arguments) = unpack 'V/a* V V V/a*', $request;
    my $answer = pack 'C Q< V/a*', answer_to($row, $FUNCTIONS[$number], $repeat, $arguments);
    print {$answers} pack 'V/a*', $answer or die "an answer cannot be written: $!";
}

# The outcome, the nanoseconds of all calls together, and the value's bytes or a message.
sub answer_to {
    my ($row, $function, $repeat, $encoded) = @_;
    my ($nanoseconds, $content);
    my $is_done = eval {
        my $rust = $bindings{$row} //= binding($row);
        my @arguments = decode_arguments($function, $encoded);
        my $method = $function->{name};
        my $value;
        my $start = clock_gettime(CLOCK_MONOTONIC);
        $value = $rust->$method(@arguments) for 1 .. $repeat;
        $nanoseconds = int 1e9 * (clock_gettime(CLOCK_MONOTONIC) - $start);
        # Only a baseline's answer can fail to fit the signature.
        $content = eval { encode_output($function, $value) };
        Tierup::{{module}}::Failure->throw(lost => "$@") unless defined $content;
        1;
    };
    return (0, $nanoseconds, $content) if $is_done;
    my $failure = $@;
    my $is_ours = blessed $failure && $failure->isa('Tierup::{{module}}::Failure');
    # If a baseline dies in another way, that is its error.
    my $outcome = $is_ours ? $outcomes{ $failure->kind } : $row =~ /\A0/ ? $outcomes{error} : $outcomes{lost};
    my $message = "$failure";
    utf8::encode($message);
    return ($outcome, 0, $message);
}

sub binding {
    my ($row) = @_;
    my $rust = Tierup::{{module}}->new(tier => $row, baselines => \%baselines);
    # The worker starts now, so that its start is not timed with the first call.
    $rust->ready;
    return $rust;
}

# Bytes of the requests; undef at their end.
sub read_exactly {
    my ($length) = @_;
    my $bytes;
    my $count = read $requests, $bytes, $length;
    return ($count // -1) == $length ? $bytes : undef;
}
