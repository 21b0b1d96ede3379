# frozen_string_literal: true

# The function as it was before Rust: tier 0.
module Baseline
  # An error of the caller. Its message may be shown.
  class SlugError < StandardError; end

  module_function

  # Keeps letters and digits in lower case. Each run of other characters becomes one `-`, but none at the ends.
  def slugify(text)
    slug = text.gsub(/[^a-zA-Z0-9]+/, "-").downcase(:ascii).delete_prefix("-").delete_suffix("-")
    raise SlugError, "text has no letters or digits" if slug.empty?

    slug
  end
end
