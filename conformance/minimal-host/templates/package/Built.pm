package Tierup::{{module}}::Built;

# Made by tierup; the same in every package.
#
# What `tierup build` says was built, in `built.json`, and where it is.

use strict;
use warnings;

use Cwd 'abs_path';
use Exporter 'import';
use File::Basename 'dirname';
use JSON::PP ();
use Tierup::{{module}}::Failure;
use Tierup::{{module}}::Interface qw($ABI $PACKAGE);

our @EXPORT_OK = qw(program why_not);

# The package's folder, above `lib/Tierup/{{module}}`.
my $FOLDER = abs_path(dirname(__FILE__) . '/../../..');

# Why a variant cannot run; undef if it was built.
sub why_not {
    my ($variant) = @_;
    open my $file, '<:raw', "$FOLDER/built.json" or return 'nothing was built: run `tierup build`';
    my $record = eval { JSON::PP::decode_json(join '', <$file>) } or return 'built.json is damaged: run `tierup build`';
    return 'the built files have another interface than this package: run `tierup build`' if $record->{abi} ne $ABI;
    my $entry = $record->{variants}{$variant} or return "it was not built: run `tierup build --tiers $variant`";
    return if $entry->{built};
    return "it could not be built: $entry->{reason}";
}

# The path of the built program.
sub program {
    my $program = "$FOLDER/artifacts/$PACKAGE";
    return $program if -x $program;
    return Tierup::{{module}}::Failure->throw(lost => "$program cannot be executed: run `tierup build`");
}

1;
