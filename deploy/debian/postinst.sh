#!/bin/sh
# The user of the unit, where systemd makes users. No server is started: each needs a configuration and a certificate first.
set -e
if [ "$1" = configure ]; then
    if command -v systemd-sysusers >/dev/null; then
        systemd-sysusers ringleader.conf
    fi
    if [ -d /run/systemd/system ]; then
        systemctl daemon-reload || true
    fi
fi
