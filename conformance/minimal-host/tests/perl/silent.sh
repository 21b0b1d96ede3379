#!/bin/sh
# Plays a worker that never says that it is ready.
exec sleep 60
