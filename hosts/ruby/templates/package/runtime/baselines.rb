# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The server's own functions: the arguments `baseline` and `baselines` of `with`.

require_relative "errors"
require_relative "../interface"

module {{module}}::Tierup::Baselines
  # Labels of tier 0 that tierup itself defines.
  RESERVED = %w[free memo workers].freeze

  module_function

  # Checks these arguments. Returns each baseline's functions by number, by label; `baseline` has the label "".
  def read(baseline, baselines)
    found = {}
    found[""] = one("baseline", baseline) unless baseline.nil?
    raise TypeError, "baselines must be a Hash of baselines by label, got #{baselines.class}" unless baselines.nil? || Hash === baselines

    baselines&.each do |label, given|
      label = label.to_s
      unless label.match?(/\A[A-Za-z0-9_-]+\z/) && !RESERVED.include?(label)
        raise ArgumentError, "#{label.inspect} cannot label a baseline: it takes letters, digits, - and _, and is not free, memo or workers"
      end
      found[label] = one("baselines[#{label.inspect}]", given)
    end
    found
  end

  def one(place, given)
    given = required(place, given) if String === given
    names = {{module}}::Tierup::FUNCTIONS.map { |function| function.name.to_sym }
    functions = names.map { |name| function_of(given, name) }
    return functions.each_with_index.map { |found, at| found || missing(place, names[at]) } if functions.any?
    return [given] if callable?(given) && names.size == 1
    return one(place, { given.name => given }) if Method === given && names.include?(given.name)

    raise TypeError, "#{place} is a method or a Proc, or a module, an object or a Hash with functions of these names, " \
                     "as #{{{module}}::Tierup::PACKAGE} has them: #{names.join(", ")}"
  end

  # Loads `file:Constant` or `file:Constant.method` only when it is used, as it need not exist before.
  def required(place, name)
    file, constant = name.split(":", 2)
    raise ArgumentError, "#{place} #{name.inspect} is not of the form file:Constant or file:Constant.method" if constant.to_s.empty?

    begin
      require file
    rescue LoadError => error
      raise LoadError, "#{place} #{name.inspect} cannot be loaded: #{error.message}"
    end
    constant, method = constant.split(".", 2)
    begin
      found = Object.const_get(constant)
      method ? found.method(method) : found
    rescue NameError => error
      raise NameError, "#{place} #{name.inspect} cannot be loaded: #{error.message}"
    end
  end

  def function_of(given, name)
    if Hash === given
      found = given[name] || given[name.to_s]
      return found if callable?(found)
    # Methods of every object do not count: a function may be called `format`.
    elsif !(Proc === given || Method === given) && given.respond_to?(name)
      given.method(name)
    end
  end

  def callable?(given) = given.respond_to?(:call)

  def missing(place, name)
    ->(*) { raise {{module}}::Unavailable, "#{place} has no function #{name}" }
  end
end
