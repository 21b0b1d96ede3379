# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `[health]` of tierup.toml: a golden call, and the SHA-256 of each correct answer.

require "digest"
require_relative "checks"
require_relative "errors"
require_relative "../interface"

module {{module}}::Tierup::Health
  module_function

  # Makes the golden call; raises if its answer is wrong.
  def check(variant, tier)
    health = {{module}}::Tierup::HEALTH
    raise {{module}}::HealthError, "#{{{module}}::Tierup::PACKAGE} has no golden call: give it a [health] in tierup.toml" if health.nil?

    number, arguments, right = health
    function = {{module}}::Tierup::FUNCTIONS[number]
    where = "the golden call of #{function.name} at tier #{tier}"
    begin
      answer = variant.public_send(:"f#{number}", *function.arguments(arguments))
    rescue StandardError => error
      raise {{module}}::HealthError, "#{where} failed: #{error.message}"
    end
    digest = digest_of(function, answer)
    return if right.include?(digest)

    raise {{module}}::HealthError, "#{where} gave a wrong answer: its SHA-256 is #{digest}, expected #{right.join(" or ")}"
  end

  # The SHA-256 of text or bytes, or of the encoded value of any other type.
  def digest_of(function, answer)
    encoded = function.encoded_output(answer)
    Digest::SHA256.hexdigest(function.is_raw ? encoded.byteslice(4, encoded.bytesize) : encoded)
  rescue {{module}}::Tierup::Mismatch => mismatch
    raise {{module}}::HealthError, mismatch.refusal("answer").message
  end
end
