# frozen_string_literal: true

# The one error of the service's own function: the body is not what the service takes. It stands alone, so that the server knows
# it without the function.
class BadBody < StandardError; end
