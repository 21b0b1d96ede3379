# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The built variants: the record that `tierup build` keeps in `built.json`.

require "json"
require_relative "errors"
require_relative "../interface"

module {{module}}::Tierup::Built
  # The package's folder, above `lib/`.
  FOLDER = File.expand_path("../../..", __dir__)
  NOTHING = "no variant is built here: run `tierup build`"
  STALE = "the built files have another interface than this package: run `tierup build`"

  module_function

  # The record; empty before the first build.
  def record
    JSON.parse(File.read(File.join(FOLDER, "built.json"), encoding: Encoding::UTF_8))
  rescue SystemCallError
    {}
  rescue JSON::ParserError => error
    raise {{module}}::Unavailable, "#{{{module}}::Tierup::PACKAGE}: built.json is damaged (#{error.message.lines.first.strip}): run `tierup build`"
  end

  # Whether a variant was built for the interface of this package.
  def built?(name)
    record = self.record
    record["abi"] == {{module}}::Tierup::ABI && record.dig("variants", name, "built") == true
  end

  # Whether the built files are for another interface than this package's.
  def stale?
    record.fetch("abi", {{module}}::Tierup::ABI) != {{module}}::Tierup::ABI
  end

  # Why a variant cannot run; nil if it was built.
  def why_not(name)
    record = self.record
    return STALE if record.fetch("abi", {{module}}::Tierup::ABI) != {{module}}::Tierup::ABI

    entry = record.dig("variants", name)
    return "it was not built: run `tierup build --tiers #{name}`" if entry.nil?

    "it could not be built: #{entry["reason"] || "see `tierup build`"}" unless entry["built"] == true
  end

  # Raises if a variant was not built. The error has the reason and the next step.
  def require_built(name)
    reason = why_not(name)
    raise {{module}}::Unavailable, "#{{{module}}::Tierup::PACKAGE} cannot run at tier #{name}: #{reason}" if reason
  end

  # The path of a built file of a variant. Raises an error with the next step if it is missing.
  def artifact(variant, name)
    file = File.join(FOLDER, "artifacts", name)
    return file if File.exist?(file)

    raise {{module}}::Unavailable, "artifacts/#{name} is missing: run `tierup build --tiers #{variant}`"
  end

  # The built program of tier 1.
  def program(variant)
    path = artifact(variant, {{module}}::Tierup::PACKAGE)
    raise {{module}}::Unavailable, "#{path} cannot be executed" unless File.executable?(path)

    path
  end
end
