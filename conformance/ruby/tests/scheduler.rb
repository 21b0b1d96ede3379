# frozen_string_literal: true

# The smallest fiber scheduler that these tests need: sleeping, waiting for pipes, and blocking until another thread unblocks.
class Scheduler
  def initialize
    @ready = []
    @timers = {}.compare_by_identity
    @readable = {}.compare_by_identity
    @writable = {}.compare_by_identity
    @blocked = 0
    @lock = Mutex.new
    @awake, @waker = IO.pipe
  end

  def fiber(&block)
    fiber = Fiber.new(blocking: false, &block)
    fiber.resume
    fiber
  end

  def kernel_sleep(seconds = nil)
    block(:sleep, seconds)
    true
  end

  def block(_blocker, timeout = nil)
    fiber = Fiber.current
    @timers[fiber] = now + timeout if timeout
    @blocked += 1
    Fiber.yield
  ensure
    @blocked -= 1
    @timers.delete(fiber)
  end

  # Any thread may call this.
  def unblock(_blocker, fiber)
    @lock.synchronize { @ready << fiber }
    @waker.write_nonblock(".", exception: false)
  end

  def io_wait(io, events, timeout)
    fiber = Fiber.current
    @readable[fiber] = io if events & IO::READABLE != 0
    @writable[fiber] = io if events & IO::WRITABLE != 0
    @timers[fiber] = now + timeout if timeout
    Fiber.yield || false
  ensure
    [@readable, @writable, @timers].each { |waiting| waiting.delete(fiber) }
  end

  def close = run

  def run
    until @ready.empty? && @timers.empty? && @readable.empty? && @writable.empty? && @blocked.zero?
      nearest = @timers.values.min
      wait = @ready.empty? ? nearest && [0, nearest - now].max : 0
      readable, writable = IO.select([@awake, *@readable.values], @writable.values, nil, wait)
      @awake.read_nonblock(1000, exception: false) if readable&.include?(@awake)
      resume(@readable, readable, IO::READABLE)
      resume(@writable, writable, IO::WRITABLE)
      @timers.select { |_, at| at <= now }.each_key { |fiber| fiber.resume(false) if @timers.delete(fiber) }
      @lock.synchronize { @ready.slice!(0..) }.each { |fiber| fiber.resume(true) if fiber.alive? }
    end
  end

  private

  def resume(waiting, ios, event)
    waiting.select { |_, io| ios&.include?(io) }.each_key { |fiber| fiber.resume(event) if waiting.key?(fiber) }
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
