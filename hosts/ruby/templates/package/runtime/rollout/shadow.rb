# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# What a rollout sends of calls to a process that compares them with what the candidate answers. It goes out at once or not at all,
# and no call waits.

require "json"
require_relative "../companion"
require_relative "../limits"
require_relative "line"

class {{module}}::Tierup::Shadow
  Limits = {{module}}::Tierup::Limits
  Line = {{module}}::Tierup::Line
  # How long it pauses before it connects again, in seconds.
  PAUSE = 0.5
  LONGEST_PAUSE = 60

  # `program`: the built one. `folder`: for evidence. `say`: tells the operator, once.
  def initialize(program, folder, say)
    @limits = Limits.new
    @companion = {{module}}::Tierup::Companion.new(program, @limits)
    @folder = folder
    @say = say
    renew
  end

  # In a forked child: the connection is the parent's.
  def renew
    @line&.after_fork
    @line = nil
    @companion.renew
    @pause = PAUSE
    @next = 0
  end

  # Connects if there is no connection. Not in a call: it waits.
  def connect
    return if @line || Limits.now < @next

    # If it fails.
    @next = Limits.now + @pause
    @pause = [2 * @pause, LONGEST_PAUSE].min
    line = Line.new(@companion, @limits, @folder)
    begin
      line.greet(nil)
      @line = line
      @pause = PAUSE
    ensure
      line.kill unless @line
    end
  rescue StandardError => error
    @say.call(error.message)
  end

  # Sends a call, which may be kept with its values if it is answered differently; whether it could be sent at once.
  def send_call(number, arguments, answer, may_be_kept)
    number |= Line::KEEP if may_be_kept
    @line&.offer(Line.framed(number, [arguments.bytesize].pack("V"), arguments, answer))
  end

  # Sends what was counted.
  def count(counts) = @line&.offer(Line.framed(Line::COUNTS, JSON.generate(counts).b))

  # Once a second: sends what is left of a frame, and gives up a connection that was lost.
  def tick
    @line = nil if @line && !@line.tick
  end

  # Waits until what was sent is compared, for some seconds.
  def close(counts)
    line, @line = @line, nil
    line&.finish(Line.framed(Line::COUNTS, JSON.generate(counts).b))
  ensure
    @companion.end
  end
end
