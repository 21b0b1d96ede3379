package Tierup::{{module}}::Wire;

# Made by tierup; the same in every package.
#
# The byte encoding (docs/byte-abi.md) of the types that `Interface.pm` lists:
#
#   bool, numbers      scalars; a bool that is read is Perl's own true or false
#   text               a string of characters
#   bytes              a string of bytes
#   optional           undef, or the value
#   list, map, record  references to an array, to a hash by key, to a hash by field
#   words              the case's name
#   cases              a hash with one key, the case's name, and a hash of what the case carries

use strict;
use warnings;

use Exporter 'import';
use Scalar::Util qw(blessed looks_like_number reftype);
use Tierup::{{module}}::Failure;
use Tierup::{{module}}::Interface '@DEFINITIONS';

our @EXPORT_OK = qw(decode_answer decode_arguments decode_output encode_arguments encode_output);

# How `pack` calls each type of number.
my %NUMBERS = (
    i8  => 'c',
    u8  => 'C',
    i16 => 's<',
    u16 => 'S<',
    i32 => 'l<',
    u32 => 'L<',
    i64 => 'q<',
    u64 => 'Q<',
    f32 => 'f<',
    f64 => 'd<',
);
my %SIZES = map { $_ => length pack $NUMBERS{$_}, 0 } keys %NUMBERS;

# More than any variant could pass on.
use constant MOST_BYTES => 0x7fff_ffff;

# The bytes of a call's arguments. Dies if they are not what the signature says.
sub encode_arguments {
    my ($function, $arguments) = @_;
    my @parameters = @{ $function->{parameters} };
    my ($most, $given) = (scalar @parameters, scalar @$arguments);
    refuse("$function->{name} takes $most arguments, got $given") if $given > $most;
    my $bytes = join '', map { encode($parameters[$_][1], $arguments->[$_], $parameters[$_][0]) } 0 .. $#parameters;
    refuse('more than 2 GiB of arguments cannot cross') if length $bytes > MOST_BYTES;
    return $bytes;
}

# The bytes of an answer, as the function itself would give it.
sub encode_output {
    my ($function, $value) = @_;
    return defined $function->{output} ? encode($function->{output}, $value, 'answer') : '';
}

# The value in an answer, or undef if there is none. Dies with the failure that the answer tells of.
sub decode_answer {
    my ($function, $bytes) = @_;
    my $from = { bytes => $bytes, at => 0 };
    my $tag = decode($from, 'u8');
    if ($tag == 0) {
        my $value = defined $function->{output} ? decode($from, $function->{output}) : undef;
        finish($from);
        return $value;
    }
    my $kind = (undef, 'error', 'panic', 'refused')[$tag] // malformed("it starts with $tag");
    my $message = decode($from, 'text');
    finish($from);
    return Tierup::{{module}}::Failure->throw($kind => $message);
}

sub decode_output {
    my ($function, $bytes) = @_;
    my $from = { bytes => $bytes, at => 0 };
    return defined $function->{output} ? decode($from, $function->{output}) : undef;
}

sub decode_arguments {
    my ($function, $bytes) = @_;
    my $from = { bytes => $bytes, at => 0 };
    return map { decode($from, $_->[1]) } @{ $function->{parameters} };
}

# The bytes of a value. `$place` says where it stands, for whoever reads that it is not of its type.
sub encode {
    my ($type, $value, $place) = @_;
    my ($kind, $inner) = ref $type ? @$type : ($type);
    if ($kind eq 'optional') {
        return defined $value ? "\1" . encode($inner, $value, $place) : "\0";
    }
    if ($kind eq 'list') {
        expected('a reference to an array', $value, $place) unless (reftype $value // '') eq 'ARRAY';
        return pack('V', scalar @$value) . join '', map { encode($inner, $value->[$_], $place . "[$_]") } 0 .. $#$value;
    }
    if ($kind eq 'map') {
        expected('a reference to a hash', $value, $place) unless (reftype $value // '') eq 'HASH';
        # Perl sorts by code points, which is the order of UTF-8.
        my @entries = map { encode('text', $_, $place) . encode($inner, $value->{$_}, $place . "{$_}") } sort keys %$value;
        return pack('V', scalar @entries) . join '', @entries;
    }
    return encode_defined($DEFINITIONS[$inner], $value, $place) if $kind eq 'defined';
    # An object may be true or false: those of JSON::PP are.
    expected($kind, $value, $place) if !defined $value || ref $value && !($kind eq 'bool' && blessed $value);
    return $value ? "\1" : "\0" if $kind eq 'bool';
    return encode_number($kind, $value, $place) if $NUMBERS{$kind};
    my $bytes = "$value";
    if ($kind eq 'text') {
        utf8::encode($bytes);
    }
    elsif (!utf8::downgrade($bytes, 1)) {
        refuse("$place: expected bytes, got a string with characters above 255");
    }
    return pack 'V/a*', $bytes;
}

sub encode_number {
    my ($kind, $value, $place) = @_;
    # Neither NaN nor a number beyond all of these types, which `pack` would not take as a whole number.
    my $is_float = $kind =~ /\Af/;
    expected($kind, $value, $place) unless looks_like_number($value) && ($is_float || abs $value < 2e19);
    my $bytes = do { no warnings; pack $NUMBERS{$kind}, $value };
    return $bytes if $is_float;
    # `pack` cuts off what does not fit. A float is compared as a number, if it can tell whole numbers apart.
    my $packed = unpack $NUMBERS{$kind}, $bytes;
    return $bytes if $packed eq $value || $packed == $value && abs $value < 2**53;
    return expected($kind, $value, $place);
}

sub encode_defined {
    my ($definition, $value, $place) = @_;
    my ($name, $record, $words, $cases) = @$definition{qw(name record words cases)};
    return encode_fields($name, $record, $value, $place) if $record;
    my @names = $words ? @$words : map { $_->[0] } @$cases;
    my $is_hash = (reftype $value // '') eq 'HASH' && keys %$value == 1;
    my ($asked) = $words ? $value : $is_hash ? keys %$value : undef;
    my ($number) = defined $asked ? grep { $names[$_] eq $asked } 0 .. $#names : ();
    expected($name, $value, $place) unless defined $number;
    my $case = pack 'C', $number;
    return $words ? $case : $case . encode_fields($asked, $cases->[$number][1], $value->{$asked}, "$place.$asked");
}

sub encode_fields {
    my ($name, $fields, $value, $place) = @_;
    expected("a reference to a hash, of $name", $value, $place) unless (reftype $value // '') eq 'HASH';
    return join '', map { encode($_->[1], $value->{ $_->[0] }, "$place.$_->[0]") } @$fields;
}

# Reads a value from where `$from` has got to.
sub decode {
    my ($from, $type) = @_;
    my ($kind, $inner) = ref $type ? @$type : ($type);
    return unpack $NUMBERS{$kind}, take($from, $SIZES{$kind}) if $NUMBERS{$kind};
    return decode_bool($from) if $kind eq 'bool';
    return decode_bool($from) ? decode($from, $inner) : undef if $kind eq 'optional';
    return decode_defined($from, $DEFINITIONS[$inner]) if $kind eq 'defined';
    # A length of bytes, or a count of items.
    my $count = unpack 'V', take($from, 4);
    return [map { decode($from, $inner) } 1 .. $count] if $kind eq 'list';
    if ($kind eq 'map') {
        my %map;
        for (1 .. $count) {
            my $key = decode($from, 'text');
            malformed('a key comes twice') if exists $map{$key};
            $map{$key} = decode($from, $inner);
        }
        return \%map;
    }
    my $bytes = take($from, $count);
    malformed('its text is not UTF-8') if $kind eq 'text' && !utf8::decode($bytes);
    return $bytes;
}

sub decode_bool {
    my ($from) = @_;
    my $byte = unpack 'C', take($from, 1);
    malformed("$byte is not a bool") if $byte > 1;
    return $byte == 1;
}

sub decode_defined {
    my ($from, $definition) = @_;
    my ($name, $record, $words, $cases) = @$definition{qw(name record words cases)};
    return decode_fields($from, $record) if $record;
    my $number = unpack 'C', take($from, 1);
    my $case = ($words // $cases)->[$number] // malformed("$number is no case of $name");
    return $words ? $case : { $case->[0] => decode_fields($from, $case->[1]) };
}

sub decode_fields {
    my ($from, $fields) = @_;
    return { map { $_->[0] => decode($from, $_->[1]) } @$fields };
}

sub take {
    my ($from, $length) = @_;
    my $at = $from->{at};
    malformed('it ends too early') if $length > length($from->{bytes}) - $at;
    $from->{at} += $length;
    return substr $from->{bytes}, $at, $length;
}

sub finish {
    my ($from) = @_;
    malformed('more bytes follow it') if $from->{at} != length $from->{bytes};
    return;
}

sub expected {
    my ($what, $value, $place) = @_;
    my $got = !defined $value ? 'undef' : ref $value ? 'a reference' : length $value > 40 ? 'a long string' : "`$value`";
    return refuse("$place: expected $what, got $got");
}

sub refuse { return Tierup::{{module}}::Failure->throw(refused => $_[0]) }

sub malformed { return Tierup::{{module}}::Failure->throw(lost => "cannot read an answer: $_[0]") }

1;
