# frozen_string_literal: true

require "tmpdir"

# The package as a gem: built, installed, named in a Gemfile, documented. Nothing is fetched from anywhere.
class TestPackage < Minitest::Test
  PACKAGE = File.expand_path("..", LIBRARY)
  CALL = 'require "conformance"; print Conformance.tier, " ", Conformance.echo_text("ä"), " ", Gem.loaded_specs["conformance"].full_gem_path'

  def test_a_gem_of_what_was_built_installs_without_a_compiler
    Dir.mktmpdir do |folder|
      file = File.join(folder, "conformance.gem")
      run_in(PACKAGE, {}, program("gem"), "build", "conformance.gemspec", "--output", file)
      alone = { "GEM_HOME" => File.join(folder, "home"), "GEM_PATH" => File.join(folder, "home"), "PATH" => "/nowhere" }
      run_in(folder, alone, program("gem"), "install", "--local", "--no-document", file)
      called = run_in(folder, alone, "-e", CALL)
      assert called.start_with?("3:native ä #{folder}/home/gems/conformance-"), called
    end
  end

  def test_a_gemfile_names_the_folder
    Dir.mktmpdir do |folder|
      File.write(File.join(folder, "Gemfile"), <<~RUBY)
        gem "conformance", path: #{PACKAGE.inspect}
      RUBY
      run_in(folder, {}, program("bundle"), "check")
      assert_equal "3:native ä #{PACKAGE}", run_in(folder, {}, program("bundle"), "exec", RbConfig.ruby, "-e", CALL)
    end
  end

  def test_yard_reads_the_types
    script = <<~'RUBY'
      require "yard"
      YARD.parse("lib/**/*.rb", [], YARD::Logger::ERROR)
      function = YARD::Registry.at("Conformance::Functions#describe_all")
      puts function.tags(:param).map { |tag| "#{tag.name}: #{tag.types.join(", ")}" }, function.tag(:return).types.join(", ")
      puts YARD::Registry.at("Conformance::Point#x").docstring
    RUBY
    assert_equal <<~TEXT, run_in(PACKAGE, {}, "-e", script)
      flag: Boolean
      count: Integer
      name: String
      ratio: Float
      bytes: String
      color: Symbol, nil
      points: Array<Conformance::Point>
      extra: Hash{String => String}
      String
      To the right.
    TEXT
  end

  private

  # A program of this Ruby. `ruby -S` could run that of another Ruby.
  def program(name) = File.join(RbConfig::CONFIG["bindir"], name)

  # Runs Ruby in a folder, without this process's settings of gems and tiers. Returns its standard output.
  def run_in(folder, environment, *arguments)
    unset = %w[RUBYOPT RUBYLIB BUNDLE_GEMFILE TIERUP_TIER].to_h { |name| [name, nil] }
    out, err, status = Open3.capture3(unset.merge(environment), RbConfig.ruby, *arguments, chdir: folder)
    assert status.success?, "#{arguments}: #{out}#{err}"
    out
  end
end
