# SPDX-License-Identifier: GPL-2.0-or-later
"""A headless Chromium driven over the WebDriver protocol, with the standard library only."""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-extensions", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--force-device-scale-factor=1",
]


class Browser:
    def __init__(self, width=1220, height=900, dark=False, scripts=True):
        self.profile = tempfile.mkdtemp()
        self.browser = None
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, start_new_session=True)
        self.session = None
        try:
            self.base = "http://127.0.0.1:%d" % self._port()
            self._open_session(width, height, dark, scripts)
        except BaseException:
            self.close()  # leaves no program running
            raise

    def _start(self, width, height, dark, scripts):
        """Starts the browser and gives its address. The driver would look for it at "localhost",
        a name that a bare system does not have."""
        args = FLAGS + ["--user-data-dir=" + self.profile, "--remote-debugging-port=0",
                        "--window-size=%d,%d" % (width, height)]
        if dark:
            args.append("--blink-settings=preferredColorScheme=0")
        if not scripts:
            os.makedirs(self.profile + "/Default")
            with open(self.profile + "/Default/Preferences", "w") as file:
                json.dump({"profile": {"managed_default_content_settings": {"javascript": 2}}},
                          file)
        self.browser = subprocess.Popen(
            ["chromium"] + args + ["about:blank"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        return "127.0.0.1:" + wait_for(self._browser_port, "browser listens")

    def _browser_port(self):
        if self.browser.poll() is not None:
            raise RuntimeError("chromium does not start")
        try:
            with open(self.profile + "/DevToolsActivePort") as file:
                lines = file.read().split("\n")
        except FileNotFoundError:
            return None
        return lines[0] if len(lines) > 1 else None

    def _open_session(self, width, height, dark, scripts):
        options = {"debuggerAddress": self._start(width, height, dark, scripts)}
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]

    def _port(self):
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip().rstrip(".").split()[-1])
        raise RuntimeError("chromedriver does not start")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:1000]) from None

    def call(self, method, path, body=None):
        return self._call(method, self.session + path, body)

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def url(self):
        """The address in the page itself: the driver sees history.replaceState() later."""
        return self.run("return location.href")

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def drawn(self):
        """Waits until what was changed has been drawn."""
        self.call("POST", "/execute/async", {"script": "const done = arguments[0]; "
                  "requestAnimationFrame(() => requestAnimationFrame(() => done(true)))", "args": []})

    def find(self, css):
        return self.call("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def _pointer(self, element, actions):
        move = {"type": "pointerMove", "duration": 0, "x": 0, "y": 0,
                "origin": {ELEMENT: element}}
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [move] + actions}]})

    def click(self, element):
        self._pointer(element, [{"type": "pointerDown", "button": 0},
                                {"type": "pointerUp", "button": 0}])

    def hover(self, element):
        self._pointer(element, [])

    def pointer_at(self, x, y, button=None):
        """Moves to a place in the window; with a button (0 left, 2 right) presses it there."""
        actions = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}]
        if button is not None:
            actions += [{"type": "pointerDown", "button": button},
                        {"type": "pointerUp", "button": button}]
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": actions}]})

    def keys(self, *keys):
        """Presses the keys together: keys("\\ue009", "f") is Ctrl-F."""
        down = [{"type": "keyDown", "value": k} for k in keys]
        up = [{"type": "keyUp", "value": k} for k in reversed(keys)]
        self.call("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": down + up}]})

    def type(self, text):
        for letter in text:
            self.keys(letter)

    def messages(self):
        """The page's messages in the console, including errors."""
        return [m["message"] for m in self.call("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass
        self.driver.terminate()
        self.driver.wait()
        if self.browser:
            try:
                os.killpg(self.browser.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.browser.wait()
        for _ in range(20):  # the browser may still be writing
            shutil.rmtree(self.profile, ignore_errors=True)
            time.sleep(0.05)


def wait_for(condition, what, seconds=60):
    """The time limit is generous, because a busy machine is slow."""
    end = time.time() + seconds
    while time.time() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError("never came true: " + what)


def wait_ready(browser):
    wait_for(lambda: browser.run("return document.documentElement.dataset.ready"), "page is ready")


def check(what, got, wanted):
    if got != wanted:
        raise AssertionError("%s: got %r, wanted %r" % (what, got, wanted))
    print("ok", what)
