# frozen_string_literal: true

# The witness of `tierup init --function` and `tierup profile`: Ruby loads it into every process of the server before
# the server's own code. While tierup sends single requests, it notes the types of the watched methods' arguments and
# answers. Values stay in the process. It reports only types, names from the user's own source, hashes with a key of
# this run, and for an answer the plain hash, as in `[health]` of tierup.toml. Its own errors never reach the server.

require_relative "agent"

module TierupWitness
  KEY = {{key}}
  # The file, the name, and perhaps the line on which the method begins.
  FUNCTIONS = {{functions}}.freeze
  NAMES = FUNCTIONS.to_h { |_, name| [name, true] }.freeze
  WATCHED = FUNCTIONS.to_h { |file, name| [[file, name], true] }.freeze
  FILES = FUNCTIONS.to_h { |file, _| [file, true] }.freeze
  # The server may be started by a relative path, and change its folder later.
  FOLDER = Dir.pwd
  MOST_CALLS = 500
  # The running watched calls of a fiber.
  CALLS = :tierup_witness

  # A running call. `index` is set if its answer is noted, `raised` while an exception passes through it.
  Call = Struct.new(:name, :index, :raised)

  class << self
    def start
      # Loaded after the server's own code, as Bundler may choose other versions of these.
      require "digest"
      require "json"
      require_relative "shapes"
      require_relative "state"
      @paths = {}
      @states = {}
      # The functions of a file, by Ruby's path for it; false for a file that is not watched.
      @others = Hash.new { |all, path| all[path] = FILES[path(path)] ? {} : false }
      @shapes = Shapes.new
      @lock = Mutex.new
      @found = FUNCTIONS.map { fresh }
      @calls = TracePoint.new(:call, :return, :raise) { |point| noted(point) }
      # Enabled only while an exception is raised: Ruby asks each `rescue` by `===` whether it matches.
      @rescues = TracePoint.new(:c_return) { |point| rescued if point.method_id == :=== && point.return_value == true }
      @calls.enable
      []
    end

    def stop(file)
      ended
      text = JSON.generate({ functions: @lock.synchronize { @found.map { |found| written(found) } } })
      File.write(file, text, perm: 0o600)
      ["-"]
    end

    def ended = [@calls, @rescues].each { |point| point&.disable }

    def forked = ended

    private

    def fresh
      { calls: 0, line: 0, lines: [], others: [], parameters: [], answers: [], answer_times: [], exported: false, owner: nil, problems: [], entered: [],
        left: [] }
    end

    def written(found)
      several = found[:lines].size > 1
      found.merge(calls: several ? 0 : found[:calls], lines: several ? found[:lines] : [])
    end

    def noted(point)
      case point.event
      when :raise then raised
      when :call
        return quietly { called(point) } if NAMES[point.method_id]

        # Such methods may be called a million times.
        others = @others[point.path]
        quietly { other(point, others) } if others && !others[point.method_id]
      when :return
        quietly { returned(point) } if NAMES[point.method_id]
      end
    end

    # Runs the block. Interrupts, such as of a Timeout, wait for its end. Its errors never reach the server.
    def quietly
      Thread.handle_interrupt(Object => :never) do
        yield
      rescue StandardError, SystemStackError
        nil
      end
    end

    # Notes the first call of another method of a watched file.
    def other(point, others)
      others[point.method_id] = true
      return unless point.method_id.match?(/\A[A-Za-z_]\w*[?!=]?\z/)

      file = path(point.path)
      FUNCTIONS.each_with_index { |(wanted, _), index| @found[index][:others] |= [point.method_id] if wanted == file }
    end

    def path(path)
      @paths[path] ||= begin
        File.realpath(path, FOLDER)
      rescue StandardError
        # `eval` takes any text as a path.
        path
      end
    end

    # A method of a watched name on another line is also noted as running, so that each return finds its call.
    def called(point)
      file = path(point.path)
      return unless WATCHED[[file, point.method_id]]

      calls = Thread.current[CALLS] ||= []
      calls << (call = Call.new(point.method_id, nil, false))
      index = FUNCTIONS.index { |wanted, name, line| wanted == file && name == point.method_id && [nil, point.lineno].include?(line) }
      return if index.nil?

      @lock.synchronize { call.index = index if counted?(point, @found[index]) }
    end

    # Whether the call's arguments and answer are noted.
    def counted?(point, found)
      found[:line] = point.lineno
      found[:lines] |= [point.lineno]
      found[:calls] += 1
      return false if found[:calls] > MOST_CALLS

      problems = problems(point)
      found[:problems] |= problems
      return false unless problems.empty?

      given(point, found)
      found[:owner] ||= owner(point)
      found[:exported] = !found[:owner].nil?
      true
    end

    def given(point, found)
      names = parameters(point)
      values = names.map { |name| point.binding.local_variable_get(name) }
      at = now
      found[:entered] << { at: at, words: values.map { |value| word(value) } }
      names.zip(values).each_with_index do |(name, value), place|
        parameter = (found[:parameters][place] ||= { name: name, shapes: [], times: [] })
        @shapes.add(parameter[:shapes], parameter[:times], value, at)
      end
    end

    def returned(point)
      calls = Thread.current[CALLS]
      return if calls.nil? || calls.last&.name != point.method_id || !WATCHED[[path(point.path), point.method_id]]

      call = calls.pop
      if call.raised && point.return_value.nil?
        # The exception continues to the caller.
        return calls.empty? ? @rescues.disable : calls.last.raised = true
      end
      return if call.index.nil?

      @lock.synchronize { answered(point.return_value, @found[call.index]) }
    end

    def answered(value, found)
      at = now
      found[:left] << { at: at, sha256: String === value ? Digest::SHA256.hexdigest(value) : nil }
      @shapes.add(found[:answers], found[:answer_times], value, at)
    end

    def raised
      call = Thread.current[CALLS]&.last
      return if call.nil?

      call.raised = true
      @rescues.enable
    end

    def rescued
      call = Thread.current[CALLS]&.last
      return unless call&.raised

      call.raised = false
      @rescues.disable
    end

    # The reasons why the method cannot move as it is.
    def problems(point)
      kinds = point.parameters.map(&:first)
      found = []
      if kinds.intersect?(%i[rest keyrest])
        found << "it takes any number of arguments: give each a name of its own"
      elsif kinds.intersect?(%i[key keyreq])
        found << "it takes arguments by name: take them by their place"
      elsif point.parameters.any? { |kind, name| name.nil? && kind != :nokey }
        found << "it takes its arguments apart in its head: give each a name of its own"
      end
      # `defined?` is part of the language, so no code of the user's runs.
      found << "it is given a block, which cannot cross" if point.binding.eval("defined?(yield)")
      found << state(point)
      found.compact
    end

    def state(point)
      # A module's own variables are its settings, as constants are.
      return if Module === point.self

      kind = Shapes::CLASS.bind_call(point.self)
      @states.fetch([kind, point.method_id]) { |key| @states[key] = State.used(*key) }
    end

    def parameters(point) = point.parameters.filter_map { |kind, name| name if %i[req opt].include?(kind) }

    # The module whose public function this is, if loading its file defines it and starts no server.
    def owner(point)
      return unless Module === point.self

      name = Shapes::NAME.bind_call(point.self)
      file = path(point.path)
      return unless name&.match?(/\A[A-Z]\w*(::[A-Z]\w*)*\z/) && file.end_with?(".rb") && path($PROGRAM_NAME) != file
      return unless point.self.singleton_class.public_method_defined?(point.method_id)

      name if path(Object.const_source_location(name)&.first.to_s) == file
    end

    # The hash of a value that may come from a part of the request. tierup compares hashes to find out.
    def word(value)
      text = Integer === value ? value.to_s : value
      Digest::SHA256.hexdigest("#{KEY}\0".b << text.b) if String === text
    end

    # The server may have stopped Ruby's own clock for a test.
    def now = Process.clock_gettime(Process::CLOCK_REALTIME, :float_millisecond)
  end

  TierupAgent.work({{socket}}, self)
end
