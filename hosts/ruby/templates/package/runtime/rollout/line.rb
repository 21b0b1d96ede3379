# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# A connection to the process that compares calls. A frame is sent at once, or when another call has finished sending.
# If the system does not take it, it is dropped.

require "socket"
require_relative "../limits"
require_relative "../worker"

class {{module}}::Tierup::Line < {{module}}::Tierup::Worker
  Limits = {{module}}::Tierup::Limits
  # Numbers of the protocol: see docs/byte-abi.md of tierup.
  COUNTS = 0x7FFF_FFFD
  SHADOW = 0x7FFF_FFFE
  KEEP = 0x4000_0000
  # How long the process that compares may take at the end, in seconds. It allows itself less.
  PATIENCE = 8
  # The most frames that wait, each of at most 128 KiB.
  MOST_WAITING = 64
  # In some servers SIGPIPE ends the process.
  NO_SIGNAL = Socket.const_defined?(:MSG_NOSIGNAL) ? Socket::MSG_NOSIGNAL : 0

  # A request: its length, a number, and the parts.
  def self.framed(number, *parts)
    content = parts.join
    [4 + content.bytesize, number].pack("VV") << content
  end

  def initialize(companion, limits, folder)
    super(companion, limits)
    @folder = folder
    # Held while a frame is sent or the connection is closed. Other threads leave their frames to the holder.
    @lock = Mutex.new
    # The part of the last frame that the system has not taken, and whether there was one a second ago.
    @rest = nil
    # Frames of calls that came while another frame was sent: `sendmsg` lets other threads run.
    @waiting = []
    @is_stuck = @is_lost = false
  end

  # Whether a frame was sent, or will be by `tick`. The caller must defer interrupts.
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

  # Whether the connection is usable. It ends if a frame is not sent within a second.
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

  # Sends a last frame, and waits until the process that compares has ended.
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

  # Writes all bytes without causing SIGPIPE.
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

  # Sends waiting frames; other calls may add more meanwhile. What the system does not take waits for `tick`.
  def flush
    @waiting.shift while @rest.nil? && !@is_lost && (frame = @waiting.first) && push(frame)
    true
  end

  # Whether the descriptor still belongs to this connection: a new daemon may close all descriptors.
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

  # Asks the process to become a shadow, instead of asking for pipes.
  def use_pipes(late)
    @identity = @connection.stat.ino
    write(self.class.framed(SHADOW, @folder.b), @start_end, &late)
    return if read_exactly(4, @start_end, &late) == "\0\0\0\0".b

    raise {{module}}::TransportError, "#{path} knows nothing of rollouts: run `tierup build`"
  end
end
