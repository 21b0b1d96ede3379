package Tierup::MODULE::Pool;

# Made by tierup; the same in every package.
#
# `1:pool`: a worker that lives as long as the server and answers frames. A Perl process makes one call at a time, so it
# has one worker. A process that is forked from it starts its own.

use strict;
use warnings;

use Tierup::MODULE::Built 'program';
use Tierup::MODULE::Failure;
use Tierup::MODULE::Interface '$ABI';
use Tierup::MODULE::Process;

sub new {
    my ($class) = @_;
    return bless { program => program(), timeout => Tierup::MODULE::Process::call_timeout() }, $class;
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
    $worker->limit($self->{timeout});
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
    $worker = Tierup::MODULE::Process->start($self->{program}, '--tierup-worker', $ABI);
    my $abi = sprintf '%016x', unpack 'Q<', $worker->read_exactly(8);
    return $worker if $abi eq $ABI;
    return Tierup::MODULE::Failure->throw(lost => "$self->{program} has another interface: run `tierup build`");
}

1;
