# frozen_string_literal: true

$LOAD_PATH.unshift File.expand_path("../.tierup/ruby/lib", __dir__), __dir__

require "sinatra/base"
require "qr"
require "query"

# TIERUP_TIER decides what runs; the functions of old are loaded only where it is theirs.
RUST = Qr.with(baseline: "generate_qr:GenerateQr", baselines: { tuned: "generate_qr_tuned:GenerateQrTuned" })

# What the server answers. It knows nothing of processes and ports.
class App < Sinatra::Base
  MAX_BYTES = 512
  PATHS = %w[/qrcode /livez /readyz].freeze
  # As in every version of this server: `content_type` would write it without the space.
  TEXT = "text/plain; charset=utf-8"

  # The query is read here: Rack would refuse some that have an answer.
  class OwnQuery
    def initialize(app)
      @app = app
    end

    def call(env)
      @app.call(env.merge("qr.query" => env["QUERY_STRING"], "QUERY_STRING" => ""))
    end
  end
  use OwnQuery

  # Pictures for anybody: no cookies, no forms, nothing that another site could misuse.
  disable :protection, :static, :show_exceptions, :raise_errors, :dump_errors

  before do
    response["Content-Type"] = TEXT
    next unless PATHS.include?(request.path_info) && !request.get? && !request.head?

    halt 405, { "Allow" => "GET, HEAD" }, "method not allowed"
  end

  get "/qrcode" do
    texts = Query.values_of(env["qr.query"], "text")
    halt 400, 'missing "text" query param' if texts.size != 1 || texts[0].empty?
    halt 400, "text must be <= #{MAX_BYTES} bytes" if texts[0].bytesize > MAX_BYTES

    png = RUST.generate_qr_code(texts[0])
    content_type "image/png"
    png
  rescue Query::Malformed
    halt 400, "malformed query string"
  end

  get("/livez") { "ok" }

  get "/readyz" do
    RUST.check_health
    "ok"
  rescue Qr::Error => error
    halt 503, error.message
  end

  not_found do
    response["Content-Type"] = TEXT
    "not found"
  end

  error do
    warn "a code could not be made: #{env["sinatra.error"].inspect}"
    response["Content-Type"] = TEXT
    "failed to generate the QR code"
  end
end
