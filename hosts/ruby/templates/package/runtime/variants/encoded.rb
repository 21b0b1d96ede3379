# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The base of variants with encoded calls. They have `call(number, arguments)`, and inherit a method for each function.

require_relative "../../interface"

class {{module}}::Tierup::Encoded
  {{module}}::Tierup::FUNCTIONS.each_index do |number|
    define_method(:"f#{number}") { |*arguments| call(number, arguments) }
  end

  # Returns once no call has to wait for a start.
  def ready = nil

  # Frees everything.
  def close = nil
end
