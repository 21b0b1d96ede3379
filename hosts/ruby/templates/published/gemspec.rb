# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = {{gem}}
  spec.version = {{version}}
  spec.platform = {{platform}}
  spec.summary = {{summary}}
  spec.authors = ["The authors of " + {{package}}]
  spec.licenses = {{licenses}}
  spec.homepage = {{repository}}
  spec.metadata = { "rubygems_mfa_required" => "true", "source_code_uri" => spec.homepage }.compact
  # The extension says for which Ruby it is; the program runs beside each.
  spec.required_ruby_version = ">= 3.1"
  spec.files = Dir.glob("**/*", base: __dir__).select { |name| File.file?(name) }.sort - [File.basename(__FILE__)]
end
