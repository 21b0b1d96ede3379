package Tierup::{{module}}::Binding;

# Made by tierup; the same in every package.
#
# The functions at one tier. The methods are in `Tierup::{{module}}`, which is the class that servers use:
#
#   my $rust = Tierup::{{module}}->new(baseline => 'Your::Module');
#
# Options:
#   baseline   tier 0: the module whose functions of the same names the server had before
#   baselines  other modules by label, { tuned => 'Your::Tuned' }: tier 0:tuned
#   tier       the tier to run instead of the one that TIERUP_TIER names: 1:pool. By default the best that was built

use strict;
use warnings;

use Tierup::{{module}}::Built 'why_not';
use Tierup::{{module}}::Failure;
use Tierup::{{module}}::Interface '@FUNCTIONS';
use Tierup::{{module}}::Pool;
use Tierup::{{module}}::Spawn;
use Tierup::{{module}}::Wire qw(decode_answer encode_arguments);

my %VARIANTS = ('1:pool' => 'Tierup::{{module}}::Pool', '1:spawn' => 'Tierup::{{module}}::Spawn');

# The variants of a tier, the best first. '' stands for a server that names no tier.
my %PREFERRED = ('' => ['1:pool', '1:spawn'], '1' => ['1:pool', '1:spawn']);

sub new {
    my ($class, %options) = @_;
    my %baselines = ('' => $options{baseline}, %{ $options{baselines} // {} });
    my $asked = $options{tier} // $ENV{TIERUP_TIER} // '';
    my ($tier) = grep { !defined why_not($_) } @{ $PREFERRED{$asked} // [] };
    $tier //= $asked eq '' && defined $baselines{''} ? '0' : $asked;
    my $self = bless { tier => $tier }, $class;
    if ($tier =~ /\A0(?::(.+))?\z/) {
        $self->{baseline} = loaded($baselines{ $1 // '' } // lost("tier $tier has no baseline: name its module, new(baseline => 'Your::Module')"));
    }
    else {
        my $variant = $VARIANTS{$tier} // lost("Tierup::{{module}} has no tier `$tier`, or nothing was built for it");
        my $reason = why_not($tier);
        lost("Tierup::{{module}} cannot run at tier $tier: $reason") if defined $reason;
        $self->{variant} = $variant->new;
    }
    return $self;
}

# The tier that runs: 1:pool.
sub tier { return $_[0]{tier} }

# Returns when no call has to wait for a start.
sub ready {
    my ($self) = @_;
    $self->{variant}->ready if $self->{variant};
    return;
}

# Calls a function by its number. Dies with a Tierup::{{module}}::Failure; at tier 0, with whatever the baseline dies with.
sub call {
    my ($self, $number, @arguments) = @_;
    my $function = $FUNCTIONS[$number];
    if (my $module = $self->{baseline}) {
        my $own = $module->can($function->{name}) // lost("$module has no function $function->{name}");
        return scalar $own->(@arguments);
    }
    return decode_answer($function, $self->{variant}->ask($number, encode_arguments($function, \@arguments)));
}

# A baseline's module, loaded unless the server has done so.
sub loaded {
    my ($module) = @_;
    return $module if grep { $module->can($_->{name}) } @FUNCTIONS;
    (my $file = "$module.pm") =~ s{::}{/}g;
    require $file;
    return $module;
}

sub lost { return Tierup::{{module}}::Failure->throw(lost => $_[0]) }

1;
