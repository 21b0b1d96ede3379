# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The control in force, with the candidate's variant.

require "digest"

class {{module}}::Tierup::InForce
  # The candidate gets no more calls if more than MOST_FAILED of BLOCK calls panic, time out or get lost.
  BLOCK = 100
  MOST_FAILED = 50

  # The key for hashes if the file has none. An input then stays with one side for the process's lifetime.
  OWN_KEY = Random.urandom(16).unpack1("H*")

  attr_reader :candidate, :shadow, :share, :by_input, :keeps_values, :pairs, :variant

  # `variant` is nil if the candidate must not answer calls.
  def initialize(control, variant, pairs)
    @candidate = control.candidate
    @shadow = control.shadow
    @share = variant ? control.share : 0
    @by_input = control.by_input
    @keeps_values = control.keeps_values
    @pairs = pairs
    @variant = variant
    key = (control.key || OWN_KEY).b
    key = Digest::SHA256.digest(key) if key.bytesize > 64
    @inner, @outer = [0x36, 0x5C].map { |pad| key.ljust(64, "\0").bytes.map { |byte| byte ^ pad }.pack("C*") }
    renew
  end

  # Whether the candidate answers these encoded arguments, by HMAC-SHA256. Digest lacks it, and OpenSSL may be missing.
  def chooses?(number, encoded)
    inner = Digest::SHA256.digest(@inner + "#{number} " + encoded)
    Digest::SHA256.digest(@outer + inner).unpack1("V") < @share * 2**32
  end

  # Counts a call of the candidate. If too many have failed, returns their number, and the candidate gets no more calls.
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
