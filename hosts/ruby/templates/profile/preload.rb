# frozen_string_literal: true

# The sensor of `tierup profile`: Ruby loads it into every process of the server before the server's own code. It connects to tierup
# and lets stackprof sample while tierup asks for it. An error of its own never reaches the server.

require "socket"

module TierupProfile
  SOCKET = {{socket}}
  # Where stackprof is. With Bundler, only gems of the Gemfile can be found by their names.
  PATHS = {{paths}}
  MICROSECONDS = {{microseconds}}

  class << self
    def connect
      @socket = nil
      @is_sampling = false
      thread = Thread.new { serve }
      thread.name = "tierup-profile"
      thread.report_on_exception = false
      # Puma warns of other threads before it forks: they are not in the child.
      thread.thread_variable_set(:fork_safe, true)
    rescue StandardError
      # The process is not profiled, and goes on. tierup reports that nobody has connected.
    end

    # In a forked child: the connection is its parent's, and the thread is not there.
    def after_fork
      @socket&.close
      connect
    rescue StandardError
      # As above.
    end

    # The kernel's timer would go on in the next program, which its signal would kill.
    def before_exec
      StackProf.stop if @is_sampling
    rescue StandardError
      # As above.
    end

    private

    def serve
      @socket = socket = UNIXSocket.new(SOCKET)
      socket.write("hello #{Process.pid} 0\n")
      while (line = socket.gets)
        socket.write("#{answer(line.chomp)}\n")
      end
    rescue SystemCallError, IOError
      # tierup has ended, or is not there.
    ensure
      StackProf.stop if @is_sampling
      socket&.close
    end

    def answer(line)
      return start if line == "start"

      stop(line.delete_prefix("stop "))
    rescue StandardError, ScriptError => error
      "failed #{error.message.split.join(" ")}"
    end

    def start
      load_stackprof
      raise "stackprof is in use by the server itself" unless StackProf.start(mode: :cpu, interval: MICROSECONDS, raw: true)

      @is_sampling = true
      @before = [cpu, allocated]
      "started"
    end

    def stop(file)
      used = [cpu, allocated].zip(@before).map { |after, before| after - before }
      StackProf.stop
      @is_sampling = false
      File.write(file, collapsed(StackProf.results), perm: 0o600)
      "stopped #{used.join(" ")}"
    end

    def load_stackprof
      return if defined?(StackProf)

      $LOAD_PATH.concat(PATHS)
      begin
        require "stackprof"
      ensure
        $LOAD_PATH.pop(PATHS.size)
      end
    end

    # CPU time of this process in microseconds.
    def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :microsecond)

    # All objects that were ever allocated.
    def allocated = GC.stat(:total_allocated_objects)

    # A line for each stack, from the outermost function on, with its samples.
    def collapsed(results)
      raw = results[:raw] || []
      names = results[:frames].transform_values { |frame| named(frame) }
      lines = []
      at = 0
      while at < raw.size
        length = raw[at]
        lines << "#{raw[at + 1, length].map { |frame| names[frame] }.join(";")} #{raw[at + 1 + length]}\n"
        at += length + 2
      end
      lines.join
    end

    # A block counts to the method that it is written in. Those of no method, such as Sinatra's handlers, differ by their lines.
    def named(frame)
      name = frame[:name].to_s
      name = name.sub(/\A(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+(?!<)/, "")
      file = frame[:file].to_s
      if name.include?(" in <")
        line = frame[:line].to_i
        name = "#{name}, line #{line}"
        file = "#{file}:#{line}" unless file.empty?
      end
      (file.empty? ? name : "#{name} (#{file})").tr(";\r\n", ":  ")
    end
  end

  # Hooked into Ruby's own methods.
  module Exec
    def exec(...)
      TierupProfile.before_exec
      super
    end
  end

  module Forks
    def _fork = super.tap { |process| TierupProfile.after_fork if process.zero? }
    # It does not pass `_fork`.
    def daemon(...) = super.tap { TierupProfile.after_fork }
  end

  Process.singleton_class.prepend(Forks, Exec)
  Kernel.singleton_class.prepend(Exec)
  # The one that is called without a receiver is private.
  Kernel.prepend(Exec.clone.tap { |own| own.send(:private, :exec) })
  connect
end
