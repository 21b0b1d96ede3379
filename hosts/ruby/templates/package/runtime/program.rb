# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# A process of the built program, and the pipes to it. It inherits standard error: nobody forwards its messages.

require "monitor"
require "io/wait"
require_relative "errors"
require_relative "forks"
require_relative "limits"

class {{module}}::Tierup::Program
  Limits = {{module}}::Tierup::Limits

  # How long a process that has closed its pipes may take to end before it is killed, in seconds.
  PATIENCE = 5

  # The size of a pipe's buffer.
  CHUNK = 1 << 16

  attr_reader :path

  def initialize(path, *line)
    prepare(path)
    # An interrupt after the start would lose the process before it is known here.
    Thread.handle_interrupt(Object => :never) do
      {{module}}::Tierup::Forks::STARTING.synchronize do
        start(line)
        {{module}}::Tierup::Forks.renew(self)
      end
    end
  end

  # Writes all bytes. The block makes the error for a missed deadline.
  def write(bytes, deadline)
    written = @input.write_nonblock(bytes, exception: false)
    until written == bytes.bytesize
      if written == :wait_writable
        @input.wait_writable(Limits.left(deadline)) || raise(yield)
        written = 0
      else
        bytes = bytes.byteslice(written, bytes.bytesize)
      end
      written = @input.write_nonblock(bytes, exception: false)
    end
  rescue SystemCallError, IOError
    raise failed_to_write(written.nil?)
  end

  # Closes the input.
  def end_input = @input.close

  # Some bytes of the process's output; nil at its end. The next read overwrites the String.
  def read(most, deadline)
    if deadline && !@output.wait_readable(Limits.left(deadline))
      raise yield
    end

    @output.readpartial(most, @chunk)
  rescue EOFError
    nil
  rescue SystemCallError, IOError
    raise ended
  end

  # Reads exactly this many bytes.
  def read_exactly(length, deadline, &late)
    bytes = String.new(capacity: length, encoding: Encoding::BINARY)
    while bytes.bytesize < length
      bytes << (read([length - bytes.bytesize, CHUNK].min, deadline, &late) || raise(ended))
    end
    bytes
  end

  # Reads all output until the process ends. Raises if the process fails.
  def read_all(deadline, &late)
    bytes = String.new(encoding: Encoding::BINARY)
    while (part = read(CHUNK, deadline, &late))
      bytes << part
    end
    status = wait(PATIENCE)
    is_whole = status ? status.success? : !@is_given_up
    is_whole ? bytes : raise(ending(status))
  end

  # Kills a process that another thread waits for.
  def give_up
    @is_given_up = true
    @reaping.synchronize { signal }
  end

  # Ends the process and frees its resources.
  def kill
    Thread.handle_interrupt(Object => :never) do
      signal
      wait(nil)
      close
    end
  end

  # For a forked child: the process is the parent's.
  def after_fork
    @process = nil
    close_pipes
    false
  end

  # Waits for the process's end, and kills it after this many seconds. Returns its status; nil if other code took it.
  def wait(seconds)
    pause = 0.0001
    deadline = seconds && Limits.now + seconds
    while @process
      # `give_up` in another thread must not find a number that is free again.
      _, status = @reaping.synchronize do
        Process.wait2(@process, seconds ? Process::WNOHANG : 0).tap { |found| @process = nil if found }
      end
      return status if status

      if Limits.now >= deadline
        signal
        seconds = nil
      else
        sleep(pause)
        pause = [2 * pause, 0.02].min
      end
    end
  rescue Errno::ECHILD
    @process = nil
  end

  # The error for a process whose pipes are closed. Kills the process if it is still alive.
  def ended = ending(wait(PATIENCE))

  private

  def prepare(path)
    @path = path
    @is_given_up = false
    @reaping = Mutex.new
    @chunk = String.new(capacity: CHUNK, encoding: Encoding::BINARY)
  end

  def failed_to_write(_is_first) = ended

  def start(line)
    their_input, @input = IO.pipe
    @output, their_output = IO.pipe
    [@input, @output].each(&:binmode)
    # Ctrl-C in a terminal must reach only the server's group, which still needs the answers of running calls.
    @process = Process.spawn([@path, @path], *line, in: their_input, out: their_output, pgroup: true)
  rescue SystemCallError => error
    close
    raise {{module}}::TransportError, "#{@path} could not be started: #{error.message}"
  ensure
    [their_input, their_output].each { |pipe| pipe&.close }
  end

  def close
    {{module}}::Tierup::Forks.forget(self)
    close_pipes
  end

  def close_pipes
    [@input, @output].each { |pipe| pipe.close if pipe && !pipe.closed? }
  end

  # Only while nobody has waited for the process: afterwards another process may have its number.
  def signal
    process = @process
    Process.kill(:KILL, process) if process
  rescue Errno::ESRCH
    nil
  end

  def ending(status)
    return Limits.closed_before if @is_given_up
    return {{module}}::TransportError.new("#{@path} has ended") if status.nil?
    return {{module}}::TransportError.new("#{@path} was ended by SIG#{Signal.signame(status.termsig) || status.termsig}") if status.signaled?

    {{module}}::TransportError.new("#{@path} ended with exit code #{status.exitstatus}: standard error has its last words")
  end
end
