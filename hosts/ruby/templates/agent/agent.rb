# frozen_string_literal: true

# A process of the server, as tierup reaches it: a thread that connects to tierup and does what it says. The work is another file's: a
# module with `start` and `stop(file)`, which answer what is said after `started` and `stopped`, with `ended`, when tierup has gone,
# and `forked`, in a child. An error of its own never reaches the server.

require "socket"

module TierupAgent
  class << self
    # Connects this process, and each that is forked from it.
    def work(path, work)
      @path = path
      @work = work
      Process.singleton_class.prepend(Forks)
      connect
    end

    # In a forked child: the connection is its parent's, and the thread is not there.
    def after_fork
      @socket&.close
      @work.forked
      connect
    rescue StandardError
      # As below.
    end

    private

    # At once, so that tierup knows of the process before it answers its first request.
    def connect
      @socket = connected
      thread = Thread.new { serve }
      thread.name = "tierup"
      thread.report_on_exception = false
      # Puma warns of other threads before it forks: they are not in the child.
      thread.thread_variable_set(:fork_safe, true)
    rescue StandardError
      # The process is left out, and goes on. tierup reports that nobody has connected.
    end

    # Without waiting: a server may fork more processes than tierup takes at a time. A process that had to wait connects in
    # its thread.
    def connected
      socket = Socket.new(:UNIX, :STREAM)
      socket.connect_nonblock(Socket.sockaddr_un(@path))
      socket
    rescue SystemCallError
      socket&.close
      nil
    end

    def serve
      @socket = socket = @socket || UNIXSocket.new(@path)
      socket.write("hello #{Process.pid} 0\n")
      while (line = socket.gets)
        socket.write("#{answer(line.chomp)}\n")
      end
    rescue StandardError
      # tierup has ended, or is not there. An error of a thread may end the server: `Thread.abort_on_exception`.
    ensure
      @work.ended
      socket&.close
    end

    def answer(line)
      said = line == "start" ? ["started", *@work.start] : ["stopped", *@work.stop(line.delete_prefix("stop "))]
      said.join(" ")
    rescue StandardError, ScriptError => error
      "failed #{error.message.scrub.split.join(" ")}"
    end
  end

  # Hooked into Ruby's own methods.
  module Forks
    def _fork = super.tap { |process| TierupAgent.after_fork if process.zero? }
    # It does not pass `_fork`.
    def daemon(...) = super.tap { TierupAgent.after_fork }
  end
end
