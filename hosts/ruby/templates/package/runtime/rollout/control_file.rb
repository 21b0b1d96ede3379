# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The control file of a rollout inside the process, named by TIERUP_ROLLOUT: plain `key=value` lines.

require "digest"

module {{module}}::Tierup::ControlFile
  # Longer files are not valid, in bytes.
  LONGEST = 4096
  LINE = /\A([\w-]+)=(.*)\z/
  PART = /\A(0?\.[0-9]+|0|1(\.0*)?)\z/

  # Why a file is not obeyed.
  class Wrong < StandardError; end

  # The content: `candidate`, a row; `shadow` and `share`, from 0 to 1; `by_input`; `key`, for the hash of inputs, or
  # nil; `generation`; `keeps_values`, for calls that differ; `slower`, the tolerated ratio of times, or nil; `until`,
  # the expiry, in seconds since 1970.
  Control = Struct.new(:candidate, :shadow, :share, :by_input, :keeps_values, :key, :generation, :slower, :until)

  module_function

  # The file's text. It does not wait for anything but a regular file.
  def read(path)
    File.open(path, File::RDONLY | File::NONBLOCK) do |file|
      raise Wrong, "it is not a file" unless file.stat.file?

      content = file.read(LONGEST + 1).to_s
      raise Wrong, "it has more than #{LONGEST} bytes" if content.bytesize > LONGEST

      content.force_encoding(Encoding::UTF_8).scrub
    end
  end

  # Raises `Wrong` if the text is not a whole control file. Unknown keys are ignored, so newer files can be read.
  def parse(text)
    raise Wrong, "its last line has no end: it may be cut" unless text.end_with?("\n")

    values = {}
    before = +""
    text.chomp("\n").split("\n", -1).each do |line|
      key, value = line.match(LINE)&.captures
      raise Wrong, "`checksum` must be its last line" if values.key?("checksum")
      raise Wrong, "its checksum does not fit the lines above it" if key == "checksum" && value != checksum_of(before)

      before << line << "\n"
      next if line.empty? || line.start_with?("#")
      raise Wrong, "its line `#{line[0, 40]}` is not key=value" if key.nil?
      raise Wrong, "it has `#{key}` twice" if values.key?(key)

      values[key] = value
    end
    control_of(values)
  end

  # As in the control file of `tierup ramp`. It detects truncated files, not forged ones.
  def checksum_of(lines) = Digest::SHA256.hexdigest(lines)[0, 16]

  def control_of(values)
    candidate = values["candidate"].to_s
    raise Wrong, "`candidate` is missing" if candidate.empty?

    last = values.key?("until") ? Float(values["until"], exception: false) : Float::INFINITY
    raise Wrong, "`until` must be a number of seconds since 1970" if last.nil?

    slower = Float(values["slower"], exception: false).to_f if values.key?("slower")
    raise Wrong, "`slower` must be a number from 1 to 1000" if slower && !slower.between?(1, 1000)

    Control.new(candidate, part(values, "shadow"), part(values, "share"), other?(values, "by", "call", "input"),
                other?(values, "keep", "counts", "values"), values["key"], values["generation"].to_s, slower, last)
  end

  def part(values, key)
    text = values.fetch(key, "0")
    text.match?(PART) ? text.to_f : raise(Wrong, "`#{key}` must be a number from 0 to 1, such as 0.01, got `#{text[0, 40]}`")
  end

  # Whether the value is `other`, the unusual one.
  def other?(values, key, usual, other)
    text = values.fetch(key, usual)
    [usual, other].include?(text) ? text == other : raise(Wrong, "`#{key}` must be #{usual} or #{other}, got `#{text[0, 40]}`")
  end
end
