# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# What a variant is whose calls are encoded: it has `call(number, arguments)`, and gets a method for each function from here.

require_relative "../../interface"

class {{module}}::Tierup::Encoded
  {{module}}::Tierup::FUNCTIONS.each_index do |number|
    define_method(:"f#{number}") { |*arguments| call(number, arguments) }
  end

  # Returns when no call has to wait for a start.
  def ready = nil

  # Frees everything.
  def close = nil
end
