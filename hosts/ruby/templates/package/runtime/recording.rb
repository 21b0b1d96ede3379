# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Recorded answers that outlive their process.
#
# `tierup bench` names a folder in TIERUP_RECORDING. The servers that it starts for each block replay the answers
# recorded there. Marshal writes the files, which are read only from that folder.

require "fileutils"
require_relative "lock"

class {{module}}::Tierup::Recording
  ENDING = ".ruby-answers"

  # The recording, or nil.
  def self.opened
    folder = ENV.fetch("TIERUP_RECORDING", "")
    new(folder) unless folder.empty?
  end

  def initialize(folder)
    @folder = folder
    @lock = {{module}}::Tierup::Lock.new
    FileUtils.mkdir_p(folder)
  end

  # All answers so far: the function's number, the key and the value.
  def read
    Dir.children(@folder).sort.each do |name|
      next unless name.end_with?(ENDING)

      content = File.binread(File.join(@folder, name))
      at = 0
      while at + 4 <= content.bytesize
        length = content.unpack1("V", offset: at)
        # The record is incomplete: its writer was killed.
        break if at + 4 + length > content.bytesize

        yield(*Marshal.load(content.byteslice(at + 4, length)))
        at += 4 + length
      end
    end
  end

  def add(number, key, value)
    record = Marshal.dump([number, key, value])
    # Each process has its own file, so that writers do not mix their records.
    path = File.join(@folder, "#{Process.pid}#{ENDING}")
    @lock.synchronize { File.open(path, "ab") { |file| file.write([record.bytesize].pack("V") + record) } }
  rescue TypeError
    # A file, a generator and the like: only this process can return this answer.
    nil
  end
end
