# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `3:async`: the extension. Under a fiber scheduler, a call runs in a thread, so that it cannot block the other fibers.
# Otherwise it is the same as `3:native`, which does not block other threads.

require_relative "native"

class {{module}}::Tierup::Threaded
  def initialize(variant)
    @native = {{module}}::Tierup::Native.new(variant)
  end

  {{module}}::Tierup::FUNCTIONS.each_index do |number|
    name = :"f#{number}"
    define_method(name) do |*arguments|
      if Fiber.current_scheduler
        in_thread { @native.public_send(name, *arguments) }
      else
        @native.public_send(name, *arguments)
      end
    end
  end

  def ready = nil
  def close = nil

  private

  def in_thread(&call)
    thread = Thread.new(&call)
    # The error is raised in the caller.
    thread.report_on_exception = false
    thread.value
  end
end
