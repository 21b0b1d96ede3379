# frozen_string_literal: true

# The sensor of `tierup profile`: Ruby loads it into every process of the server before the server's own code. It makes
# stackprof sample when tierup asks for it. Its own errors never reach the server.

require_relative "agent"

module TierupProfile
  # The folders of stackprof. With Bundler, only gems of the Gemfile can be found by name.
  PATHS = {{paths}}
  MICROSECONDS = {{microseconds}}

  class << self
    # A child does not inherit its parent's timer.
    def forked = @is_sampling = false

    def ended
      StackProf.stop if @is_sampling
    end

    # Otherwise the kernel's timer would continue in the next program, and its signal would kill it.
    def before_exec
      ended
    rescue StandardError
      # The server goes on.
    end

    def start
      load_stackprof
      raise "stackprof is in use by the server itself" unless StackProf.start(mode: :cpu, interval: MICROSECONDS, raw: true)

      @is_sampling = true
      @before = [cpu, allocated]
      []
    end

    # Returns the CPU time and the number of objects allocated since the start.
    def stop(file)
      used = [cpu, allocated].zip(@before).map { |after, before| after - before }
      StackProf.stop
      @is_sampling = false
      File.write(file, collapsed(StackProf.results), perm: 0o600)
      used
    end

    private

    def load_stackprof
      return if defined?(StackProf)

      $LOAD_PATH.concat(PATHS)
      begin
        require "stackprof"
      ensure
        $LOAD_PATH.pop(PATHS.size)
      end
    end

    # The CPU time of this process, in microseconds.
    def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :microsecond)

    # The number of objects ever allocated.
    def allocated = GC.stat(:total_allocated_objects)

    # A line for each stack, from the outermost function on, with its number of samples.
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

    # A block counts to the method that contains it. Blocks outside methods, such as Sinatra's handlers, are told apart
    # by line.
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

  # Prepended to Ruby's own methods.
  module Exec
    def exec(...)
      TierupProfile.before_exec
      super
    end
  end

  Process.singleton_class.prepend(Exec)
  Kernel.singleton_class.prepend(Exec)
  # `exec` without a receiver is private.
  Kernel.prepend(Exec.clone.tap { |own| own.send(:private, :exec) })
  TierupAgent.work({{socket}}, self)
end
