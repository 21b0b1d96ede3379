# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# A process's part in a rollout: the thread that reads the control file, and the choice of calls. Ruby switches threads
# where methods and loops end, so counting needs no lock.

require "socket"
require_relative "../built"
require_relative "../forks"
require_relative "../limits"
require_relative "control_file"
require_relative "deaths"
require_relative "in_force"
require_relative "pairs"
require_relative "shadow"
require_relative "taken"

class {{module}}::Tierup::InProcess
  ControlFile = {{module}}::Tierup::ControlFile
  Deaths = {{module}}::Tierup::Deaths
  Limits = {{module}}::Tierup::Limits
  FUNCTIONS = {{module}}::Tierup::FUNCTIONS
  PURE = {{module}}::Tierup::PURE

  # How long `ready` and `close` wait for the thread, in seconds.
  PATIENCE = 5
  # The file's content expires after this many seconds, whatever the reason why it was not read again.
  FRESH = 5
  # After this many deaths in a call of the candidate, no process calls it.
  MOST_DEATHS = 2
  # Each message is printed once, and at most this many are.
  MOST_SAID = 20

  KINDS = %i[calls sampled too_large refused dropped shared erred errors panics timeouts lost
             pairs ahead behind squares control_ns candidate_ns].freeze

  attr_reader :deaths, :shadow

  def initialize(path, load)
    @path = File.expand_path(path)
    @folder = "#{@path}.evidence"
    @load = load
    variant = %w[1:pool 1:spawn].find { |name| {{module}}::Tierup::Built.built?(name) } || "1:pool"
    @shadow = {{module}}::Tierup::Shadow.new({{module}}::Tierup::Built.program(variant), @folder, method(:say))
    @said = {}
    # The loaded candidate variants by name, each with the call that releases it.
    @candidates = {}
    @is_closed = false
    # Held by the call that starts the thread in a forked child.
    @starting = Mutex.new
    start
    {{module}}::Tierup::Forks.renew(self)
  end

  # For a forked child, unless `Process.daemon` forked it: the descriptors are the parent's.
  def after_fork
    @in_force = nil
    @deaths&.drop
    @deaths = nil
    @shadow.renew
    true
  end

  # Waits some seconds until the file is read.
  def ready
    start_in_child
    deadline = Limits.now + PATIENCE
    @lock.synchronize { @changed.wait(@lock, Limits.left(deadline)) until @has_started || Limits.now >= deadline }
  end

  # A call of the control, a tier, as a part of the rollout.
  def call(number, control, tier, arguments)
    now = in_force(tier)
    return control.call(*arguments) if now.nil?

    taken = take(now, number, arguments, tier)
    answer = taken&.answer(control.name)
    return answer.first if answer

    begin
      began = now.pairs.begin(number, false) if taken.nil?
      value = control.call(*arguments)
      now.pairs.end(number, false, began)
      is_answered = true
    rescue Exception => error # rubocop:disable Lint/RescueException
      raise
    ensure
      # `throw` and `Thread#kill` have no error.
      taken&.failed(error) unless is_answered
    end
    taken&.answered(value)
    value
  end

  def count(kind) = @counts[kind] += 1

  # Counts a call of the candidate that has ended.
  def ended(now, is_failure)
    failed = now.ended(is_failure)
    # Calls do not print: a pipe that nobody reads would block them.
    @unsaid << "#{failed} of #{now.class::BLOCK} calls failed at #{now.candidate}, so the control answers until the control file changes" if failed
  end

  # Counts arguments that the control has answered and the candidate refuses. The reason may contain values.
  def refuse(function, words)
    count(:refused)
    @refusal ||= [function.name, @keeps_values ? words : nil]
  end

  # Waits for the thread. If it is busy, such as with connecting, the thread runs `finish` later.
  def close
    @is_closed = true
    @in_force = nil
    return after_fork && finish unless @process == Process.pid

    begin
      @lock.synchronize { (@is_over = true) && @changed.broadcast }
      @thread.join(PATIENCE) unless @thread == Thread.current
    ensure
      is_left = @lock.synchronize { @is_left = !@has_ended }
    end
    finish unless is_left
  end

  def at_exit
    return unless @process == Process.pid && !@is_closed

    @shadow.count(counted)
    @deaths&.end
  end

  private

  # Starts the thread of this process.
  def start
    @process = Process.pid
    @text = @in_force = @candidate = @deaths = @refusal = nil
    @keeps_values = @has_started = @has_ended = @is_over = @is_left = false
    @fresh = 0
    @counts = [*KINDS, :unsampled].to_h { |kind| [kind, 0] }
    @unsaid = []
    @began = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)
    # The server may have seeded Ruby's own generator.
    @random = Random.new
    @lock = Mutex.new
    @changed = ConditionVariable.new
    @thread = Thread.new { run }
    @thread.name = "tierup-rollout"
    # Puma warns about other threads when it forks.
    @thread.thread_variable_set(:fork_safe, true)
  end

  def start_in_child
    return if @thread.alive? || @process == Process.pid || @is_closed || !@starting.try_lock

    begin
      Thread.handle_interrupt(Object => :never) { after_fork && start } unless @process == Process.pid
    rescue StandardError => error
      {{module}}::Tierup::Rollout.tell(" is not obeyed in a forked process: #{error.message}")
    ensure
      @starting.unlock
    end
  end

  def run
    # The thread that started this one may defer interrupts. If this one did, the process could not end.
    Thread.handle_interrupt(Object => :immediate) do
      until @is_over
        turn
        @lock.synchronize do
          @has_started = true
          @changed.broadcast
          @changed.wait(@lock, 1) unless @is_over
        end
      end
    end
    is_done = true
  ensure
    @in_force = nil
    is_left = @lock.synchronize { (@has_ended = true) && @is_left }
    finish if is_left && is_done
  end

  def turn
    @shadow.tick
    read
    if @in_force
      @shadow.connect
      # Connecting may have taken a while.
      read
    end
    @shadow.count(counted)
    say(@unsaid.shift) until @unsaid.empty?
  rescue Exception => error # rubocop:disable Lint/RescueException
    @in_force = @text = nil
    say("the control answers every call: #{error.message}")
  end

  def read
    control = ControlFile.parse(ControlFile.read(@path))
    raise ControlFile::Wrong, "its judge has not renewed it: `until` is over" if control.until <= Time.now.to_f

    if @deaths && !File.exist?(@deaths.path)
      # The folder was removed, so a death would go unnoticed.
      @deaths.end
      @deaths = @text = nil
    end
    # A later `until` alone changes nothing.
    text = control.to_h.merge(until: nil)
    if text != @text
      @in_force = nil
      @keeps_values = control.keeps_values
      obey(control)
      @text = text
    end
    @fresh = Limits.now + FRESH
  rescue StandardError => error
    @text = @in_force = nil
    @keeps_values = false
    say("#{@path} is not obeyed, so the control answers every call: #{error.message}")
  ensure
    @refusal = [@refusal.first, nil] if @refusal && !@keeps_values
  end

  def obey(control)
    raise ControlFile::Wrong, "tierup.toml declares no function pure (`pure` of [function])" if PURE.empty?
    unless {{module}}::Tierup::Tiers::VARIANTS.key?(control.candidate)
      raise ControlFile::Wrong, "`candidate` must be a variant in Rust, such as 3:native, got `#{control.candidate}`"
    end
    return if control.shadow.zero? && control.share.zero?

    others = FUNCTIONS.map(&:name).reject.with_index { |_, number| PURE.include?(number) }
    unless others.empty?
      more = " and #{others.size - 3} more" if others.size > 3
      say("the control answers every call of #{others.first(3).join(", ")}#{more}, which tierup.toml does not declare pure")
    end
    variant = candidate_of(control) if control.share.positive?
    @candidate = control.candidate
    @in_force = {{module}}::Tierup::InForce.new(control, variant, {{module}}::Tierup::Pairs.new(control, @counts))
  end

  # The candidate that may answer calls here, or nil.
  def candidate_of(control)
    candidate = control.candidate
    name = "#{candidate} #{control.generation}".strip
    # Only code in this process can end it, so only `3:` candidates need the file.
    return if candidate.start_with?("3:") && @deaths&.name != name && !watched?(candidate, name)

    variant = (@candidates[candidate] ||= @load.call(candidate)).variant
    is_old = candidate.start_with?("3:") && !{{module}}::Tierup::Native.respond_to?(:tierup_mark)
    is_old ? raise(ControlFile::Wrong, "#{candidate} was built by an older tierup: run `tierup build`") : variant
  end

  # Whether deaths in the candidate's calls will be noticed, and have been few.
  def watched?(candidate, name)
    deaths = Deaths.new(@folder, name)
    count = deaths.count(@deaths&.path)
    if count >= MOST_DEATHS
      say("#{count} processes died in a call of #{candidate} (#{@folder}/*.died), so the control answers until `generation` is another one")
      return false
    end
    deaths.begin
    before, @deaths = @deaths, deaths
    before&.end
    true
  rescue SystemCallError => error
    say("the control answers, as nobody would learn that a call of #{candidate} ended the process: #{error.message}")
    false
  end

  # The control in force, if it concerns a call at this tier, which is then counted.
  def in_force(tier)
    start_in_child unless @thread.alive?
    now = @in_force
    return if now.nil? || now.candidate == tier || Limits.now > @fresh

    count(:calls)
    now
  end

  # The call if the candidate answers it, or if it is compared; nil if only the control takes it.
  def take(now, number, arguments, tier)
    if now.share.positive? && shared?(now, number, arguments)
      {{module}}::Tierup::Shared.new(self, now, number, arguments)
    elsif now.shadow.positive? && @random.rand < now.shadow
      {{module}}::Tierup::Sample.new(self, now, number, arguments, tier.start_with?("0"))
    end
  end

  def shared?(now, number, arguments)
    return @random.rand < now.share unless now.by_input

    {{module}}::Tierup::Harmless.harmless do
      now.chooses?(number, {{module}}::Tierup::Copies.arguments(FUNCTIONS[number], arguments))
    end
  end

  def counted
    counts = @counts.dup
    counts[:sampled] -= counts.delete(:unsampled)
    refusal = @refusal&.compact&.join(": ")&.slice(0, 100)
    host = { process: Process.pid.to_s, began: @began, machine: Socket.gethostname }
    { **host, **counts, **{ candidate: @candidate, refusal: refusal }.compact }
  end

  def say(words)
    return if @said.key?(words) || @said.size >= MOST_SAID

    @said[words] = true
    {{module}}::Tierup::Rollout.tell(": #{words}")
  end

  def finish
    @in_force = nil
    say(@unsaid.shift) until @unsaid.empty?
    {{module}}::Tierup::Forks.forget(self)
    ends = [-> { @shadow.close(counted) }, -> { @deaths&.end }, *@candidates.each_value.map(&:release)]
    ends.each do |one|
      one.call
    rescue StandardError => error
      say("it has not ended well: #{error.message}")
    end
  end
end
