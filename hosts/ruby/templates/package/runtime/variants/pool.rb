# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `1:pool`: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them.
#
# A caller takes a worker, writes, reads and puts it back, so threads wait only if all workers are busy. The companion
# starts the processes. A forked process has workers of its own.

require_relative "closing"
require_relative "encoded"
require_relative "../answers"
require_relative "../built"
require_relative "../companion"
require_relative "../limits"
require_relative "../parallelism"
require_relative "../worker"

class {{module}}::Tierup::Pool < {{module}}::Tierup::Encoded
  include {{module}}::Tierup::Closing

  Limits = {{module}}::Tierup::Limits

  # Interrupts (`Timeout`, `Thread#kill`) are allowed only where a call waits, so that no worker is lost.
  NEVER = { Object => :never }.freeze
  WAITING = { Object => :on_blocking }.freeze

  def initialize(variant)
    super()
    @limits = Limits.new
    @companion = {{module}}::Tierup::Companion.new({{module}}::Tierup::Built.program(variant), @limits)
    # By default one worker for each processor that this process may use.
    @size = Limits.whole_number("TIERUP_WORKERS") || {{module}}::Tierup::Parallelism.count
    @is_closed = false
    renew
    {{module}}::Tierup::Forks.renew(self)
  end

  def call(number, arguments)
    function = {{module}}::Tierup::FUNCTIONS[number]
    frame = function.encoded(arguments, [0, number].pack("VV"))
    frame[0, 4] = [frame.bytesize - 4].pack("V")
    deadline = @limits.deadline
    renew unless @owner == Process.pid
    answer = worker = nil
    Thread.handle_interrupt(NEVER) do
      worker = take(deadline)
      answer = Thread.handle_interrupt(WAITING) { worker.ask(frame, deadline) }
    rescue {{module}}::Tierup::Unheard
      worker = drop(worker) && nil
      retry
    ensure
      # This includes interruptions of the caller: nobody reads the answer that is still to come.
      answer ? put_back(worker) : worker && drop(worker)
    end
    {{module}}::Tierup::Answers.read(function, answer)
  end

  # Starts the missing workers. Raises the first error once all have started or failed.
  def ready
    renew unless @owner == Process.pid
    own = @lock.synchronize { @is_closed ? [] : Array.new(missing) { busy(new_worker) } }
    failure = start_all(own)
    raise {{module}}::TransportError, failure if failure && !@is_closed
  end

  # Waits for running calls, gives them up if they take too long, then ends the workers.
  def close
    return if @owner != Process.pid

    idle = @lock.synchronize do
      @is_closed = true
      @changed.broadcast
      wait_until(@limits.grace) { @busy.empty? && @waiting.zero? }
      @busy.each_key(&:give_up)
      wait_until(GRACE_OF_CALLERS) { @busy.empty? }
      @has_ended = true
      @idle.slice!(0..)
    end
    {{module}}::Tierup::Worker.end_all(idle)
    {{module}}::Tierup::Forks.forget(self)
    @companion.end
  end

  # For a forked child: the workers are the parent's.
  def after_fork
    renew
    true
  end

  private

  def renew
    # `Process.daemon` does not call their hooks.
    [*@idle, *@busy&.keys].each(&:after_fork)
    @companion.renew if @owner
    @owner = Process.pid
    @lock = Mutex.new
    @changed = ConditionVariable.new
    # Workers without a call. The last one is taken first, as its memory is still in the CPU's caches.
    @idle = []
    # Workers that a call uses, or that a call or `ready` is starting.
    @busy = {}.compare_by_identity
    # How many calls wait for a worker.
    @waiting = 0
    @has_ended = false
  end

  # How many more workers may be started.
  def missing = @size - @idle.size - @busy.size

  def usable? = @idle.any? || @busy.each_key.any?(&:greeted?)

  # Takes a worker that can be called. Starts one if none is free.
  def take(deadline)
    may_start = may_repeat = true
    begin
      worker = next_one(deadline, may_start)
      Thread.handle_interrupt(WAITING) { worker.greet(deadline) } unless worker.greeted?
      worker
    rescue Exception => error # rubocop:disable Lint/RescueException
      raise unless worker

      has_usable = drop(worker)
      worker = nil
      if may_repeat && error.is_a?({{module}}::Tierup::Unheard)
        may_repeat = false
        retry
      elsif has_usable && error.instance_of?({{module}}::TransportError)
        # From now on the call waits for a worker that can be called.
        may_start = false
        retry
      end
      raise
    end
  end

  def next_one(deadline, may_start)
    @lock.synchronize do
      is_waiting = false
      begin
        loop do
          raise {{module}}::TransportError, "the pool is closed" if @is_closed && !(is_waiting && (@idle.any? || @busy.any?))

          left = Limits.left(deadline)
          raise @limits.waited_too_long if left&.zero?

          return busy(@idle.pop || new_worker) if @idle.any? || (missing.positive? && (may_start || !usable?))
          raise @limits.too_many if !is_waiting && @waiting >= @limits.most_waiting

          @waiting += 1 unless is_waiting
          is_waiting = true
          Thread.handle_interrupt(WAITING) { @changed.wait(@lock, left) }
        end
      rescue Exception # rubocop:disable Lint/RescueException
        # A signal that woke this call must wake another one that waits.
        @changed.signal
        raise
      ensure
        @waiting -= 1 if is_waiting
        @changed.broadcast if @is_closed
      end
    end
  end

  # The caller must greet it.
  def new_worker = {{module}}::Tierup::Worker.new(@companion, @limits)

  def busy(worker)
    @busy[worker] = true
    worker
  end

  # Starts workers concurrently. Returns the first failure's message.
  def start_all(own)
    failure = nil
    %i[open greet].each do |step|
      own.dup.each do |worker|
        worker.public_send(step, nil)
      rescue {{module}}::TransportError => error
        failure ||= error.message
        drop(own.delete(worker))
      end
    end
    failure
  ensure
    own.each { |worker| worker.greeted? ? put_back(worker) : drop(worker) }
  end

  def put_back(worker)
    @lock.synchronize do
      # In a process that was forked during the call, the worker is not in this pool.
      next unless @busy.delete(worker)

      # If `@has_ended`, the call took longer than `close` waits.
      @has_ended ? worker.kill : @idle << worker.rested
      tell
    end
  end

  # Makes room for another worker. Returns whether some worker can be called.
  def drop(worker)
    worker.kill
    @lock.synchronize do
      tell if @busy.delete(worker)
      usable?
    end
  end
end
