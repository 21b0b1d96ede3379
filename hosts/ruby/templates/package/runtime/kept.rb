# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The answers that `0:memo` keeps, bounded in number and bytes. The least recently used one is evicted first.

require_relative "limits"
require_relative "lock"

# Safe for use by many threads. A signal's handler, which cannot wait for a lock, finds and keeps no answers.
class {{module}}::Tierup::Kept
  MOST_ENTRIES = 1000
  MOST_BYTES = 64 << 20

  # The approximate size of an entry without its key and value.
  ENTRY_BYTES = 300

  # The size of all kept answers, in bytes.
  attr_reader :bytes

  def initialize
    @most_entries = {{module}}::Tierup::Limits.whole_number("TIERUP_MEMO_ENTRIES") || MOST_ENTRIES
    @most_bytes = {{module}}::Tierup::Limits.whole_number("TIERUP_MEMO_BYTES") || MOST_BYTES
    renew
  end

  # Also for a forked child: a thread that the child does not have may have been half-way through a change.
  def renew
    @lock = {{module}}::Tierup::Lock.new
    # Values with their sizes by key. The last used is at the end.
    @entries = {}
    @bytes = 0
  end

  # The number of kept answers.
  def size = @entries.size

  # The value of a key, or nil. It is now evicted last.
  def get(key)
    locked do
      entry = @entries.delete(key)
      next if entry.nil?

      @entries[key] = entry
      entry.first
    end
  end

  # Keeps a value of this size in bytes, unless it exceeds the bound by itself.
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
