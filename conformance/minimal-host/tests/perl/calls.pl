# What the package does with a built program: values that are refused, processes that end or hang, a server that forks.

use strict;
use warnings;
use utf8;

use FindBin;
use JSON::PP ();
use POSIX ();
use Test::More;
use Tierup::Conformance;

# The kind and the message of the failure that a call dies with.
sub failure_of(&) {
    my ($call) = @_;
    eval { $call->(); 1 } and return 'none';
    my $failure = $@;
    return ref $failure ? $failure->kind . ": $failure" : "not a failure of the package: $failure";
}

delete $ENV{TIERUP_TIER};

for my $tier ('1:spawn', '1:pool') {
    my $rust = Tierup::Conformance->new(tier => $tier);
    is $rust->tier, $tier, "$tier is what was asked for";
    is $rust->echo_text('größe 鷗'), 'größe 鷗', "$tier: text is characters";
    is $rust->echo_u64('18446744073709551615'), 18446744073709551615, "$tier: whole numbers have 64 bits";
    is $rust->echo_i64(1e15), 1_000_000_000_000_000, "$tier: a float may be a whole number";
    is_deeply $rust->echo_shape({ Circle => { value => 1.5 } }), { Circle => { value => 1.5 } }, "$tier: a case";
    is_deeply $rust->echo_option, undef, "$tier: an optional argument may be left out";
    # What only one side could have got wrong: an echo does not tell the order of bytes.
    is $rust->utf8_length('größe'), 7, "$tier: Rust's number";
    my @all = (1, 300, 'n', 0.5, "\x01\xff", 'DarkBlue', [{ x => 1, y => -2.5 }], { b => '2', a => '1' });
    my $described = 'true 300 "n" 0.5 [1, 255] Some(DarkBlue) [Point { x: 1.0, y: -2.5 }] [("a", "1"), ("b", "2")]';
    is $rust->describe_all(@all), $described, "$tier: every argument as Rust sees it";
    ok $rust->echo_bool(JSON::PP::true()), "$tier: a bool may be an object";

    my @refused = (
        [sub { $rust->echo_u8(256) }, 'value: expected u8, got `256`'],
        [sub { $rust->echo_u8(1.5) }, 'value: expected u8, got `1.5`'],
        [sub { $rust->echo_u8('1a') }, 'value: expected u8, got `1a`'],
        [sub { $rust->echo_u64(-1) }, 'value: expected u64, got `-1`'],
        [sub { $rust->echo_u64('18446744073709551616') }, 'value: expected u64, got `18446744073709551616`'],
        [sub { $rust->echo_i64('NaN') }, 'value: expected i64, got `NaN`'],
        [sub { $rust->echo_text(undef) }, 'text: expected text, got undef'],
        [sub { $rust->echo_text([]) }, 'text: expected text, got a reference'],
        [sub { $rust->echo_bytes("\x{100}") }, 'bytes: expected bytes, got a string with characters above 255'],
        [sub { $rust->echo_texts(['a', undef]) }, 'values[1]: expected text, got undef'],
        [sub { $rust->echo_map({ a => 'x' }) }, 'values{a}: expected i32, got `x`'],
        [sub { $rust->echo_point({ x => 1 }) }, 'point.y: expected f64, got undef'],
        [sub { $rust->echo_color('Blue') }, 'color: expected Color, got `Blue`'],
        [sub { $rust->echo_shape({ Circle => {}, Empty => {} }) }, 'shape: expected Shape, got a reference'],
        [sub { $rust->echo_text('a', 'b') }, 'echo_text takes 1 arguments, got 2'],
    );
    is failure_of { $_->[0]->() }, "refused: $_->[1]", "$tier: $_->[1]" for @refused;
    like failure_of { $rust->echo_text("\x{d800}") }, qr/\Arefused: /, "$tier: half a surrogate pair is refused by Rust";
    is failure_of { $rust->fail('it was told to') }, 'error: it was told to', "$tier: the function's own error";
    like failure_of { $rust->panic_with('oh') }, qr/\Apanic: oh/, "$tier: a panic";
    is $rust->echo_u8(7), 7, "$tier: calls go on behind it";

    local $ENV{TIERUP_CALL_TIMEOUT} = '0.5';
    my $limited = Tierup::Conformance->new(tier => $tier);
    like failure_of { $limited->hang_on('really') }, qr/\Alost: the call took longer than 0.5 s/, "$tier: a call is ended";
    $ENV{TIERUP_CALL_TIMEOUT} = '60';
    is(Tierup::Conformance->new(tier => $tier)->hang_on('no'), 2, "$tier: the next one is not");
    $ENV{TIERUP_CALL_TIMEOUT} = 'soon';
    like failure_of { Tierup::Conformance->new(tier => $tier) }, qr/\Alost: TIERUP_CALL_TIMEOUT must be/, "$tier: no number";
}

my $rust = Tierup::Conformance->new(tier => '1:pool');
is $rust->count_calls, 1, 'a worker is started';
is $rust->count_calls, 2, 'and stays';

kill KILL => $rust->{variant}{worker}{process};
# Until its end is seen in its pipe.
select undef, undef, undef, 0.01 while $rust->{variant}{worker}->is_usable;
is $rust->count_calls, 1, 'a worker that has died is replaced, and no call is lost';

eval {
    local $SIG{ALRM} = sub { die "late\n" };
    alarm 1;
    $rust->hang_on('really');
};
alarm 0;
is $@, "late\n", 'a signal handler of the server may end a call';
is $rust->echo_text('mine'), 'mine', 'and the next call gets its own answer';

my $worker = $rust->{variant}{worker}{process};
my $child = fork // die "no fork: $!";
if ($child == 0) {
    my $is_right = $rust->echo_text('child') eq 'child' && $rust->{variant}{worker}{process} != $worker;
    undef $rust;
    POSIX::_exit($is_right ? 0 : 1);
}
waitpid $child, 0;
is $?, 0, 'a forked process has a worker of its own';
is $rust->echo_text('parent'), 'parent', 'and leaves the worker of its parent alone';
is $rust->{variant}{worker}{process}, $worker, 'which is the same';

{
    local $ENV{TIERUP_START_TIMEOUT} = '0.3';
    my $silent = Tierup::Conformance->new(tier => '1:pool');
    # A program that plays a worker which never says that it is ready.
    local $silent->{variant}{program} = "$FindBin::Bin/silent.sh";
    like failure_of { $silent->echo_text('x') }, qr/did not start within 0.3 s/, 'a worker has to start in time';
}

undef $rust;
is waitpid($worker, POSIX::WNOHANG()), -1, 'no worker outlives what it was started for';

{
    # Servers that fork have such a handler, which takes the status of every process.
    local $SIG{CHLD} = sub { 1 while waitpid(-1, POSIX::WNOHANG()) > 0 };
    my $spawn = Tierup::Conformance->new(tier => '1:spawn');
    is $spawn->echo_text("call $_"), "call $_", 'a handler for SIGCHLD takes no answer' for 1 .. 3;
}

is(Tierup::Conformance->new->tier, '1:pool', 'the best that was built is taken');
is(Tierup::Conformance->new(tier => '1')->tier, '1:pool', 'of a tier, too');
like failure_of { Tierup::Conformance->new(tier => '3:native') }, qr/\Alost: /, 'a tier that there is not';

done_testing;
