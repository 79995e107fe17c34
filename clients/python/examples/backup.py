"""A job that runs on one machine at a time: `backup.py SERVICE_FOLDER`."""

import sys
import tomllib
from pathlib import Path

from ringleader_client import Client, LockTimeout


def servers(folder: Path) -> list[str]:
    """The servers of a service, as `ringleader up --service --keep FOLDER` has written them."""
    file = tomllib.loads((folder / "service.toml").read_text())
    return [f"https://{each['api']}#{each['name']}.{file['cluster']}.ringleader" for each in file["server"]]


def main(folder: Path) -> int:
    files = {"authority": folder / "ca.pem", "certificate": folder / "client.pem", "key": folder / "client.key"}
    with Client(servers(folder), **files) as client:
        try:
            with client.lock("nightly-backup", timeout=10) as held:
                # A look at the clock saves work that would be in vain; what protects the data is the fence.
                if held.held:
                    print(f"I hold it with fence {held.fence} for {held.remaining:.1f} s more")
        except LockTimeout:
            print("another machine is at it")
            return 75
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
