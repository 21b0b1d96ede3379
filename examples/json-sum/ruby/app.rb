# frozen_string_literal: true

$LOAD_PATH.unshift File.expand_path("../.tierup/ruby/lib", __dir__), __dir__

require "sinatra/base"
require "json_sum"
require "bad_body"
require "downstream"
require "envelope"
require "settings"

# TIERUP_TIER decides what runs; the function of old is loaded only where it is its turn. At tier 0:tuned it is the same
# function: what is tuned is how the service posts.
RUST = JsonSum.with(baseline: "sum_items:SumItems", baselines: { tuned: "sum_items:SumItems" })

# What the server answers. It knows nothing of processes and ports.
class App < Sinatra::Base
  METHODS = { "/" => %w[POST], "/livez" => %w[GET HEAD], "/readyz" => %w[GET HEAD] }.freeze
  # `content_type` would write it without the space.
  TEXT = "text/plain; charset=utf-8"

  # Tier 0 is the service as it was. All other rows post over kept connections, so that what is between them and `0:tuned` is the
  # function and nothing else.
  POST = (RUST.tier == "0" ? Downstream::Anew : Downstream::Kept).new(Settings.downstream)

  use Envelope

  # Numbers for programs: no cookies, no forms, nothing that another site could misuse.
  disable :protection, :static, :show_exceptions, :raise_errors, :dump_errors

  before do
    response["Content-Type"] = TEXT
    allowed = METHODS[request.path_info]
    halt 404, "not found" unless allowed
    halt 405, { "Allow" => allowed.join(", ") }, "method not allowed" unless allowed.include?(request.request_method)
  end

  post "/" do
    sum = RUST.sum_items(Envelope.body_of(env))
    POST.call(sum)
    response["Content-Type"] = "application/json"
    '{"ok":true}'
  rescue Envelope::Refused => error
    halt error.status, error.message
  rescue BadBody, JsonSum::CallError => error
    halt 400, error.message
  rescue Downstream::Error => error
    halt 502, error.message
  end

  get("/livez") { "ok" }

  get "/readyz" do
    RUST.check_health
    "ok"
  rescue JsonSum::Error, BadBody => error
    halt 503, error.message
  end

  error do
    warn "items could not be summed up: #{env["sinatra.error"].inspect}"
    response["Content-Type"] = TEXT
    "failed to sum up the items"
  end
end
