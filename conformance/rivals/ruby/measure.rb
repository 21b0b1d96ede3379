# frozen_string_literal: true

# Prints what one call costs in Ruby, for each way to call Rust. Arguments: the folder that `run.sh` fills, and the gem's folder that
# `tierup build conformance/crossings --hosts ruby --tiers 3` made.

built, gem_folder = ARGV
$LOAD_PATH.unshift __dir__, File.join(gem_folder, "lib")

require "crossings"
require "fiddle/import"
require "paired"

# The C interface through Fiddle, which comes with Ruby: the functions of `rust/c`, one answer's memory kept.
class WithFiddle
  TEXT_AND_ANSWER = [Fiddle::TYPE_VOIDP, Fiddle::TYPE_SIZE_T, Fiddle::TYPE_VOIDP].freeze
  NUMBERS = [-Fiddle::TYPE_LONG_LONG, -Fiddle::TYPE_INT, Fiddle::TYPE_VOIDP].freeze

  def initialize(built)
    library = Fiddle.dlopen("#{built}/librivals_c.so")
    function = ->(name, arguments, type = Fiddle::TYPE_INT) { Fiddle::Function.new(library["rivals_#{name}"], arguments, type) }
    @text, @bytes = %w[echo_text echo_bytes].map { |name| function.(name, TEXT_AND_ANSWER) }
    @sort, @write = %w[sort_and_hash write_numbers].map { |name| function.(name, NUMBERS) }
    @release = function.("release", [Fiddle::TYPE_VOIDP], Fiddle::TYPE_VOID)
    @answer = Fiddle::Pointer.malloc(3 * Fiddle::SIZEOF_SIZE_T, Fiddle::RUBY_FREE)
    @hash = Fiddle::Pointer.malloc(8, Fiddle::RUBY_FREE)
  end

  def echo_text(text) = taken(@text.call(text, text.bytesize, @answer)).force_encoding(Encoding::UTF_8)
  def echo_bytes(bytes) = taken(@bytes.call(bytes, bytes.bytesize, @answer))
  def sort_and_hash(seed, count) = number(@sort.call(seed, count, @hash))
  def write_numbers(seed, count) = number(@write.call(seed, count, @hash))

  private

  def taken(status)
    raise "the function panicked" unless status.zero?

    address, length = @answer[0, 16].unpack("QQ")
    value = Fiddle::Pointer.new(address)[0, length]
    @release.call(@answer)
    value
  end

  def number(status)
    raise "the function panicked" unless status.zero?

    @hash[0, 8].unpack1("Q")
  end
end

# The functions of an extension, if it was built.
def extension(built, name, constant)
  require File.join(built, "rivals_#{name}.so")
  Object.const_get(constant)
rescue LoadError => error
  puts "\nNo row for #{name}: #{error.message.lines.first.strip}"
end

TEXT = "a text of sixty-four bytes, like a title that becomes an address"
BYTES = ((0..255).to_a.pack("C*") * 256).freeze
CALLS = {
  "echo_text, 64 bytes" => [:echo_text, TEXT],
  "echo_text, 64 KiB" => [:echo_text, (TEXT * 1024).freeze],
  "echo_bytes, 64 KiB" => [:echo_bytes, BYTES],
  "sort_and_hash, 50,000 numbers" => [:sort_and_hash, 7, 50_000],
}.freeze

contestants = {
  "tierup's `3:native` (C glue)" => Crossings.with(tier: "3:native"),
  "magnus" => extension(built, "magnus", "RivalsMagnus"),
  "magnus, lock released" => extension(built, "magnus", "RivalsMagnusReleased"),
  "rutie" => extension(built, "rutie", "RivalsRutie"),
  "Fiddle" => WithFiddle.new(built),
}.compact

puts "Ruby #{RUBY_VERSION}. `3:native`, the second row of magnus, and Fiddle release the VM's lock during a call."
CALLS.each do |title, (name, *arguments)|
  expected = contestants.values.first.public_send(name, *arguments)
  rows = contestants.select { |_, functions| functions.respond_to?(name) }
  rows.each do |contestant, functions|
    answer = functions.public_send(name, *arguments)
    abort "error: #{contestant} answers #{name} otherwise" unless answer == expected
  end
  Paired.compare(title, rows.transform_values { |functions| -> (_) { functions.public_send(name, *arguments) } })
end
