#!/usr/bin/env perl
# A driver (docs/driver.md) without a host, for functions that take texts. It returns the arguments unchanged. An
# argument of the program such as `3:native=wrong` makes a row do something else, but only for texts with an `x` in them.
use strict;
use warnings;

my %does = map { split /=/, $_, 2 } @ARGV;
my %says = (error => [1, 'own words'], panic => [2, "panic of $$"], refused => [3, 'a size does not fit this machine']);
open(my $in, '<&=', 3) or die;
open(my $out, '>&=', 4) or die;
binmode $_ for $in, $out;

sub text { pack 'V/a*', $_[0] }

while (read($in, my $length, 4) == 4) {
    read $in, my $request, unpack 'V', $length;
    my ($row, $function, $repeat, $arguments) = unpack 'V/a V V V/a', $request;
    my $does = $does{$row} // '';
    my ($outcome, $content) = (0, $arguments);
    if ($row eq 'ready') {
        ($outcome, $content) = (4, '');
    } elsif ($arguments !~ /x/) {
        # The text is returned unchanged.
    } elsif ($says{$does}) {
        ($outcome, $content) = @{$says{$does}};
    } elsif ($does eq 'wrong') {
        $content = text 'wrong';
    } elsif ($does eq 'unsteady') {
        $content = text "process $$";
    } elsif ($does eq 'variable') {
        $content = text $ENV{TIERUP_TIER};
    } elsif ($does eq 'large') {
        $content = text 'x' x (17 << 20);
    } elsif ($does eq 'short') {
        $content = 'abc';
    } elsif ($does eq 'dies') {
        exit 7;
    }
    syswrite $out, pack 'V/a*', pack('C Q< ', $outcome, 1) . text $content;
}
