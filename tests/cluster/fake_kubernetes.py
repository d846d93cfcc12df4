"""The part of Kubernetes' API that the executor plugin uses; its node is this machine.

A pod's command runs here, in a folder of its own. There are no GPUs: what asks for some fails.
"""

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml


class FakeKubernetes:
    """`jobs` has the manifest of each job that was created, by name."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.jobs = folder, {}
        self._pods: dict[str, subprocess.Popen] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def kubeconfig(self) -> Path:
        """A file that leads kubectl, and the plugin, here."""
        cluster = {"server": f"http://127.0.0.1:{self._server.server_port}"}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": "me", "user": {}}],
        }
        path = self.folder / "kubeconfig"
        path.write_text(yaml.safe_dump(content))
        return path

    def close(self) -> None:
        """Stop, with all pods."""
        self._server.shutdown()
        for pod in self._pods.values():
            pod.kill()

    def create(self, job: dict[str, Any]) -> None:
        """Start the job's pod."""
        name = job["metadata"]["name"]
        self.jobs[name] = job
        container = container_of(job)
        if "nvidia.com/gpu" in container["resources"].get("limits", {}):
            return
        workdir = self.folder / name
        workdir.mkdir()
        self._pods[name] = subprocess.Popen(
            [*container["command"], *container["args"]], cwd=workdir
        )

    def pod_of(self, run: str) -> dict[str, Any]:
        """The container of the job that trains a run."""
        (found,) = (c for job in self.jobs.values() if run in (c := container_of(job))["args"][1])
        return found

    def status(self, name: str) -> dict[str, int]:
        """The status of a job, as the API words it."""
        if name not in self._pods:
            return {"failed": 1}
        code = self._pods[name].poll()
        if code is None:
            return {"active": 1}
        return {"failed": 1} if code else {"succeeded": 1}


def container_of(job: dict[str, Any]) -> dict[str, Any]:
    """The only container of a job's manifest."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    return container


def _handler(kubernetes: FakeKubernetes) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/jobs"):
                kubernetes.create(body)
            self._answer(body)

        def do_GET(self) -> None:
            if self.path.endswith("/status"):
                self._answer({"status": kubernetes.status(self.path.split("/")[-2])})
            else:
                self._answer({"items": []})

        def do_DELETE(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._answer({"status": "Success"})

        def _answer(self, body: dict[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
