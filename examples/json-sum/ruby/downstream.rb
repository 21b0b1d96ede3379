# frozen_string_literal: true

require "net/http"
require "timeout"

# Posts a sum to the service behind this one, and waits for its whole answer.
#
# `Anew` is what most would write: a connection for each post, as in the documentation of Net::HTTP. `Kept` is what a Ruby engineer
# would do about its cost: each thread keeps its connection. What may have arrived is not sent again: Net::HTTP repeats no POST.
module Downstream
  # The service behind did not take the sum.
  class Error < StandardError; end

  # Seconds for which a connection is kept without use. Many servers close theirs after five, and a sum that is sent at that very
  # moment is lost.
  IDLE = 4

  HEADERS = { "Content-Type" => "application/json" }.freeze

  # What both have in common: `exchange(body)` posts a body and returns the answer's status.
  class Post
    # `downstream`: its `uri` and `timeout`, as in settings.rb.
    def initialize(downstream)
      @uri = downstream.uri
      @timeout = downstream.timeout
      @path = "#{@uri.path}/process"
    end

    def call(sum)
      # All of an exchange has one timeout; Net::HTTP has them for its parts.
      status = Timeout.timeout(@timeout) { exchange("{\"sum\":#{sum}}") }
      raise Error, "downstream answered with status #{status}" unless status.between?(200, 299)
    rescue Timeout::Error
      raise Error, "no answer from downstream (timeout)"
    rescue SystemCallError, IOError, SocketError, Net::HTTPBadResponse, Net::ProtocolError, Zlib::Error => error
      raise Error, "no answer from downstream (#{error.message.split.join(" ")})"
    end

    private

    # Not yet connected. Proxies are for the world outside.
    def connection
      http = Net::HTTP.new(@uri.hostname, @uri.port, nil)
      # By default, each of its own ends a part after 60 seconds, and a longer timeout would not count.
      http.open_timeout = http.read_timeout = http.write_timeout = @timeout
      http
    end

    # Of a whole answer: half of one is none, but Net::HTTP takes it for one.
    def status(response)
      length = response.content_length
      raise EOFError, "half of an answer" if length && response.body.to_s.bytesize < length

      response.code.to_i
    end
  end

  # A connection for each post.
  class Anew < Post
    private

    def exchange(body)
      status(connection.start { |http| http.post(@path, body, HEADERS) })
    end
  end

  # A connection for each thread, kept from one post to the next.
  class Kept < Post
    # What is in the answer does not count, so it need not be compressed.
    HEADERS = Downstream::HEADERS.merge("Accept-Encoding" => "identity").freeze

    private

    def exchange(body)
      http = kept
      is_done = false
      answered = status(http.post(@path, body, HEADERS))
      is_done = true
      answered
    ensure
      # Nobody reads the rest of an answer.
      finish(http) unless is_done
    end

    # The thread's own connection. Net::HTTP connects anew where one was closed, or is too old.
    def kept
      http = Thread.current.thread_variable_get(:downstream)
      return http if http&.started?

      http = connection
      http.keep_alive_timeout = IDLE
      http.start
      Thread.current.thread_variable_set(:downstream, http)
      http
    end

    def finish(http)
      http.finish if http&.started?
    rescue IOError
      # It has ended already.
    end
  end
end
