# SPDX-License-Identifier: Apache-2.0
"""A real browser for tests: chromium without a window, spoken to by its debugging protocol through a pipe."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe")


def find_browser():
    """The program; an error names what to install."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    raise RuntimeError(f"none of {', '.join(NAMES)} is on PATH: jobscripts/setup.sh --dev installs chromium")


class Browser:
    """One browser with one tab; use it in a with statement. `limit` seconds for each answer."""

    def __init__(self, limit=60):
        self.limit = limit
        self.events = []
        self.buffer = b""
        self.number = 0
        self.session = None
        self.profile = tempfile.mkdtemp(prefix="scalemark-browser-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def place_pipes():  # chromium reads commands from 3 and writes to 4
            high = [os.dup(to_browser), os.dup(from_browser)]
            while min(high) < 5:
                high = [os.dup(fd) for fd in high]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen([find_browser(), *FLAGS, f"--user-data-dir={self.profile}", "about:blank"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=place_pipes, close_fds=False,
                                        env={**os.environ, "HOME": self.profile})
        os.close(to_browser)
        os.close(from_browser)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self, until):
        """The next message, or RuntimeError."""
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], max(0, until - time.monotonic()))[0]:
                raise RuntimeError(f"the browser did not answer within {self.limit} s")
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.write_end, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + self.limit
        while True:
            message = self.message(until)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, event):
        until = time.monotonic() + self.limit
        while not any(one.get("method") == event for one in self.events):
            self.events.append(self.message(until))

    def open(self, path, width=1280, height=900, dark=False):
        """Loads a file; the window is as wide as said."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events = []
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def requests(self):
        """Addresses asked for since open()."""
        return [one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        """What the console and the log say since open()."""
        names = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [one["params"] for one in self.events if one.get("method") in names]

    def screenshot(self, path):
        """The whole page."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])
