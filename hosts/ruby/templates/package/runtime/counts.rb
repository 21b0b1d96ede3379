# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# How often `0:memo` had the answer. `tierup bench` names a folder in TIERUP_MEMO_COUNTS. Each process writes a file there, at most ten
# times a second: the numbers of calls, of calls that were answered from memory, of entries, and of bytes.

require_relative "limits"
require_relative "lock"

class {{module}}::Tierup::Counts
  # Seconds between two writes.
  PAUSE = 0.1

  # The length of a file: a reader never sees a part of a number.
  LENGTH = 96

  @opened = 0
  @naming = Mutex.new

  # A name for a file of this process.
  def self.name_of_file = @naming.synchronize { "#{Process.pid}-#{@opened += 1}.counts" }

  def initialize(kept)
    @kept = kept
    @folder = ENV.fetch("TIERUP_MEMO_COUNTS", "")
    @folder = nil if @folder.empty?
    renew
  end

  # In a forked child, too, which counts from 0 in a file of its own.
  def renew
    @lock = {{module}}::Tierup::Lock.new
    @calls = 0
    @hits = 0
    @next = 0
    close
  end

  def close
    @file&.close
    @file = nil
  end

  def note(is_hit)
    # Only a benchmark reads them, and it names a folder.
    return if @folder.nil?

    @lock.synchronize do
      @calls += 1
      @hits += 1 if is_hit
      now = {{module}}::Tierup::Limits.now
      next if now < @next

      @next = now + PAUSE
      write
    end
  rescue ThreadError
    # In a signal's handler, which cannot wait for a lock.
  end

  private

  def write
    numbers = "#{@calls} #{@hits} #{@kept.size} #{@kept.bytes}"
    @file ||= File.open(File.join(@folder, self.class.name_of_file), "wb")
    @file.pwrite("#{numbers.ljust(LENGTH - 1)}\n", 0)
  rescue SystemCallError, IOError
    # The server goes on without.
    @folder = nil
  end
end
