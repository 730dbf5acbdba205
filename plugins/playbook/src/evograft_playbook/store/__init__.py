"""The file that a playbook is kept in, shared by any number of processes."""

from evograft_playbook.store.change import BulletChange
from evograft_playbook.store.draft import PlaybookDraft
from evograft_playbook.store.store import PlaybookStore, get_usual_path

__all__ = ["BulletChange", "PlaybookDraft", "PlaybookStore", "get_usual_path"]
