# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Sends calls to a process that compares them with the candidate's answers. A call is sent at once or not at all, and
# never waits.

require "json"
require_relative "../companion"
require_relative "../limits"
require_relative "line"

class {{module}}::Tierup::Shadow
  Limits = {{module}}::Tierup::Limits
  Line = {{module}}::Tierup::Line
  # The pause before it connects again, in seconds.
  PAUSE = 0.5
  LONGEST_PAUSE = 60

  # `program` is the built one; `folder` is for evidence; `say` prints a message once.
  def initialize(program, folder, say)
    @limits = Limits.new
    @companion = {{module}}::Tierup::Companion.new(program, @limits)
    @folder = folder
    @say = say
    renew
  end

  # For a forked child: the connection is the parent's.
  def renew
    @line&.after_fork
    @line = nil
    @companion.renew
    @pause = PAUSE
    @next = 0
  end

  # Connects if there is no connection. Calls must not use this, as it waits.
  def connect
    return if @line || Limits.now < @next

    # For the case that it fails.
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

  # Sends a call; whether that was possible at once. Its values may be kept if the answers differ.
  def send_call(number, arguments, answer, may_be_kept)
    number |= Line::KEEP if may_be_kept
    @line&.offer(Line.framed(number, [arguments.bytesize].pack("V"), arguments, answer))
  end

  # Sends the counts.
  def count(counts) = @line&.offer(Line.framed(Line::COUNTS, JSON.generate(counts).b))

  # Sends the rest of a frame, once a second, and drops a lost connection.
  def tick
    @line = nil if @line && !@line.tick
  end

  # Waits some seconds until the calls sent so far are compared.
  def close(counts)
    line, @line = @line, nil
    line&.finish(Line.framed(Line::COUNTS, JSON.generate(counts).b))
  ensure
    @companion.end
  end
end
