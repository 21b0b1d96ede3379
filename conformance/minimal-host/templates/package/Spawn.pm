package Tierup::{{module}}::Spawn;

# Made by tierup; the same in every package.
#
# `1:spawn`: the program is run anew for each call, with the arguments on its standard input.

use strict;
use warnings;

use Tierup::{{module}}::Built 'program';
use Tierup::{{module}}::Interface '$ABI';
use Tierup::{{module}}::Process;

sub new {
    my ($class) = @_;
    return bless { program => program(), timeout => Tierup::{{module}}::Process::seconds('TIERUP_CALL_TIMEOUT', undef) }, $class;
}

sub ready { return }

# The answer's bytes.
sub ask {
    my ($self, $number, $arguments) = @_;
    my $process = Tierup::{{module}}::Process->start($self->{program}, '--tierup-call', $number, $ABI);
    $process->limit_call($self->{timeout});
    $process->write($arguments);
    $process->end_input;
    return $process->read_all;
}

1;
