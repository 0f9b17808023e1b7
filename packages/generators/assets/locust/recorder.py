# Counts what was sent and answered, in every process, and prints it once, where the run is coordinated. Locust's own
# statistics know whole milliseconds and no status codes. stdout is for the figures alone; what else is printed goes to
# stderr.
import inspect
import json
import math
import sys
import time
import zlib

import gevent
import geventhttpclient.client
from locust import __version__, events
from locust.runners import MasterRunner, WorkerRunner

figures_out, sys.stdout = sys.stdout, sys.stderr

# geventhttpclient sends an idempotent request again, unseen, when its connection died under it. Here that is an error.
REPEATS = not hasattr(geventhttpclient.client, "_may_retry_after_send_error")
geventhttpclient.client._may_retry_after_send_error = lambda method: False

# A seal of what is run: a worker left over from another run has another one.
with open(__file__, encoding="utf-8") as own_text:
    RUN = f"{zlib.adler32(own_text.read().encode()):08x}"

# How long the coordinator waits for the last figures of a worker, in seconds.
LAST_WORD_S = 10

# Of the one core that Python uses; above it, what is measured is this process. Locust itself warns at this share, but
# looks only every ten seconds.
BUSY = 0.9


class Recorder:
    """The counts of this process since its last report, and its window on this process's own clock, in seconds."""

    def __init__(self):
        self.counts = Counts()
        self.part = 0  # 1 after the ramp was left out
        self.origin = None  # before a run
        self.first = None
        self.last = None
        self.ended = None
        self.cpu = 0.0

    def begin(self):
        self.counts, self.origin, self.cpu = Counts(), time.perf_counter(), time.process_time()
        self.first, self.last, self.ended = None, None, None

    def leave_out_ramp(self):
        if LOAD["measureFrom"] == "after-ramp" and self.part == 0 and self.ended is None:
            self.begin()
            self.part, self.first = 1, self.origin

    def record(self, response_time=0, response_length=0, response=None, exception=None, **_):
        now = time.perf_counter()
        if self.ended is not None:
            return
        sent, self.last = now - response_time / 1000, now
        if self.first is None or (self.part == 0 and sent < self.first):
            self.first = sent
        second = int(now - self.origin)
        status = getattr(response, "status_code", 0) or 0
        if is_transport(exception):
            self.counts.failure(kind_of(exception), second)
        elif status:
            self.counts.answer(str(status), int(response_time * 1000), response_length or 0, second)
        else:
            self.counts.foreign += 1

    def end(self):
        if self.ended is None:
            # Who sends a given number of requests is done with the last answer.
            self.ended = (self.last if LOAD["model"] == "iterations" else None) or time.perf_counter()
            self.note_cpu()

    def note_cpu(self):
        lasted = time.perf_counter() - self.origin
        share = (time.process_time() - self.cpu) / lasted if lasted >= 1 else 0
        if share > BUSY:
            self.counts.overloaded = f"one of its processes used {share:.0%} of the only core it can use."

    def report(self, final=False):
        """The counts since the last report; ages instead of times, because two hosts have two clocks."""
        now = time.perf_counter()
        first = self.origin if self.first is None else self.first
        packed = {
            "run": RUN,
            "part": self.part,
            "final": final,
            "originAge": now - self.origin,
            "firstAge": now - first,
            "endAge": now - (self.ended or now),
            "counts": self.counts.packed(),
        }
        self.counts = Counts()
        return packed


class Worker:
    """What the coordinator knows of one process."""

    def __init__(self):
        self.counts, self.part, self.final = Counts(), 0, False
        self.origin, self.first, self.ended = math.inf, math.inf, -math.inf

    def take(self, report):
        now = time.perf_counter()
        if report["part"] > self.part:
            self.__init__()
            self.part = report["part"]
        if report["part"] == self.part:
            self.counts.add(Counts.unpacked(report["counts"]))
            # The report that travelled least knows best when it was.
            self.origin = min(self.origin, now - report["originAge"])
            self.first = min(self.first, now - report["firstAge"])
            self.ended = max(self.ended, now - report["endAge"])
            self.final = self.final or report["final"]


class Coordinator:
    """Adds up what the processes report, and prints it."""

    def __init__(self, environment, asked):
        self.environment, self.asked = environment, asked
        self.workers, self.present, self.finished, self.started = {}, set(), 0, 0
        self.is_whole = True

    def take(self, report, worker):
        if report["run"] == RUN:
            self.workers.setdefault(worker, Worker()).take(report)

    def came_late(self, **_):
        """Who comes after the start takes users from the others, or the place of one that was lost."""
        self.is_whole = False

    def all_spawned(self, user_count):
        self.started = max(self.started, user_count)

    def user_finished(self):
        self.finished += 1
        if self.finished == LOAD["users"]:
            gevent.spawn(self.environment.runner.quit)

    def figures(self):
        wanted = 1 if LOAD["measureFrom"] == "after-ramp" else 0
        workers = {name: worker for name, worker in self.workers.items() if worker.part == wanted}
        counts = Counts()
        origin = min((worker.origin for worker in workers.values()), default=0)
        for worker in workers.values():
            counts.add(worker.counts, round(worker.origin - origin))
        first = min((worker.first for worker in workers.values()), default=0)
        ended = max((worker.ended for worker in workers.values()), default=0)
        return {
            "locust": __version__,
            "client": LOAD["client"],
            "model": LOAD["model"],
            "users": self.started,
            "measuredFrom": LOAD["measureFrom"],
            "durationS": round(max(0, ended - first), 6),
            "processes": {"asked": self.asked, "reported": self.reported(workers)},
            "repeats": REPEATS,
            "overloaded": counts.overloaded,
            "exceptions": {"count": counts.exceptions, "first": counts.exception},
            "foreign": counts.foreign,
            "statuses": dict(sorted(counts.statuses.items())),
            "errors": dict(sorted(counts.errors.items())),
            "bytes": counts.bytes,
            "latencyUs": latency(counts),
            "histogram": histogram(counts),
            "series": series(counts),
        }

    def reported(self, workers):
        """Those that were there from the start to the end."""
        whole = sum(worker.final and name in self.present for name, worker in workers.items())
        return whole if self.is_whole else min(whole, self.asked - 1)

    def print_figures(self, **_):
        text = json.dumps(self.figures(), separators=(",", ":"))
        figures_out.write(f"@gatebench {text}\n@gatebench-seal {zlib.adler32(text.encode()):08x}\n")
        figures_out.flush()


recorder = Recorder()


@events.init.add_listener
def listen(environment, runner, **_):
    # Locust times a run by its loop's clock, which stood still while locustfiles were loaded.
    gevent.get_hub().loop.update_now()
    # Locust asks for this when it stops, and the first time takes as long as many requests.
    inspect.stack()
    coordinates = not isinstance(runner, WorkerRunner)
    if not isinstance(runner, MasterRunner):
        listen_to_users(environment)
    if isinstance(runner, WorkerRunner):
        work(environment, runner)
    if coordinates:
        coordinate(environment, runner)


def listen_to_users(environment):
    environment.events.test_start.add_listener(lambda **_: recorder.begin())
    environment.events.spawning_complete.add_listener(lambda **_: recorder.leave_out_ramp())
    environment.events.request.add_listener(recorder.record)
    environment.events.test_stop.add_listener(lambda **_: recorder.end())
    environment.events.user_error.add_listener(note_exception)


def note_exception(exception, **_):
    recorder.counts.exceptions += 1
    recorder.counts.exception = recorder.counts.exception or repr(exception)[:200]


def work(environment, runner):
    """A worker says whose run it came for, reports every three seconds, and once more when it is asked for its last."""

    def last_word(environment, msg, **_):
        runner.stop()
        if recorder.origin is not None:
            runner.send_message("gatebench-report", recorder.report(final=True))

    runner.register_message("gatebench-end", last_word, concurrent=True)
    environment.events.report_to_master.add_listener(add_report)
    runner.send_message("gatebench-hello", RUN)


def add_report(data, **_):
    if recorder.origin is not None:
        data["gatebench"] = recorder.report()


def coordinate(environment, runner):
    distributed = isinstance(runner, MasterRunner)
    here = Coordinator(environment, environment.parsed_options.expect_workers if distributed else 1)
    environment.events.spawning_complete.add_listener(here.all_spawned)
    runner.register_message("gatebench-finished", lambda **_: here.user_finished())
    if distributed:
        gather(environment, runner, here)
    else:
        here.present.add("local")
        environment.events.test_stop.add_listener(lambda **_: here.take(recorder.report(final=True), "local"))
    environment.events.quit.add_listener(here.print_figures)


def gather(environment, runner, here):
    def greet(environment, msg, **_):
        if msg.data != RUN:
            # Forgotten first: when the last worker it knows quits, Locust gives up.
            runner.clients.pop(msg.node_id, None)
            runner.send_message("quit", client_id=msg.node_id)

    def count_present(**_):
        here.present.update(runner.clients)
        environment.events.worker_connect.add_listener(here.came_late)

    def wait_for_last_words(**_):
        runner.send_message("gatebench-end")
        until = time.perf_counter() + LAST_WORD_S
        has_spoken = lambda name: name in here.workers and here.workers[name].final
        is_waiting = lambda: any(one.state != "missing" and not has_spoken(one.id) for one in runner.clients.all)
        while time.perf_counter() < until and is_waiting():
            gevent.sleep(0.02)

    runner.register_message("gatebench-hello", greet)
    runner.register_message("gatebench-report", lambda msg, **_: here.take(msg.data, msg.node_id))
    environment.events.worker_report.add_listener(
        lambda client_id, data: here.take(data["gatebench"], client_id) if "gatebench" in data else None
    )
    environment.events.test_start.add_listener(count_present)
    environment.events.test_stop.add_listener(wait_for_last_words)
