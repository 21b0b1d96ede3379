package Tierup::{{module}}::Process;

# Made by tierup; the same in every package.
#
# One process of the built program, and the pipes to it. The process is killed when nothing refers to this object any
# more, so a call that dies half-way leaves nothing behind. Its standard error is the server's.

use strict;
use warnings;

use Errno ();
use POSIX 'WNOHANG';
use Time::HiRes qw(CLOCK_MONOTONIC clock_gettime sleep);
use Tierup::{{module}}::Failure;

# How long a process that has closed its pipes may take to end until it is killed, in seconds.
use constant PATIENCE => 5;

sub start {
    my ($class, @command) = @_;
    (pipe my $their_input, my $input) && (pipe my $output, my $their_output)
        or lost("$command[0] cannot be started: $!");
    my $process = fork // lost("$command[0] cannot be started: $!");
    if ($process == 0) {
        # Ctrl-C in a terminal must reach only the server, which still waits for its calls in flight.
        POSIX::setsid();
        POSIX::dup2(fileno $their_input, 0);
        POSIX::dup2(fileno $their_output, 1);
        { no warnings 'exec'; exec { $command[0] } @command }
        # `exit` would run the server's END blocks and destructors.
        POSIX::_exit(127);
    }
    my $self = { owner => $$, process => $process, program => $command[0], input => $input, output => $output };
    return bless $self, $class;
}

# The seconds that an environment variable sets, or the default.
sub seconds {
    my ($variable, $default) = @_;
    my $asked = $ENV{$variable} // '';
    return $default if $asked eq '';
    return $asked if $asked =~ /\A[0-9]+(?:\.[0-9]+)?\z/ && $asked > 0;
    return lost("$variable must be a number of seconds above 0, such as 2.5, got `$asked`");
}

# From now on, the process has so many seconds to answer, or no limit if undef. `$late` is the message if it takes longer.
sub limit {
    my ($self, $seconds, $late) = @_;
    $self->{deadline} = defined $seconds ? clock_gettime(CLOCK_MONOTONIC) + $seconds : undef;
    $self->{late} = $late;
    return;
}

# The limit of a call; undef if it has none.
sub limit_call {
    my ($self, $seconds) = @_;
    return $self->limit(undef) unless defined $seconds;
    return $self->limit($seconds, "the call took longer than $seconds s (TIERUP_CALL_TIMEOUT)");
}

# Whether the process can get a call: this process started it, and there is nothing to read, not even the end of its output.
sub is_usable {
    my ($self) = @_;
    return $self->{owner} == $$ && !$self->has_output(0);
}

# Writes all of the bytes. The program reads everything before it calls, so it cannot keep this waiting.
sub write {
    my ($self, $bytes) = @_;
    # A program that has ended must not end the server.
    local $SIG{PIPE} = 'IGNORE';
    my $at = 0;
    while ($at < length $bytes) {
        my $count = syswrite $self->{input}, $bytes, length($bytes) - $at, $at;
        next if !defined $count && $!{EINTR};
        $self->ended unless $count;
        $at += $count;
    }
    return;
}

# Closes the process's standard input, after all bytes were written.
sub end_input { close delete $_[0]{input}; return }

# So many bytes of what the process writes.
sub read_exactly {
    my ($self, $length) = @_;
    my $bytes = '';
    while (length $bytes < $length) {
        $self->read_into(\$bytes, $length - length $bytes) or $self->ended;
    }
    return $bytes;
}

# Everything that the process writes until its end. Dies if its end is a failure.
sub read_all {
    my ($self) = @_;
    my $bytes = '';
    1 while $self->read_into(\$bytes, 65_536);
    my $status = $self->wait_for_end;
    return $bytes if !defined $status || $status == 0;
    return $self->ended($status);
}

# Appends at most so many bytes; false at the end.
sub read_into {
    my ($self, $bytes, $most) = @_;
    while (1) {
        $self->wait_for_output;
        my $count = sysread $self->{output}, $$bytes, $most, length $$bytes;
        return $count if defined $count;
        $self->ended unless $!{EINTR};
    }
}

sub wait_for_output {
    my ($self) = @_;
    return unless defined $self->{deadline};
    while (1) {
        my $left = $self->{deadline} - clock_gettime(CLOCK_MONOTONIC);
        last if $left <= 0;
        return if $self->has_output($left);
    }
    return lost("$self->{late}: its process was ended");
}

# Whether the process writes something, or ends, within so many seconds.
sub has_output {
    my ($self, $seconds) = @_;
    my $bits = '';
    vec($bits, fileno $self->{output}, 1) = 1;
    return 0 < select $bits, undef, undef, $seconds;
}

# Dies with how the process ended.
sub ended {
    my ($self, $status) = @_;
    $status //= $self->wait_for_end // lost("$self->{program} has ended");
    my $signal = $status & 127;
    return lost("$self->{program} was ended by signal $signal") if $signal;
    return lost("$self->{program} ended with exit code @{[$status >> 8]}: standard error has its last words");
}

# The status of the ended process; undef if the server took it, with a handler for SIGCHLD.
sub wait_for_end {
    my ($self) = @_;
    local ($!, $?);
    delete @$self{qw(input output)};
    my $process = delete $self->{process} // return;
    my $end = clock_gettime(CLOCK_MONOTONIC) + PATIENCE;
    my $found;
    while (($found = waitpid $process, WNOHANG) == 0) {
        kill KILL => $process if clock_gettime(CLOCK_MONOTONIC) > $end;
        sleep 0.001;
    }
    # A handler for SIGCHLD may have run meanwhile, and then `$?` is -1.
    return $found == $process && $? != -1 ? $? : undef;
}

sub DESTROY {
    my ($self) = @_;
    # A forked child has copies of the pipes only: the process is its parent's.
    return unless defined $self->{process} && $self->{owner} == $$;
    local ($., $@, $!, $^E, $?);
    # Kills the process only if it lives: another process may have got the id of an ended one.
    if (waitpid($self->{process}, WNOHANG) == 0) {
        kill KILL => $self->{process};
        waitpid $self->{process}, 0;
    }
    return;
}

# A thread has copies of what its creator has; none of them would own the process.
sub CLONE_SKIP { return 1 }

sub lost { return Tierup::{{module}}::Failure->throw(lost => $_[0]) }

1;
