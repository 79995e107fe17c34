#!/bin/sh
# Stops the servers of this machine before their program goes. An upgrade leaves them running: restart one after the other,
# so that the others keep a majority.
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl stop 'ringleader@*.service' || true
fi
