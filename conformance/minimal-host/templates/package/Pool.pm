package Tierup::{{module}}::Pool;

# Made by tierup; the same in every package.
#
# `1:pool`: a worker that lives as long as the server and answers frames. A Perl process makes one call at a time, so it
# has one worker. A process that is forked from it starts its own.

use strict;
use warnings;

use Tierup::{{module}}::Built 'program';
use Tierup::{{module}}::Failure;
use Tierup::{{module}}::Interface '$ABI';
use Tierup::{{module}}::Process;

# How long a worker may take until it can be called, in seconds.
use constant START_TIMEOUT => 30;

sub new {
    my ($class) = @_;
    return bless { program => program(), timeout => Tierup::{{module}}::Process::seconds('TIERUP_CALL_TIMEOUT', undef) }, $class;
}

sub ready {
    my ($self) = @_;
    $self->{worker} = $self->worker;
    return;
}

# The answer's bytes.
sub ask {
    my ($self, $number, $arguments) = @_;
    # The pool does not have the worker while the call lasts. If the call dies, so does the worker, whose next bytes
    # would answer a call that nobody waits for.
    my $worker = $self->worker;
    $worker->limit_call($self->{timeout});
    $worker->write(pack 'V V a*', 4 + length $arguments, $number, $arguments);
    my $length = unpack 'V', $worker->read_exactly(4);
    my $answer = $worker->read_exactly($length);
    $self->{worker} = $worker;
    return $answer;
}

# The worker, taken out of the pool, or a new one.
sub worker {
    my ($self) = @_;
    my $worker = delete $self->{worker};
    return $worker if $worker && $worker->is_usable;
    $worker = Tierup::{{module}}::Process->start($self->{program}, '--tierup-worker', $ABI);
    my $seconds = Tierup::{{module}}::Process::seconds('TIERUP_START_TIMEOUT', START_TIMEOUT);
    $worker->limit($seconds, "$self->{program} did not start within $seconds s (TIERUP_START_TIMEOUT)");
    my $abi = sprintf '%016x', unpack 'Q<', $worker->read_exactly(8);
    return $worker if $abi eq $ABI;
    return Tierup::{{module}}::Failure->throw(lost => "$self->{program} has another interface: run `tierup build`");
}

1;
