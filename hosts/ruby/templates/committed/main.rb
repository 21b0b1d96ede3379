# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# Loads the package that `tierup build` left in `.tierup/ruby` of a folder above, if it has a variant; otherwise tier 0,
# the server's own functions. For a requested tier, the built one says better why it cannot run.

require "json"

above = [File.realpath(__dir__)]
above << File.dirname(above.last) until above.last == File.dirname(above.last)
built = above.map { |folder| File.join(folder, ".tierup/ruby") }.find do |folder|
  next false unless File.exist?(File.join(folder, "lib/{{gem}}.rb"))
  next true unless ENV.fetch("TIERUP_TIER", "").empty?

  JSON.parse(File.read(File.join(folder, "built.json"))).fetch("variants").values.any? { |variant| variant["built"] == true }
rescue SystemCallError, JSON::ParserError, KeyError, NoMethodError, TypeError
  false
end
require(built ? File.join(built, "lib/{{gem}}.rb") : File.join(__dir__, "{{gem}}_tier0.rb"))
