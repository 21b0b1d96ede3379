# frozen_string_literal: true

# Made by tierup from the signatures in your crate; changes here are lost at the next build.
#
{{way}}

Gem::Specification.new do |spec|
  built = Dir.glob("artifacts/*", base: __dir__)
  spec.name = {{gem}}
  spec.version = {{version}}
  spec.summary = {{summary}}
  spec.authors = ["The authors of " + {{package}}]
  spec.required_ruby_version = ">= 3.1"
  # The gem is for one kind of machine if it has programs and libraries.
  spec.platform = Gem::Platform::CURRENT unless built.empty?
  spec.files = Dir.glob(["lib/**/*.rb", "sig/*.rbs", "README.md", "built.json"], base: __dir__) + built
end
