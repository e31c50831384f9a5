"""A real browser for tests: Chromium over its debugging pipe, without a driver."""

import base64
import json
import os
import shutil
import subprocess
import sys
import time

_AS_3_AND_4 = """
import fcntl, os, sys
take, give = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3])
os.dup2(take, 3)
os.dup2(give, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find_browser():
    """Return the path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """One page in a headless browser."""

    def __init__(self, folder):
        take, self._out = os.pipe()
        self._in, give = os.pipe()
        # The browser reads commands from descriptor 3 and writes to 4.
        words = [find_browser(), "--headless", "--no-sandbox", "--disable-gpu"]
        words += ["--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"]
        words += [f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _AS_3_AND_4, str(take), str(give), *words],
            pass_fds=(take, give),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(take)
        os.close(give)
        self._number, self._buffer, self._page = 0, b"", None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        found = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._page = found["sessionId"]
        self.send("Page.enable")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)

    def send(self, method, **params):
        """Send a command and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._page:
            message["sessionId"] = self._page
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._buffer:
                part = os.read(self._in, 1 << 20)
                assert part, "the browser has ended"
                self._buffer += part
            line, _, self._buffer = self._buffer.partition(b"\0")
            found = json.loads(line)
            if found.get("id") == self._number:
                assert "error" not in found, found
                return found["result"]

    def open(self, address):
        """Open an address."""
        self.send("Page.navigate", url=address)

    def value(self, script):
        """Return the value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, script, seconds=20):
        """Wait until an expression is true; names may not be there yet."""
        guarded = (
            f"(() => {{ try {{ return !!({script}) }} catch {{ return false }} }})()"
        )
        end = time.monotonic() + seconds
        while not self.value(guarded):
            assert time.monotonic() < end, script
            time.sleep(0.02)

    def press(self, key):
        """Press and release a key."""
        text = (
            {"text": "\r"} if key == "Enter" else {"text": key} if key[1:] == "" else {}
        )
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def look(self, width, height, scheme):
        """Set the size of the window, and light or dark."""
        size = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": False,
        }
        self.send("Emulation.setDeviceMetricsOverride", **size)
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=media)

    def screenshot(self, path):
        """Write a picture of the page."""
        data = self.send("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))
