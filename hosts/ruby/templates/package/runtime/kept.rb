# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The answers that `0:memo` keeps: at most so many, of at most so many bytes. The one that was not asked for longest goes first.

require_relative "limits"
require_relative "lock"

# For any number of threads. In a signal's handler, which cannot wait for a lock, no answer is found or kept.
class {{module}}::Tierup::Kept
  MOST_ENTRIES = 1000
  MOST_BYTES = 64 << 20

  # The approximate size of an entry without its key and value.
  ENTRY_BYTES = 300

  # How many bytes are kept.
  attr_reader :bytes

  def initialize
    @most_entries = {{module}}::Tierup::Limits.whole_number("TIERUP_MEMO_ENTRIES") || MOST_ENTRIES
    @most_bytes = {{module}}::Tierup::Limits.whole_number("TIERUP_MEMO_BYTES") || MOST_BYTES
    renew
  end

  # In a forked child, too: a thread that the child does not have may have been in the middle of a change.
  def renew
    @lock = {{module}}::Tierup::Lock.new
    # Values with their sizes by key, the last used at the end.
    @entries = {}
    @bytes = 0
  end

  # How many answers are kept.
  def size = @entries.size

  # The value of a key, which is now the last to go, or nil.
  def get(key)
    locked do
      entry = @entries.delete(key)
      next if entry.nil?

      @entries[key] = entry
      entry.first
    end
  end

  # Keeps a value that takes so many bytes, unless it is larger than all together may be.
  def put(key, value, size)
    size += ENTRY_BYTES + key.last.bytesize
    locked do
      before = @entries.delete(key)
      @bytes -= before.last if before
      next if size > @most_bytes

      @entries[key] = [value, size]
      @bytes += size
      @bytes -= @entries.shift.last.last while @entries.size > @most_entries || @bytes > @most_bytes
    end
  end

  private

  def locked(&change)
    @lock.synchronize(&change)
  rescue ThreadError
    nil
  end
end
