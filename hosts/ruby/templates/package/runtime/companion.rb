# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The companion: a program that starts a worker for each connection to its socket, and ends no later than this process.
#
# The first call starts it. If it has ended, the next call starts it again. Its workers outlive it. A forked child uses
# its parent's as long as that one lives. TIERUP_POOL_SOCKET names the socket of a companion that was started elsewhere.

require_relative "program"

class {{module}}::Tierup::Companion
  Limits = {{module}}::Tierup::Limits
  # The pause after a failed start before the next attempt, in seconds.
  PAUSE = 0.5
  # A bit more than the companion's longest pause between the starts of workers, in seconds.
  LONGEST_PAUSE = 6

  attr_reader :path, :socket

  def initialize(path, limits)
    @path = path
    @limits = limits
    named = ENV.fetch("TIERUP_POOL_SOCKET", "")
    @named = named unless named.empty?
    @socket = @named
    renew
  end

  # For a forked child: the companion's process is the parent's.
  def renew
    @program&.after_fork
    @program = nil
    @lock = Mutex.new
    @freed = ConditionVariable.new
    @is_taken = false
    # The reason why the last start failed. Calls get this error until `@next`.
    @failure = nil
    @next = 0.0
  end

  # How long a connection may wait for its worker: for a start that is under way, a pause, and its own start.
  def patience = (2 * @limits.start) + LONGEST_PAUSE

  # Yields the socket until there is a connection. Starts the companion if none listens.
  def connect(deadline, &connects)
    one_at_a_time(deadline) do
      next if @socket && connected?(&connects)

      start
      next if connected?(&connects)

      raise {{module}}::TransportError, "#{@path} ended as soon as it had started: standard error says why"
    end
  end

  # Ends the companion if it is this process's own. It removes its socket when its standard input is closed.
  def end
    program, @program = @program, nil
    return unless program

    program.end_input
    program.wait(program.class::PATIENCE)
    program.kill
  end

  private

  # Waiting here counts as waiting for a worker.
  def one_at_a_time(deadline)
    @lock.synchronize do
      while @is_taken
        left = Limits.left(deadline)
        raise @limits.waited_too_long if left&.zero?

        @freed.wait(@lock, left)
      end
      @is_taken = true
    end
    begin
      yield
    ensure
      @lock.synchronize { (@is_taken = false) || @freed.signal }
    end
  end

  # Whether somebody listens.
  def connected?
    yield @socket
    true
  rescue Errno::ECONNREFUSED, Errno::ENOENT
    raise {{module}}::TransportError, "nobody listens on #{@named} (TIERUP_POOL_SOCKET): does its program run?" if @named

    # A companion that was killed leaves its socket behind.
    File.unlink(@socket) if File.exist?(@socket)
    false
  rescue SystemCallError => error
    raise {{module}}::TransportError, "#{@socket}: #{error.message}"
  end

  def start
    raise {{module}}::TransportError, @failure if Limits.now < @next

    self.end
    begin
      @program = {{module}}::Tierup::Program.new(@path, "--tierup-companion", {{module}}::Tierup::ABI)
      @socket = said
    rescue {{module}}::TransportError => error
      @failure = error.message
      @next = Limits.now + PAUSE
      raise
    end
  end

  # The socket's path, which the companion writes once it listens.
  def said
    line = +""
    deadline = Limits.now + @limits.start
    until line.end_with?("\n")
      line << (@program.read(4096, deadline) { @limits.started_too_late(@path) } || raise(@program.ended))
    end
    line.chomp
  end
end
