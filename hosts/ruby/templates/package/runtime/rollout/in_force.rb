# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# What the control file says, with the candidate's variant.

require "digest"

class {{module}}::Tierup::InForce
  # If more of so many calls in a row end in a panic, a time-out or a loss, the candidate gets no more.
  BLOCK = 100
  MOST_FAILED = 50

  # The hash's key where the file has none: an input then stays with one side as long as the process lives.
  OWN_KEY = Random.urandom(16).unpack1("H*")

  attr_reader :candidate, :shadow, :share, :by_input, :keeps_values, :variant

  # `variant`: nil if nothing may be shared.
  def initialize(control, variant)
    @candidate = control.candidate
    @shadow = control.shadow
    @share = variant ? control.share : 0
    @by_input = control.by_input
    @keeps_values = control.keeps_values
    @variant = variant
    key = (control.key || OWN_KEY).b
    key = Digest::SHA256.digest(key) if key.bytesize > 64
    @inner, @outer = [0x36, 0x5C].map { |pad| key.ljust(64, "\0").bytes.map { |byte| byte ^ pad }.pack("C*") }
    renew
  end

  # Whether the candidate answers these encoded arguments, by HMAC-SHA256: Digest has none, and OpenSSL may be missing.
  def chooses?(number, encoded)
    inner = Digest::SHA256.digest(@inner + "#{number} " + encoded)
    Digest::SHA256.digest(@outer + inner).unpack1("V") < @share * 2**32
  end

  # Counts a call of the candidate. The number of failures if they were too many: nothing is shared from then on.
  def ended(is_failure)
    @calls += 1
    @failed += 1 if is_failure
    return if @calls < BLOCK

    failed = @failed
    renew
    return if failed <= MOST_FAILED || @share.zero?

    @share = 0
    failed
  end

  private

  def renew
    @calls = 0
    @failed = 0
  end
end
