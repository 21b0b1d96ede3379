# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# `1:pool`: long-lived processes that answer frames, one for each processor or TIERUP_WORKERS of them.
#
# Whoever calls takes a worker, writes, reads and puts it back: threads wait for each other only if all are busy. A process that
# is forked from this one starts its own workers.

require_relative "encoded"
require_relative "../answers"
require_relative "../built"
require_relative "../limits"
require_relative "../parallelism"
require_relative "../starts"
require_relative "../worker"

class {{module}}::Tierup::Pool < {{module}}::Tierup::Encoded
  Limits = {{module}}::Tierup::Limits

  # How long callers and starts whose workers `close` has killed may take to notice, in seconds.
  GRACE_OF_CALLERS = 5

  # Interrupts (`Timeout`, `Thread#kill`) come only where a call waits, so that no worker is lost.
  NEVER = { Object => :never }.freeze
  WAITING = { Object => :on_blocking }.freeze

  def initialize(variant)
    super()
    @path = {{module}}::Tierup::Built.program(variant)
    @limits = Limits.new
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
    answer = nil
    Thread.handle_interrupt(NEVER) do
      worker = take(deadline)
      begin
        answer = Thread.handle_interrupt(WAITING) { worker.ask(frame, deadline) }
      ensure
        # Even if the caller was interrupted: nobody reads the answer that is still to come.
        answer ? put_back(worker) : drop(worker)
      end
    end
    {{module}}::Tierup::Answers.read(function, answer)
  end

  # Returns when all workers can be called; raises the first error once no start is under way that it waited for.
  def ready
    renew unless @owner == Process.pid
    @lock.synchronize do
      while !@is_closed && missing > @starts.under_way.size && @starts.pause.positive?
        @start_ended.wait(@lock, @starts.pause)
      end
      starts = @starts.under_way.dup
      starts.concat(Array.new([missing - starts.size, 0].max) { start }) unless @is_closed
      @start_ended.wait(@lock) while starts.any? { |start| start.end.nil? }
      failed = starts.select(&:error)
      raise failed.min_by(&:end).error.exception unless failed.empty? || @is_closed
    end
  end

  # Waits for running calls, gives them up if that takes too long, then ends the workers.
  def close
    return if @owner != Process.pid

    idle = @lock.synchronize do
      @is_closed = true
      @changed.broadcast
      wait_until(@limits.grace) { @busy.empty? && @in_line.zero? }
      (@busy.keys + @starts.under_way).each(&:give_up)
      wait_until(GRACE_OF_CALLERS) { @busy.empty? && @starts.under_way.empty? }
      @has_ended = true
      @idle.slice!(0..)
    end
    {{module}}::Tierup::Worker.end_all(idle)
    {{module}}::Tierup::Forks.forget(self)
    @orders.close
    @starter&.join
  end

  # In a forked child: the workers are the parent's.
  def after_fork
    renew
    true
  end

  private

  def renew
    @owner = Process.pid
    @lock = Mutex.new
    @changed = ConditionVariable.new
    # For `ready`. It must not take a signal of `changed`, which may be meant for one call.
    @start_ended = ConditionVariable.new
    # Workers that can be called. The last is the first to be taken: its memory is in the caches.
    @idle = []
    # Workers with a call.
    @busy = {}.compare_by_identity
    @starts = {{module}}::Tierup::Starts.new
    # How many calls have no worker yet.
    @in_line = 0
    @has_ended = false
    @orders = Queue.new
    @starter = nil
  end

  # How many workers cannot be called: they are starting, or will be started.
  def missing = @size - @idle.size - @busy.size

  # How many calls wait for a worker, without those that a missing worker will take.
  def waiting = [0, @in_line - missing].max

  # Waits for a worker that can be called. Without a free worker it starts one, which any call may take.
  def take(deadline)
    @lock.synchronize do
      begun = @starts.begun
      is_waiting = has_started_one = false
      begin
        loop do
          raise {{module}}::TransportError, "the pool is closed" if @is_closed && !(is_waiting && (@idle.any? || @starts.under_way.any?))

          left = Limits.left(deadline)
          raise @limits.waited_too_long if left&.zero?

          worker = idle_one
          if worker
            @busy[worker] = true
            return worker
          end
          @starts.check(begun)
          pause = nil
          if may_start?(has_started_one)
            pause = @starts.pause
            if pause.zero?
              has_started_one = true
              start
              next
            end
          end
          raise @limits.too_many if !is_waiting && waiting >= @limits.most_waiting

          @in_line += 1 unless is_waiting
          is_waiting = true
          Thread.handle_interrupt(WAITING) { @changed.wait(@lock, [pause, left].compact.min) }
        end
      rescue Exception # rubocop:disable Lint/RescueException
        # A signal that this call got must reach another one that waits.
        @changed.signal
        raise
      ensure
        @in_line -= 1 if is_waiting
        @changed.broadcast if @is_closed
      end
    end
  end

  # Takes an idle worker, or returns nil.
  def idle_one
    while (worker = @idle.pop)
      return worker if worker.silent?

      # It died while it was idle, so no call is lost with it.
      worker.kill
    end
  end

  # Whether a call without a worker may start one: its first, or one that the starts under way leave wanting.
  def may_start?(has_started_one)
    under_way = @starts.under_way.size
    !@is_closed && under_way < missing && (!has_started_one || under_way < @in_line)
  end

  # Starts a worker. Linux kills a worker when the thread that created it ends, so one thread creates them all and stays.
  def start
    start = @starts.begin
    @starter ||= quiet_thread("tierup-pool", @orders) do |orders|
      while (order = orders.pop)
        create(order)
      end
    end
    @orders << start
    start
  end

  # In the starter's thread. Another one waits until the worker has started.
  def create(start)
    raise {{module}}::TransportError, "the pool is closed" if start.given_up?

    worker = {{module}}::Tierup::Worker.new(@path, @limits)
    @lock.synchronize do
      start.worker = worker
      worker.give_up if start.given_up?
    end
    quiet_thread("tierup-start", start) { |greeted| greet(greeted) }
  rescue StandardError => error
    failed(start, error)
  end

  def greet(start)
    worker = start.worker
    begin
      worker.greet
    rescue StandardError => error
      worker.kill
      return failed(start, error)
    end
    @lock.synchronize do
      @starts.succeed(start)
      @has_ended ? worker.kill : @idle << worker
      tell
      @start_ended.broadcast
    end
  end

  def failed(start, error)
    @lock.synchronize do
      @starts.fail(start, error, @idle.any? || @busy.any?)
      @changed.broadcast
      @start_ended.broadcast
    end
  end

  def put_back(worker)
    @lock.synchronize do
      # In a process that was forked during the call, the worker is not in this pool.
      next unless @busy.delete(worker)

      # Otherwise its caller took longer than `close` waits.
      @has_ended ? worker.kill : @idle << worker
      tell
    end
  end

  # Makes room for another worker.
  def drop(worker)
    worker.kill
    @lock.synchronize { tell if @busy.delete(worker) }
  end

  # Wakes one call that waits, or all and `close` if the pool is being closed.
  def tell = @is_closed ? @changed.broadcast : @changed.signal

  # Waits until something is so, at most so many seconds.
  def wait_until(seconds)
    deadline = Limits.now + seconds
    @changed.wait(@lock, Limits.left(deadline)) until yield || Limits.now >= deadline
  end

  def quiet_thread(name, *arguments, &block)
    # A thread inherits what its creator does not let through. It could not be ended, and Ruby waits for it at its own end.
    thread = Thread.new { Thread.handle_interrupt(Object => :immediate) { block.call(*arguments) } }
    thread.name = name
    thread.report_on_exception = false
    thread
  end
end
