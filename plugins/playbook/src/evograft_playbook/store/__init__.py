"""The file that a playbook is kept in, shared by any number of processes."""

from evograft_playbook.store.change import Change
from evograft_playbook.store.draft import Draft
from evograft_playbook.store.store import PlaybookStore, usual_path

__all__ = ["Change", "Draft", "PlaybookStore", "usual_path"]
