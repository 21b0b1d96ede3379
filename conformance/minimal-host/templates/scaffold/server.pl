# A small server, which answers one request after the other: GET /slug?text=...

use strict;
use warnings;

use FindBin '$Bin';
use IO::Socket::INET;
use Scalar::Util 'blessed';

use lib $Bin, "$Bin/../.tierup/perl/lib";

use Tierup::{{module}};

# TIERUP_TIER decides how slugify runs: 0 is the baseline, 1:pool a process in Rust.
my $rust = Tierup::{{module}}->new(baseline => 'Baseline');

my ($host, $port) = ($ENV{HOST} // '127.0.0.1', $ENV{PORT} // 8080);
my $listener = IO::Socket::INET->new(LocalAddr => $host, LocalPort => $port, Listen => 512, ReuseAddr => 1)
    or die "cannot listen on $host:$port: $@\n";

$SIG{TERM} = $SIG{INT} = sub { exit 0 };
$SIG{PIPE} = 'IGNORE';
print "listening on http://$host:$port (tier @{[$rust->tier]})\n";

my %REASONS = (200 => 'OK', 400 => 'Bad Request', 404 => 'Not Found', 405 => 'Method Not Allowed', 500 => 'Internal Server Error');

while (1) {
    my $client = $listener->accept or next;
    my $request = <$client> // next;
    # The headers, none of which matters here.
    while (defined(my $line = <$client>)) { last if $line =~ /\A\r?\n\z/ }
    my ($status, $text) = answer_to($request);
    utf8::encode($text);
    my @lines = (
        "HTTP/1.1 $status $REASONS{$status}",
        'Content-Type: text/plain; charset=utf-8',
        'Content-Length: ' . length $text,
        'Connection: close',
    );
    print {$client} join("\r\n", @lines, '', ''), $request =~ /\AHEAD / ? '' : $text;
    close $client;
}

sub answer_to {
    my ($request) = @_;
    my ($method, $path, $query) = $request =~ m{\A(\S+) ([^ ?]*)(?:\?(\S*))? HTTP/} or return (400, 'bad request');
    return (405, 'method not allowed') unless $method eq 'GET' || $method eq 'HEAD';
    return (200, 'ok') if $path eq '/livez' || $path eq '/readyz';
    return (404, 'not found') unless $path eq '/slug';
    my ($text) = grep { defined } map { /\Atext=(.*)\z/s ? $1 : undef } split /&/, $query // '';
    return (400, 'query parameter "text" is missing') unless defined $text && length $text;
    $text =~ tr/+/ /;
    $text =~ s/%([0-9a-fA-F]{2})/chr hex $1/ge;
    return (400, 'query parameter "text" is not UTF-8') unless utf8::decode($text);
    my $slug = eval { $rust->slugify($text) };
    return (200, $slug) if defined $slug;
    my $error = $@;
    # The function's own error is the caller's to mend. Anything else is not, and its message may be private.
    return (400, "$error" =~ s/\n\z//r) if !ref $error || blessed $error && $error->kind eq 'error';
    warn "$path: $error\n";
    return (500, 'internal error');
}
