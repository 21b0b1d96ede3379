# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# How many processes can use this process's share of the processors.

require "etc"

module {{module}}::Tierup::Parallelism
  module_function

  # The processors that this process may use. Unlike `Etc.nprocessors`, it respects a container's quota.
  def count(root = "/")
    available = Etc.nprocessors
    limit = quota(root)
    [1, limit ? [available, limit.ceil].min : available].max
  end

  # The smallest quota of this process's control groups, in processors, or nil.
  def quota(root)
    quotas = read(File.join(root, "proc/self/cgroup")).lines.flat_map do |line|
      _, controllers, group = line.chomp.split(":", 3)
      next [] unless group

      # Quotas of parent groups count too. In a container the path may be the host's, of which only `/` exists here.
      groups(group).filter_map do |path|
        if controllers.empty?
          share(*read(File.join(root, "sys/fs/cgroup", path, "cpu.max")).split)
        elsif controllers.split(",").include?("cpu")
          folder = File.join(root, "sys/fs/cgroup", controllers, path)
          share(read(File.join(folder, "cpu.cfs_quota_us")), read(File.join(folder, "cpu.cfs_period_us")))
        end
      end
    end
    quotas.min
  end

  def groups(group)
    parts = group.split("/").reject(&:empty?)
    (0..parts.size).map { |count| parts.first(count).join("/") }
  end

  def share(limit = "", period = "")
    limit, period = Integer(limit, exception: false), Integer(period, exception: false)
    limit.fdiv(period) if limit&.positive? && period&.positive?
  end

  def read(path)
    File.read(path)
  rescue SystemCallError
    ""
  end
end
