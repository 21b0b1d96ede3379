# frozen_string_literal: true

# QR codes over HTTP: a process per core, each with five threads.
#
# Settings come from the environment: HOST, PORT and TIERUP_WORKERS here, and what `qr` reads itself, TIERUP_TIER above all.

require "etc"

# An environment variable that is a whole number.
whole_number = lambda do |name, otherwise, allowed|
  text = ENV.fetch(name, "")
  text = otherwise.to_s if text.empty?
  next text.to_i if text.match?(/\A[0-9]+\z/) && allowed.cover?(text.to_i)

  abort "#{name} must be a whole number from #{allowed.min} to #{allowed.max}, not \"#{text}\""
end

host = ENV.fetch("HOST", "127.0.0.1")
host = "[#{host}]" if host.include?(":")
bind "tcp://#{host}:#{whole_number.("PORT", 42_069, 0..65_535)}?backlog=2048"
workers whole_number.("TIERUP_WORKERS", Etc.nprocessors, 1..1024)
threads 5, 5
environment "production"

# What cannot run here is said once, before there are other processes.
preload_app!
# A process of its own even where there is one: so that it is replaced when it dies.
silence_single_worker_warning
on_worker_boot { RUST.ready }
worker_shutdown_timeout 10
# Being told to end is no failure.
raise_exception_on_sigterm false
