# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Calls that take part in a rollout: those that the candidate answers, and those that are compared.

require_relative "../errors"
require_relative "copies"

module {{module}}::Tierup::Harmless
  NEVER = { Object => :never }.freeze

  module_function

  # The block's value, or nil if it raises. Interrupts (`Timeout`, `Thread#kill`) wait. Errors, such as of methods of a
  # server's own values or of a nearly full stack, must not reach the caller.
  def harmless
    Thread.handle_interrupt(NEVER) do
      yield
    rescue StandardError, SystemStackError
      nil
    end
  end
end

# A call that the candidate answers, or the control if the candidate fails.
class {{module}}::Tierup::Shared
  include {{module}}::Tierup::Harmless

  def initialize(rollout, now, number, arguments)
    @rollout = rollout
    @now = now
    @number = number
    @function = {{module}}::Tierup::FUNCTIONS[number]
    @arguments = arguments
    # Only code in this process can end it, so only `3:` candidates need the file.
    @deaths = rollout.deaths if now.candidate.start_with?("3:")
    # Whether the candidate has the call, how it ended there, and why the arguments were refused.
    @has_begun = false
    @kind = @refusal = nil
  end

  # The candidate's answer in an Array; nil if the control must answer. Raises errors that ended the call from outside.
  def answer(name)
    @deaths&.enter(self)
    @has_begun = true
    @rollout.count(:shared)
    began = @now.pairs.begin(@number, true)
    answer = @now.variant.public_send(name, *@arguments)
    @now.pairs.end(@number, true, began)
    @rollout.ended(@now, false)
    [answer]
  rescue StandardError, SystemStackError => error
    raise unless failed_there?(error)
  ensure
    @deaths&.leave(self)
  end

  # The control has answered instead.
  def answered(_value)
    case @kind
    when :refused then @rollout.refuse(@function, @refusal)
    when :errors then @rollout.count(:erred)
    end
  end

  def failed(_error) = nil

  private

  def failed_there?(error)
    return SystemStackError === error unless @has_begun

    @kind = kind_of(error)
    return false if @kind.nil?

    # The refusal counts only if the control takes the arguments.
    @kind == :refused ? @refusal = harmless { {{module}}::Tierup::Copies.words_of(error) } : @rollout.count(@kind)
    @rollout.ended(@now, !%i[refused errors].include?(@kind))
    true
  end

  def kind_of(error)
    case error
    when {{module}}::CallError then :errors
    when {{module}}::PanicError then :panics
    when {{module}}::CallTimeoutError then :timeouts
    # The pool's lock raises ThreadError in a signal's handler.
    when {{module}}::Error, ThreadError, SystemStackError then :lost
    when TypeError, RangeError, ArgumentError then :refused
    else :lost if arguments_raise?(error)
    end
  end

  # Whether an argument's own methods raised the error, and not another thread or a signal's handler.
  def arguments_raise?(error)
    @function.encoded(@arguments)
    false
  rescue StandardError => again
    again.instance_of?(error.class)
  end
end

# A call that is compared. Its arguments are encoded before anybody can change them.
class {{module}}::Tierup::Sample
  include {{module}}::Tierup::Harmless
  Copies = {{module}}::Tierup::Copies

  def initialize(rollout, now, number, arguments, is_baseline)
    @rollout = rollout
    @now = now
    @number = number
    @function = {{module}}::Tierup::FUNCTIONS[number]
    @is_baseline = is_baseline
    @arguments = @refusal = nil
    rollout.count(:sampled)
    harmless { encode(arguments) }
  end

  # The candidate never answers this call.
  def answer(_name) = nil

  def answered(value)
    harmless do
      if @refusal then @rollout.refuse(@function, @refusal)
      elsif @arguments then send_with { Copies.answer(@function, value) }
      end
    end
  end

  # `error` is nil if the call ended without one.
  def failed(error)
    harmless do
      next unless @refusal || @arguments

      answer = Copies.error(error, @is_baseline) unless @refusal
      # Arguments that both sides refuse, and a control that was lost or stopped, say nothing about the candidate.
      answer ? send_with { answer } : @rollout.count(:unsampled)
    end
  end

  private

  def encode(arguments)
    @arguments = Copies.arguments(@function, arguments)
  rescue Copies::TooLarge
    @rollout.count(:too_large)
  rescue StandardError, SystemStackError => error
    # Making the text of an error may take long, so this is done only if values may be kept.
    @refusal = @now.keeps_values ? Copies.words_of(error) : ""
  end

  def send_with
    is_sent = @rollout.shadow.send_call(@number, @arguments, yield, @now.keeps_values)
    @rollout.count(:dropped) unless is_sent
  rescue Copies::TooLarge
    @rollout.count(:too_large)
  rescue StandardError, SystemStackError
    # Methods of the server's own values have raised.
    @rollout.count(:dropped)
  end
end
