# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `0` and `0:LABEL`: the server's own functions. Arguments, answers and errors pass as they are.

class {{module}}::Tierup::Baseline
  # `functions` are the server's own, by the number of the function that each replaces.
  def initialize(functions)
    functions.each_with_index do |function, number|
      define_singleton_method(:"f#{number}") { |*arguments| function.call(*arguments) }
    end
  end

  def ready = nil
  def close = nil
end
