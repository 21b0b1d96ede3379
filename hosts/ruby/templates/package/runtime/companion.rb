# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The companion: a program that starts a worker for each connection to its socket, and ends with this process.
#
# It is started by the first call, and anew by the next one if it has ended. Workers live on without it. A forked child calls its
# parent's as long as that lives. TIERUP_POOL_SOCKET names the socket of one that somebody else has started.

require_relative "program"

class {{module}}::Tierup::Companion
  Limits = {{module}}::Tierup::Limits
  # How long nobody tries to start it again when it could not be started, in seconds.
  PAUSE = 0.5
  # How long it pauses at most between the starts of workers, in seconds, and a moment.
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

  # In a forked child: its process is the parent's.
  def renew
    @program&.after_fork
    @program = nil
    @lock = Mutex.new
    @freed = ConditionVariable.new
    @is_taken = false
    # Why it could not be started, and until when that is what calls learn.
    @failure = nil
    @next = 0.0
  end

  # How long a connection may wait for its worker: for the start that is under way, for a pause, and for its own.
  def patience = (2 * @limits.start) + LONGEST_PAUSE

  # Yields the socket until there is a connection, and starts the companion if there is none.
  def connect(deadline, &connects)
    one_at_a_time(deadline) do
      next if @socket && connected?(&connects)

      start
      next if connected?(&connects)

      raise {{module}}::TransportError, "#{@path} ended as soon as it had started: standard error says why"
    end
  end

  # Ends it, if it is this process's own. Its standard input ends, so that it removes its socket.
  def end
    program, @program = @program, nil
    return unless program

    program.end_input
    program.wait(program.class::PATIENCE)
    program.kill
  end

  private

  # The wait counts as that for a worker.
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

    # One that was killed leaves it behind.
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

  # The path that it says when it listens.
  def said
    line = +""
    deadline = Limits.now + @limits.start
    until line.end_with?("\n")
      line << (@program.read(4096, deadline) { @limits.started_too_late(@path) } || raise(@program.ended))
    end
    line.chomp
  end
end
