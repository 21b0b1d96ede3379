# frozen_string_literal: true

# Finds out how a method uses its object, for the witness. In: a method and its object's class. Out: why it cannot move
# to another language as it is. This only reads compiled code, and runs nothing.

module TierupWitness
  module State
    CODE = RubyVM::InstructionSequence
    METHOD = Module.instance_method(:instance_method)
    # Ruby's own methods here do not use their object, except for those below.
    STATELESS = [Kernel, Object, BasicObject].freeze
    REFLECTS = %i[
      __send__ binding clone dup eval extend instance_eval instance_exec instance_variable_get instance_variable_set instance_variables
      method public_method public_send send singleton_class tap then yield_self
    ].freeze
    MADE = "it is made of a block, as by `define_method`: write it with `def`, so that it uses no variables around it"
    DEEPEST = 8

    module_function

    # Returns the first use, or nil. `kind` is the object's class.
    def used(kind, name) = of_method(kind, name, [])

    def of_method(kind, name, callers)
      return if callers.include?(name) || callers.size > DEEPEST

      method = METHOD.bind_call(kind, name)
      code = CODE.of(method)
      if code.nil?
        return if STATELESS.include?(method.owner) && !REFLECTS.include?(name)

        return uses("`#{name}` of its object", callers)
      end
      return MADE if callers.empty? && code.to_a[9] == :block
      return if code.path.start_with?("<internal:") && !REFLECTS.include?(name)

      of_code(kind, code, [*callers, name])
    rescue NameError
      # The method is made when it is called.
      uses("`#{name}` of its object", callers)
    end

    def of_code(kind, code, callers)
      alone = 0
      code.to_a.last.grep(Array).each do |instruction, *operands|
        case instruction
        when :getinstancevariable, :setinstancevariable, :definedivar then return uses("`#{operands[0]}` of its object", callers)
        when :invokesuper then return uses("`super`", callers)
        when :putself then alone += 1
        end
        operands.grep(Hash).each do |call|
          next unless call.key?(:flag) && call[:flag].anybits?(FCALL)

          alone -= 1
          return uses("`throw`", callers) if call[:mid] == :throw

          found = of_method(kind, call[:mid], callers)
          return found if found
        end
      end
      return uses("`self`", callers) if alone.positive?

      code.each_child do |child|
        found = of_code(kind, child, callers) unless %i[method class].include?(child.to_a[9])
        return found if found
      end
      nil
    end

    def uses(what, callers)
      by = callers.size > 1 ? ", by `#{callers[1]}`" : ""
      "it uses #{what}#{by}: pass what it needs as arguments"
    end

    FLAGS = ->(source) { CODE.compile(source).to_a.last.flatten.grep(Hash).first[:flag] }
    # The flag of calls to the object itself. Ruby has no constant for it.
    FCALL = FLAGS.call("tierup()") & ~FLAGS.call("1.tierup()")
  end
end
