# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# A connection to one process of the pool. The process ends with the connection, even during a call.
#
# The first 8 bytes are the hash of the interface, or 8 zeros, followed by the reason why there is no process. The
# process then answers frames in order. Where pipes are faster, it makes them for the frames.

require "socket"
require_relative "program"

# The worker ended before the call, or the companion before it had started the worker. The call can be repeated.
class {{module}}::Tierup::Unheard < {{module}}::TransportError; end

class {{module}}::Tierup::Worker < {{module}}::Tierup::Program
  REFUSAL = "\0".b * 8
  # A request for pipes: its length, and a reserved number in place of a function's.
  PIPES = [4, 0x7FFF_FFFF].pack("VV").freeze

  # The worker is not connected yet: `greet` connects it.
  def initialize(companion, limits) # rubocop:disable Lint/MissingSuper
    @companion = companion
    @limits = limits
    @is_greeted = @has_rested = false
    prepare(companion.path)
  end

  # Whether the worker can be called.
  def greeted? = @is_greeted

  # Marks the worker as idle. If it is killed then, the next call detects that and is repeated.
  def rested
    @has_rested = true
    self
  end

  def open(deadline)
    return if @input

    @companion.connect(deadline) do |socket|
      {{module}}::Tierup::Forks::STARTING.synchronize do
        @connection = @input = @output = UNIXSocket.new(socket)
        {{module}}::Tierup::Forks.renew(self)
      end
    end
    @start_end = Limits.now + @companion.patience
    raise ended if @is_given_up
  end

  # Waits until the worker can be called. It is unusable after an exception.
  def greet(deadline)
    open(deadline)
    wait_end = [@start_end, deadline].compact.min
    late = -> { wait_end == @start_end ? @limits.started_too_late(path) : @limits.waited_too_long }
    hello = read(8, wait_end, &late) || raise(unheard)
    raise {{module}}::TransportError, reason if hello == REFUSAL
    unless format("%016x", hello.unpack1("Q<")) == {{module}}::Tierup::ABI
      raise {{module}}::TransportError, "#{path} was built for another interface: run `tierup build`"
    end

    use_pipes(late)
    @is_greeted = true
  end

  # Sends a frame and waits for the bytes of its answer. The worker is unusable after an exception.
  def ask(frame, deadline)
    late = deadline && -> { @limits.took_too_long }
    write(frame, deadline, &late)
    # One read is enough for a short answer, because the worker writes only answers.
    first = read(CHUNK, deadline, &late) || raise(ended)
    first += read_exactly(4 - first.bytesize, deadline, &late) if first.bytesize < 4
    length = first.unpack1("V")
    missing = length - (first.bytesize - 4)
    raise {{module}}::TransportError, "#{path} sent an answer without a request" if missing.negative?

    answer = first.byteslice(4, length)
    return answer if missing.zero?

    answer = String.new(capacity: length, encoding: Encoding::BINARY) << answer
    while answer.bytesize < length
      answer << (read([length - answer.bytesize, CHUNK].min, deadline, &late) || raise(ended))
    end
    answer
  end

  # The error for a worker whose connection has ended.
  def ended
    return Limits.closed_before if @is_given_up

    {{module}}::TransportError.new("#{path} ended before it answered: standard error says why")
  end

  # Asks idle workers to end, and ends those that do not.
  def self.end_all(workers)
    workers.each(&:end_input)
    deadline = Limits.now + PATIENCE
    workers.each do |worker|
      worker.read(1, deadline) { worker.ended } if worker.greeted?
    rescue {{module}}::TransportError
      # The worker is closed below.
    ensure
      worker.kill
    end
  end

  def end_input
    shut(:WR)
    @input.close unless @input.equal?(@connection)
  end

  private

  def signal = shut(:RDWR)

  # Shuts the connection down for copies in forked children, too.
  def shut(how)
    @connection&.shutdown(how)
  rescue SystemCallError, IOError
    # It has already ended.
  end

  def close_pipes
    super
    @connection&.close
  end

  def use_pipes(late)
    write(PIPES, @start_end, &late)
    name = read(CHUNK, @start_end, &late) || raise(ended)
    return if name.bytesize == 4

    path = File.join(File.dirname(@companion.socket), name.byteslice(4..))
    {{module}}::Tierup::Forks::STARTING.synchronize { @input, @output = [opened("#{path}.in", File::WRONLY), opened("#{path}.out", File::RDONLY)] }
  rescue Errno::ENXIO
    # Nobody has the other end any more: the worker has ended since it was greeted.
    raise(unheard)
  rescue SystemCallError => error
    raise {{module}}::TransportError, "#{path}: #{error.message}"
  end

  # Opens a named pipe that the worker has opened, and removes its name.
  def opened(path, mode) = File.open(path, mode | File::NONBLOCK).binmode.tap { File.unlink(path) }

  def failed_to_write(is_first) = is_first && @has_rested && !@is_given_up ? unheard : ended

  def unheard = @is_given_up ? ended : {{module}}::Tierup::Unheard.new(ended.message)

  def reason
    text = +""
    deadline = Limits.now + PATIENCE
    while (part = read(CHUNK, deadline) { {{module}}::TransportError.new(text) })
      text << part
    end
    text.force_encoding(Encoding::UTF_8)
  end
end
