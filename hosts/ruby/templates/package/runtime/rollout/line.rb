# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# A connection to the process that compares. What is sent in a call goes out at once, or as soon as another call has sent its own; if the
# system does not take it, not at all.

require "socket"
require_relative "../limits"
require_relative "../worker"

class {{module}}::Tierup::Line < {{module}}::Tierup::Worker
  Limits = {{module}}::Tierup::Limits
  # Of the protocol: see docs/byte-abi.md of tierup.
  COUNTS = 0x7FFF_FFFD
  SHADOW = 0x7FFF_FFFE
  KEEP = 0x4000_0000
  # How long the other end may take for what it has, in seconds: more than it gives itself.
  PATIENCE = 8
  # Frames, each of at most 128 KiB.
  MOST_WAITING = 64
  # A server may have set that a broken connection ends it.
  NO_SIGNAL = Socket.const_defined?(:MSG_NOSIGNAL) ? Socket::MSG_NOSIGNAL : 0

  # A request: its length, a number, and what follows it.
  def self.framed(number, *parts)
    content = parts.join
    [4 + content.bytesize, number].pack("VV") << content
  end

  def initialize(companion, limits, folder)
    super(companion, limits)
    @folder = folder
    # Held while something is sent or the connection is closed: whoever does not get it at once leaves the frame to who has it.
    @lock = Mutex.new
    # What the system has not taken yet of the last frame, and whether that was so a tick ago.
    @rest = nil
    # Frames of calls that came while another one's was sent: `sendmsg` lets other threads run.
    @waiting = []
    @is_stuck = @is_lost = false
  end

  # Whether a frame could be sent at once, or will be by `tick`. Who calls it lets no interrupt in.
  def offer(frame)
    return false if @rest || @is_lost || @waiting.size >= MOST_WAITING

    @waiting << frame
    return true unless @lock.try_lock

    begin
      flush
    rescue Exception => error # rubocop:disable Lint/RescueException
      # Nobody knows how much was sent.
      @is_lost = true
      raise unless SystemCallError === error || IOError === error

      false
    ensure
      @lock.unlock
    end
  end

  # Whether it can be used on. A frame that is not sent after a second ends it.
  def tick
    @lock.synchronize do
      begin
        push(@rest) if @rest && !@is_lost
        flush
      rescue SystemCallError, IOError
        @is_lost = true
      end
      @is_lost ||= @is_stuck && !@rest.nil?
      @is_stuck = !@rest.nil?
      kill if @is_lost
    end
    !@is_lost
  end

  # Sends a last frame, and waits until the other end has ended.
  def finish(frame)
    @lock.synchronize do
      next unless ours?

      deadline = Limits.now + PATIENCE
      late = -> { ended }
      write([@rest, *@waiting, frame].join, deadline, &late)
      shut(:WR)
      nil while read(CHUNK, deadline, &late)
    rescue {{module}}::TransportError
      # It has ended.
    ensure
      kill
    end
  end

  # Without a signal.
  def write(bytes, deadline)
    until bytes.empty?
      sent = @connection.sendmsg_nonblock(bytes, NO_SIGNAL, exception: false)
      if sent == :wait_writable then @connection.wait_writable(Limits.left(deadline)) || raise(yield)
      else bytes = bytes.byteslice(sent..)
      end
    end
  rescue SystemCallError, IOError
    raise ended
  end

  private

  # Sends what waits; other calls' frames come meanwhile. What the system does not take waits for `tick`.
  def flush
    @waiting.shift while @rest.nil? && !@is_lost && (frame = @waiting.first) && push(frame)
    true
  end

  # Whether its number is not another file's by now: a server that becomes a daemon may close all descriptors.
  def ours?
    return true if @connection && @connection.stat.ino == @identity

    @connection&.autoclose = false
    @connection = @input = @output = nil
    false
  rescue SystemCallError, IOError
    @connection = @input = @output = nil
    false
  end

  def push(frame)
    raise IOError, "somebody has closed it" unless ours?

    sent = @connection.sendmsg_nonblock(frame, NO_SIGNAL, exception: false)
    return false if sent == :wait_writable

    @rest = frame.byteslice(sent..) if sent < frame.bytesize
    @rest = nil if sent == frame.bytesize
    true
  end

  # Instead of pipes, it becomes a shadow.
  def use_pipes(late)
    @identity = @connection.stat.ino
    write(self.class.framed(SHADOW, @folder.b), @start_end, &late)
    return if read_exactly(4, @start_end, &late) == "\0\0\0\0".b

    raise {{module}}::TransportError, "#{path} knows nothing of rollouts: run `tierup build`"
  end
end
