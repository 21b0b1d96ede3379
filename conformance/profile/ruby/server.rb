# frozen_string_literal: true

# Five functions of known cost. Each request runs all of them, one request at a time. `awaited` runs in a fiber that is resumed four
# times, `in_worker` in another process, and `native` is zlib's C code, which lets the VM's lock go.
#
# The server measures its functions itself, and appends to the file TRUTH every 200 ms: milliseconds since 1970, CPU of both processes,
# and CPU of each function in the order of NAMES, all in microseconds since the start. Only every eighth request is measured, and
# counts eight times: reading the clock enters the kernel, and on a busy machine samples pile up there.

require "socket"
require "zlib"

NAMES = %i[light awaited in_worker small native].freeze
EVERY = 8

# The user's own functions.
module Own
  module_function

  def light
    total = 1
    number = 0
    while number < 35_000
      total = (total * 1_664_525 + number) & 0xFFFFFFFF
      number += 1
    end
    total
  end

  def awaited
    total = 2
    4.times do
      number = 0
      while number < 17_000
        total = (total * 22_695_477 + number) & 0xFFFFFFFF
        number += 1
      end
      Fiber.yield
    end
    total
  end

  def in_worker
    total = 3
    number = 0
    while number < 105_000
      total = (total * 214_013 + number) & 0xFFFFFFFF
      number += 1
    end
    total
  end

  def small
    total = 4
    number = 0
    while number < 17_500
      total = (total * 69_069 + number) & 0xFFFFFFFF
      number += 1
    end
    total
  end

  # Random letters, which are the same in each run.
  def letters(count)
    letter = 5
    Array.new(count) { (letter = (letter * 1_664_525 + 1_013_904_223) & 0xFFFFFFFF) >> 28 }.pack("C*")
  end

  TEXT = letters(65_000).freeze

  def native = Zlib::Deflate.deflate(TEXT, 6).bytesize
end

def process_cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :microsecond)
def thread_cpu = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)

# The CPU that this thread spends in a block, in nanoseconds; 0 in a request that is not measured.
def spent(is_measured)
  return yield && 0 unless is_measured

  before = thread_cpu
  yield
  thread_cpu - before
end

# The work of the other process: it answers each byte with the CPU that its function took, and that the process took.
def work(socket)
  while (asked = socket.read(1))
    function = spent(asked == "m") { Own.in_worker }
    socket.write([function, asked == "m" ? process_cpu : 0].pack("QQ"))
  end
end

ours, theirs = UNIXSocket.pair
fork do
  ours.close
  trap(:TERM) { exit!(true) }
  trap(:INT, :IGNORE)
  work(theirs)
end
theirs.close

cpu = Hash.new(0)
cpu_of_worker = 0
requests = 0
one_at_a_time = Mutex.new

answer = lambda do
  is_measured = (requests % EVERY).zero?
  requests += 1
  ours.write(is_measured ? "m" : "-")
  cpu[:light] += EVERY * spent(is_measured) { Own.light }
  cpu[:small] += EVERY * spent(is_measured) { Own.small }
  cpu[:native] += EVERY * spent(is_measured) { Own.native }
  cpu[:awaited] += EVERY * spent(is_measured) do
    fiber = Fiber.new { Own.awaited }
    5.times { fiber.resume }
  end
  function, process = ours.read(16).unpack("QQ")
  cpu[:in_worker] += EVERY * function
  cpu_of_worker = process if is_measured
  "done"
end

if ENV["TRUTH"]
  Thread.new do
    loop do
      sleep 0.2
      numbers = [process_cpu + cpu_of_worker, *NAMES.map { |name| cpu[name] / 1000 }]
      File.write(ENV["TRUTH"], "#{Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)} #{numbers.join(" ")}\n", mode: "a")
    end
  end
end

trap(:TERM) { exit!(true) }
server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT")))
loop do
  Thread.new(server.accept) do |client|
    while client.gets("\r\n\r\n")
      body = one_at_a_time.synchronize { answer.call }
      client.write("HTTP/1.1 200 OK\r\nContent-Length: #{body.bytesize}\r\n\r\n#{body}")
    end
  rescue SystemCallError, IOError
    # The client has gone.
  ensure
    client.close
  end
end
