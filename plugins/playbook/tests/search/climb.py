"""Runs of the plugin `trail` beside a playbook."""

import json

from python_process import run_evo

from evograft.config.loading import pipeline_from
from evograft.log.records import Finished
from evograft.runs.index import open_run
from evograft.runs.reader import open_journal
from evograft.session.session import open_session
from evograft.session.start import repeat_run, start_run
from evograft_playbook.store import PlaybookStore

WORDS = {"dense_weight": 0.0}
"""Without embeddings, which take seconds to load."""


class Climb:
    """Runs of the plugin `trail` beside a playbook."""

    def __init__(self, folder, path):
        self.folder, self.path = folder, path

    def pipeline(self, *, trials=300, with_=None, before=(), after=(), playbook=None, **settings):
        options = {"path": str(self.path), "search": WORDS, **(playbook or {})}
        plugins = [*before, {"name": "trail", "with": with_ or {}}, {"name": "playbook", "with": options}, *after]
        return {"name": "climb", "plugins": plugins, "budget": {"trials": trials}, **settings}

    def write(self, **settings):
        path = self.folder / "pipeline.json"
        path.write_text(json.dumps(self.pipeline(**settings)))
        return path

    def run(self, name, **settings):
        run = start_run(
            pipeline_from(self.pipeline(**settings), source="test"), runs=self.folder, folder=self.folder / name
        )
        return self.go_on(run.path)

    def go_on(self, path, *overrides):
        with open_session(open_run(path), overrides=overrides) as kernel:
            kernel.run()
        return path

    def repeat(self, path, name):
        run = repeat_run(open_run(path), runs=self.folder, folder=self.folder / name)
        return self.go_on(run.path)

    def evo(self, *arguments):
        return run_evo(*arguments, cwd=self.folder)

    def trials(self, path):
        with open_journal(path) as journal:
            found = [record.trial for record in journal.records() if isinstance(record, Finished)]
        return sorted(found, key=lambda trial: trial.number)

    def compared(self, path):
        return [trial.model_dump_json() for trial in self.trials(path)]

    def learned(self, path):
        return json.loads((path / "playbook-learned.json").read_text())

    @property
    def bullets(self):
        with PlaybookStore(self.path) as store:
            return {each.id: each for each in store.load().bullets}

    @property
    def history(self):
        with PlaybookStore(self.path) as store:
            return store.history()

    def fill(self, *contents):
        with PlaybookStore(self.path) as store, store.changing("test") as draft:
            for content in contents:
                draft.add("shr", content)


def offered(trial):
    return [advice.id for advice in trial.proposal.advice] if trial.proposal else []


def model(server):
    models = [{"name": "scripted", "price": {"prompt": 0.0, "completion": 0.0}}]
    return {"driver": "openai", "base_url": server.base_url, "models": models, "retries": 0, "concurrency": 2}
