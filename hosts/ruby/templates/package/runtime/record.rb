# frozen_string_literal: true

# Made by tierup; the same in every package.
#
# The base of records and of enum cases with fields: frozen values that are compared by their fields.
class {{module}}::Tierup::Record
  # The fields by name.
  def to_h
    self.class::FIELDS.to_h { |name| [name, public_send(name)] }
  end

  def ==(other)
    other.instance_of?(self.class) && to_h == other.to_h
  end

  def eql?(other)
    other.instance_of?(self.class) && to_h.eql?(other.to_h)
  end

  def hash
    [self.class, to_h].hash
  end

  # For pattern matching by the names of fields.
  def deconstruct_keys(_names)
    to_h
  end

  # For Marshal, so that records that it reads are frozen, too.
  def marshal_dump
    to_h
  end

  def marshal_load(fields)
    fields.each { |name, value| instance_variable_set(:"@#{name}", value) }
    freeze
  end

  def inspect
    fields = to_h.map { |name, value| " #{name}=#{value.inspect}" }
    "#<#{self.class}#{fields.join(",")}>"
  end
  alias to_s inspect
end
