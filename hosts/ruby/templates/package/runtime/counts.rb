# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Counts cache hits of `0:memo`. `tierup bench` names a folder in TIERUP_MEMO_COUNTS. Each process writes a file there,
# at most ten times a second, with the numbers of calls, hits, entries and bytes.

require_relative "limits"
require_relative "lock"

class {{module}}::Tierup::Counts
  # Seconds between two writes.
  PAUSE = 0.1

  # The size of a file. It is constant, so a reader never sees part of a number.
  LENGTH = 96

  @opened = 0
  @naming = Mutex.new

  # A unique name for a file of this process.
  def self.name_of_file = @naming.synchronize { "#{Process.pid}-#{@opened += 1}.counts" }

  def initialize(kept)
    @kept = kept
    @folder = ENV.fetch("TIERUP_MEMO_COUNTS", "")
    @folder = nil if @folder.empty?
    renew
  end

  # Also for a forked child, which counts from 0 in a file of its own.
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
    # Only a benchmark names a folder, and reads the counts.
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
    # This is a signal's handler, which cannot wait for a lock.
  end

  private

  def write
    numbers = "#{@calls} #{@hits} #{@kept.size} #{@kept.bytes}"
    @file ||= File.open(File.join(@folder, self.class.name_of_file), "wb")
    @file.pwrite("#{numbers.ljust(LENGTH - 1)}\n", 0)
  rescue SystemCallError, IOError
    # The server goes on without counts.
    @folder = nil
  end
end
