# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Deaths of processes in a call of a rollout's candidate. An extension that overflows its stack ends the process, which
# can then report nothing. So each process has a file that says whether it is in such a call. A new process finds the
# files of those that have ended.

require "fileutils"
require "socket"

class {{module}}::Tierup::Deaths
  NEVER = { Object => :never }.freeze

  # The candidate's name and generation; a death counts against this name only.
  attr_reader :name
  # The path of this process's file.
  attr_reader :path

  def initialize(folder, name)
    @folder = folder
    @name = name
    # The file, its number and its inode. If all descriptors were closed, the number may be another file's.
    @file = @number = @inode = nil
    # Running calls of the candidate.
    @calls = {}.compare_by_identity
  end

  # How many processes have died in a call of the candidate. SystemCallError if that is unknown. `own` is our file.
  def count(own)
    FileUtils.mkdir_p(@folder, mode: 0o700)
    Dir.children(@folder).count do |name|
      path = File.join(@folder, name)
      next false if path == own

      name.end_with?(".call") ? died?(path) : name.end_with?(".died") && ours?(File.binread(path))
    end
  end

  # Makes this process's file. Raises SystemCallError if that fails, as a death would go unnoticed.
  def begin
    now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
    @path = File.join(@folder, format("%d-%d-0x%x-%s.call", Process.pid, now / 1_000_000, now, Socket.gethostname))
    file = File.open(@path, File::WRONLY | File::CREAT | File::EXCL, 0o600)
    file.syswrite("0 #{@name}\n")
    @file = file
    @inode = file.stat.ino
    @number = file.fileno
  rescue SystemCallError
    file&.close
    File.unlink(@path) if file
    raise
  end

  # Begins a call.
  #
  # This takes no lock: Ruby's own writes let other threads run, which would then wait for it. Ruby switches threads
  # where methods written in Ruby end and where a branch jumps, so not between the change of the calls and the write.
  def enter(call)
    Thread.handle_interrupt(NEVER) do
      @calls[call] = true
      {{module}}::Tierup::Native.tierup_mark(@number, @inode, "1") if @calls.size == 1
    end
  end

  # Ends a call, if it had begun. Ruby checks for interrupts at branches, so there is none before these are deferred.
  def leave(call)
    Thread.handle_interrupt(NEVER) do
      {{module}}::Tierup::Native.tierup_mark(@number, @inode, "0") if @calls.delete(call) && @calls.empty?
    end
  end

  # Removes the file. Calls may outlive it.
  def end
    File.unlink(@path) if drop
  rescue SystemCallError
    # The file is already gone.
  end

  # Closes the file, which is the parent's in a forked child. Returns whether there was one.
  def drop
    @number = nil
    file, @file = @file, nil
    file&.close
    !file.nil?
  end

  private

  # Whether a file shows that a process died in a call. Of several processes that look, only one reports it.
  def died?(path)
    pid, _began, _thread, machine = File.basename(path, ".call").split("-", 4)
    return false if machine != Socket.gethostname || lives?(pid.to_i)

    text = File.binread(path)
    unless text.start_with?("1")
      File.unlink(path)
      return false
    end
    File.rename(path, "#{path.delete_suffix("call")}died")
    ours?(text)
  rescue Errno::ENOENT
    false
  end

  def ours?(text) = text.end_with?(" #{@name}\n".b)

  # Whether another process of this machine lives. Our own number was another's: we have no file yet when we look.
  def lives?(pid)
    pid != Process.pid && Process.kill(0, pid) == 1
  rescue Errno::ESRCH
    false
  rescue SystemCallError
    true
  end
end
