# frozen_string_literal: true

# The agent in a process of the server: a thread that connects to tierup and carries out its commands. Another file does
# the work: a module with `start` and `stop(file)`, which return what is reported after `started` and `stopped`; with
# `ended`, for when tierup has gone; and with `forked`, for a child. The agent's own errors never reach the server.

require "socket"

module TierupAgent
  class << self
    # Connects this process and each process that is forked from it.
    def work(path, work)
      @path = path
      @work = work
      Process.singleton_class.prepend(Forks)
      connect
    end

    # Runs in a forked child: the connection is its parent's, and the thread does not exist.
    def after_fork
      @socket&.close
      @work.forked
      connect
    rescue StandardError
      # As in `connect`.
    end

    private

    # Connects now, so that tierup knows of the process before it answers its first request.
    def connect
      @socket = connected
      thread = Thread.new { serve }
      thread.name = "tierup"
      thread.report_on_exception = false
      # Puma warns about other threads before it forks, as a child does not have them.
      thread.thread_variable_set(:fork_safe, true)
    rescue StandardError
      # The process goes on unwatched. tierup reports that nobody has connected.
    end

    # This does not wait: a server may fork more processes than tierup accepts at a time. A process that would have to
    # wait connects in its thread.
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
      # tierup has ended, or was never there. With `Thread.abort_on_exception`, an error here would end the server.
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

  # Prepended to Ruby's own methods.
  module Forks
    def _fork = super.tap { |process| TierupAgent.after_fork if process.zero? }
    # `daemon` does not call `_fork`.
    def daemon(...) = super.tap { TierupAgent.after_fork }
  end
end
