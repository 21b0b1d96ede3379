# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# One process of the pool. It writes 8 bytes when it has started, the hash of its interface, and then answers frames in their
# order. It ends when its standard input does, so it never outlives this process.

require_relative "program"

class {{module}}::Tierup::Worker < {{module}}::Tierup::Program
  def initialize(path, limits)
    @limits = limits
    @start_end = Limits.now + limits.start
    super(path, "--tierup-worker", {{module}}::Tierup::ABI)
  end

  # Waits until it has started. After any exception it cannot be used.
  def greet
    hello = read_exactly(8, @start_end) { @limits.started_too_late(path) }
    return if format("%016x", hello.unpack1("Q<")) == {{module}}::Tierup::ABI

    raise {{module}}::TransportError, "#{path} was built for another interface: run `tierup build`"
  end

  # Sends a frame and waits for the bytes of its answer. After any exception the worker cannot be used again.
  def ask(frame, deadline)
    late = deadline && -> { @limits.took_too_long }
    write(frame, deadline, &late)
    # One read is enough for a short answer, because the worker writes nothing but answers.
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

  # Lets idle workers end, and kills those that do not.
  def self.end_all(workers)
    workers.each(&:end_input)
    deadline = Limits.now + PATIENCE
    workers.each { |worker| worker.wait(Limits.left(deadline)) }
    workers.each(&:kill)
  end
end
