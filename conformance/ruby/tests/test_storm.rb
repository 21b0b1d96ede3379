# frozen_string_literal: true

require "digest"
require "fileutils"
require "net/http"
require "socket"

# Puma with two processes of five threads each, under all that can go wrong at once. Prints what it counted. The kills take ten
# seconds; TIERUP_TEST_KILLS=60 makes it a minute, and TIERUP_LONG=1 makes five times as many calls.
class TestStorm < Minitest::Test
  SECONDS = Integer(ENV.fetch("TIERUP_TEST_KILLS", "10"))
  CLIENTS = 10
  # The threads of each process of puma.
  THREADS = 5
  PROCESSES = 2
  # The calls, panics and payloads of a round.
  CALLS = ENV["TIERUP_LONG"] == "1" ? 40_000 : 8_000
  PANICS = CALLS / 10
  PAYLOADS = 16
  # Rounds go on until memory has stopped growing: until so many in succession end within `STEADY` KiB of each other. A leak never
  # does that: two rounds add 7,800 KiB where a call loses 500 bytes, and 32 MiB where a round loses one payload.
  IN_SUCCESSION = 3
  STEADY = 2_000
  # On a busy machine it may take some rounds until the memory that is kept for reuse has its full size.
  MOST_ROUNDS = 12
  # One heap of C's library for all threads, and payloads outside it. Otherwise each thread has a heap, whose end `malloc_trim` leaves
  # as it is: after payloads of 16 MiB that is between nothing and 33 MiB of each thread, another amount after each round.
  STEADY_HEAP = { "MALLOC_ARENA_MAX" => "1", "MALLOC_MMAP_THRESHOLD_" => "131072" }.freeze
  PAYLOAD = Random.new(1).bytes(16 << 20).freeze

  def test_calls_panics_and_large_payloads_leave_the_servers_processes_as_they_were
    %w[3:native 2:core 1:pool].each do |tier|
      with_puma(tier) do |port, server|
        processes = own(server)
        assert_equal PROCESSES, processes.size
        sizes = []
        until steady?(sizes) || sizes.size == MOST_ROUNDS
          storm(port)
          collect(port)
          sizes << memory(server)
        end
        assert_equal processes, own(server), "puma's own processes are the same to the end"
        say "#{tier}: #{CALLS * sizes.size} calls, #{PANICS * sizes.size} panics, #{PAYLOADS * sizes.size} payloads of 16 MiB: all " \
            "right; MiB after each round: #{sizes.map { |size| (size / 1024.0).round(1) }.join(", ")}"
        assert steady?(sizes), "#{tier}: memory does not stop growing; KiB after each round: #{sizes.join(", ")}"
      end
    end
  end

  def test_workers_that_are_killed_at_random_cost_only_their_own_calls
    with_puma("1:pool") do |port, server|
      processes = own(server)
      right = lost = kills = 0
      sizes = []
      lock = Mutex.new
      is_over = false
      clients = Array.new(CLIENTS) do |client|
        Thread.new do
          random = Random.new(client)
          Net::HTTP.start("127.0.0.1", port, read_timeout: 120) do |http|
            until is_over
              response, expected = one(http, random)
              case response.code
              when "200"
                raise "a wrong answer" unless response.body == expected

                lock.synchronize { right += 1 }
              when "503" then lock.synchronize { lost += 1 }
              else raise "#{response.code}: #{response.body[0, 300]}"
              end
            end
          end
        end
      end
      random = Random.new(7)
      # Each kill waits until a call was answered after the kill before, however slow the machine is.
      deadline = now + SECONDS
      last_deadline = deadline + 300
      next_size = now
      while (now < deadline || (kills <= SECONDS / 5 && now < last_deadline)) && clients.all?(&:alive?)
        workers = workers_of(server)
        unless workers.empty?
          before = lock.synchronize { right }
          begin
            Process.kill(%i[KILL TERM SEGV].sample(random: random), workers.sample(random: random))
            kills += 1
          rescue Errno::ESRCH
            # The process had already ended.
          end
          wait_until("no right answer after #{kills} kills") { lock.synchronize { right } > before || !clients.all?(&:alive?) }
        end
        sleep random.rand(0.3)
        next if now < next_size

        sizes << memory(server)
        next_size = now + SECONDS / 10.0
      end
      is_over = true
      # Raises the exception of a client that failed.
      clients.each(&:join)
      assert_equal processes, own(server), "puma's own processes are the same to the end"
      # Nothing is killed from here on: every request is answered, and no worker too many is left.
      Net::HTTP.start("127.0.0.1", port, read_timeout: 120) do |http|
        100.times { assert_equal "200", http.get("/calls?10").code }
      end
      # Each of puma's processes has two workers, and so has the one that they were forked from.
      wait_until("workers are left") { workers_of(server).size <= 2 * (PROCESSES + 1) }
      say "1:pool: #{SECONDS} s, #{kills} workers killed; #{right} answers right, #{lost} calls lost with their worker, 0 wrong; " \
          "MiB meanwhile: #{sizes.map { |size| size / 1024 }.join(", ")}"
      assert_operator kills, :>, SECONDS / 5
      # A killed worker loses its call, of which it has at most one. If it was still starting, and is the only worker of its process,
      # the calls that wait for it are lost: at most one of each thread.
      assert_operator lost, :<=, THREADS * kills
    ensure
      is_over = true
    end
  end

  private

  # Whether the last rounds ended with the same memory.
  def steady?(sizes)
    last = sizes.last(IN_SUCCESSION)
    last.size == IN_SUCCESSION && last.max - last.min < STEADY
  end

  # Makes the calls, panics and payloads of a round, from all clients at once.
  def storm(port)
    jobs = Queue.new
    (CALLS / 100).times { jobs << "/calls?100" }
    (PANICS / 50).times { jobs << "/panics?50" }
    PAYLOADS.times { jobs << "/bytes" }
    jobs.close
    Array.new(CLIENTS) do
      Thread.new do
        Net::HTTP.start("127.0.0.1", port, read_timeout: 120) do |http|
          while (job = jobs.pop)
            response = job == "/bytes" ? http.post(job, PAYLOAD) : http.get(job)
            expected = job == "/bytes" ? PAYLOAD : job[/\d+/]
            raise "#{job}: #{response.code}: #{response.body[0, 300]}" unless response.code == "200" && response.body == expected
          end
        end
      end
    end.each(&:join)
  end

  # Makes a call. Returns its answer and the expected one.
  def one(http, random)
    return [http.post("/bytes", PAYLOAD), PAYLOAD] if random.rand(500).zero?

    if random.rand(4).zero?
      seed = random.rand(20)
      return [http.get("/work?#{seed}"), Support.at("3:native").churn(seed, 200_000).to_s]
    end
    text = "#{random.rand(1 << 60)} ö" * random.rand(1..1000)
    response = http.post("/text", text)
    response.body.force_encoding(Encoding::UTF_8)
    [response, text]
  end

  def with_puma(tier)
    port = free_port
    log = File.join(Dir.tmpdir, "tierup-storm-ruby-#{Process.pid}.log")
    environment = { "TIERUP_TIER" => tier, "TIERUP_WORKERS" => "2", **STEADY_HEAP }
    options = ["--workers", PROCESSES.to_s, "--threads", "#{THREADS}:#{THREADS}", "--preload", "--bind", "tcp://127.0.0.1:#{port}"]
    command = ["-I", LIBRARY, "-S", "puma", *options, "storm.ru"]
    server = Process.spawn(environment, RbConfig.ruby, *command, chdir: File.expand_path("..", __dir__), %i[out err] => log)
    wait_until("puma does not answer") { own(server).size == PROCESSES && threads_that_collect(port).size.positive? }
    yield port, server
  rescue StandardError, Minitest::Assertion
    warn File.read(log).lines.last(20).join if log && File.exist?(log)
    raise
  ensure
    stop(server) if server
    FileUtils.rm_f(log)
  end

  # Ends puma, even if it no longer reacts to SIGTERM.
  def stop(server)
    Process.kill(:TERM, server)
    deadline = now + 60
    until (has_ended = Process.wait(server, Process::WNOHANG)) || now > deadline
      sleep 0.1
    end
    return if has_ended

    started = descendants(server)
    Process.kill(:KILL, server)
    Process.wait(server)
    started.each do |process|
      Process.kill(:KILL, process)
    rescue Errno::ESRCH
      # It has ended with its parent.
    end
  end

  def descendants(process)
    children(process).flat_map { |child| [child, *descendants(child)] }
  rescue Errno::ENOENT, Errno::ESRCH
    []
  end

  # Makes each thread of both processes drop its last objects, and both processes return unused memory to the system.
  def collect(port)
    2.times do
      threads = []
      wait_until("each thread collects") { (threads |= threads_that_collect(port)).size == PROCESSES * THREADS }
    end
  end

  # The threads that answered several requests made at once; none if the server has not started.
  def threads_that_collect(port)
    asked = Array.new(2 * PROCESSES * THREADS) { Thread.new { Net::HTTP.get(URI("http://127.0.0.1:#{port}/collect")) } }
    asked.map(&:value).grep(/\A\d+ \d+\z/).uniq
  rescue SystemCallError, IOError
    []
  end

  # Puma's workers: the children of the process that was started, without its companion.
  def own(server)
    children(server).reject { |child| File.read("/proc/#{child}/cmdline").include?("--tierup-companion") }.sort
  end

  def children(process) = Dir.glob("/proc/#{process}/task/*/children").flat_map { |file| File.read(file).split.map(&:to_i) }

  # The memory of a process and its descendants in KiB. Shared memory counts once.
  def memory(process)
    own = File.read("/proc/#{process}/smaps_rollup")[/^Pss:\s+(\d+)/, 1].to_i
    own + children(process).sum { |child| memory(child) }
  rescue Errno::ENOENT, Errno::ESRCH
    0
  end

  # A line beside the tests' own dots.
  def say(text) = $stderr.puts("\n#{text}")
end
