# frozen_string_literal: true

# Times rows side by side: every round gives each row one slice, in an order of its own. What is compared is compared within a
# round, so that whatever else the machine does falls on all of them.
module Paired
  SLICE = 0.02
  ROUNDS = 21

  module_function

  # `rows` are calls without arguments by name; the first is what the others are compared with. Prints a table.
  def compare(title, rows)
    repeats = rows.transform_values { |call| repeats_of(call) }
    times = rows.transform_values { [] }
    ROUNDS.times do
      rows.to_a.shuffle.each { |name, call| times[name] << slice(call, repeats[name]) }
    end
    puts "\n| #{title} | one call | 10-90 % | x the first | 10-90 % |\n|---|--:|--:|--:|--:|"
    first = times.values.first
    times.each do |name, mine|
      ratios = mine.zip(first).map { |one, reference| one / reference }
      low, middle, high = parts(mine).map { |seconds| time(seconds) }
      puts "| #{name} | #{middle} | #{low}-#{high} | #{"%.2f | %.2f-%.2f" % parts(ratios).values_at(1, 0, 2)} |"
    end
    $stdout.flush
  end

  # The first tenth, the median and the last tenth.
  def parts(values)
    sorted = values.sort
    [0.1, 0.5, 0.9].map { |part| sorted[(part * (values.size - 1)).round] }
  end

  def repeats_of(call)
    count = 1
    while count < 1_000_000 && (spent = slice(call, count) * count) < SLICE
      count = [count * 10, [count + 1, (count * SLICE / [spent, 1e-9].max).to_i].max].min
    end
    count
  end

  # Seconds for one call, over `count` of them.
  def slice(call, count)
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    count.times(&call)
    (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start) / count
  end

  def time(seconds) = seconds < 1e-3 ? "%.2f us" % (seconds * 1e6) : "%.2f ms" % (seconds * 1e3)
end
