# frozen_string_literal: true

# Sums of JSON over HTTP: a process per core, each with five threads.
#
# Settings come from the environment: those of settings.rb, and what `json_sum` reads itself, TIERUP_TIER above all.

require_relative "settings"

# What makes no sense is said once, before there are other processes.
Settings.downstream
bind "#{Settings.address}?backlog=2048"
workers Settings.workers
threads 5, 5
environment "production"

# What cannot run here is said once, too.
preload_app!
# A process of its own even where there is one: so that it is replaced when it dies.
silence_single_worker_warning
on_worker_boot { RUST.ready }
worker_shutdown_timeout 10
# Being told to end is no failure.
raise_exception_on_sigterm false
