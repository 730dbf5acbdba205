"""The conversations of a user: a folder each, with the conversation's file next to the log of what models answered."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self
from uuid import uuid4

from pydantic import ValidationError

from evograft.config.explain import explain_validation
from evograft.errors import ServiceError, UserError, did_you_mean
from evograft.files import write_atomically
from evograft.runs.writer_lock import WriterLock
from evograft.user_folders import CONVERSATIONS, ensure_state_folder
from evograft_agent.conversations.conversation import Conversation

FILE = "conversation.json"
LATEST = "latest"


@dataclass(frozen=True)
class ConversationStore:
    """A folder of conversations.

    Args:
        folder: need not exist.
    """

    folder: Path

    @classmethod
    def for_user(cls) -> Self:
        """Return the store of the user."""
        return cls(ensure_state_folder(CONVERSATIONS))

    def list_ids(self) -> list[str]:
        """List the ids, newest first, including those whose file is damaged."""
        return sorted((file.parent.name for file in self.folder.glob(f"*/{FILE}")), reverse=True)

    def create(self, question: str, *, at: datetime) -> Conversation:
        """Create an unsaved conversation. Ids sort chronologically."""
        name = f"{at:%Y%m%d-%H%M%S}-{at.microsecond // 1000:03}{uuid4().hex[:3]}"
        return Conversation(conversation_id=name).with_question(question, at=at)

    def get_folder(self, conversation: Conversation) -> Path:
        """Return the folder of a conversation, whether it exists or not."""
        return self.folder / conversation.conversation_id

    def find(self, word: str) -> Conversation:
        """Return a conversation by its id, or the newest as `latest`.

        Raises:
            UserError: there is none, or its file is not what was written.
        """
        known = self.list_ids()
        if word == LATEST and known:
            word = known[0]
        if word not in known:
            raise UserError(f"no conversation {word!r}; {did_you_mean(word, known)}")
        return self.read(word)

    def save(self, conversation: Conversation) -> None:
        """Write the file whole or not at all."""
        data = conversation.model_dump(mode="json")
        path = self.get_folder(conversation) / FILE
        try:
            write_atomically(path, json.dumps(data, ensure_ascii=False, indent=2).encode() + b"\n")
        except OSError as err:
            raise ServiceError(f"cannot write {str(path)!r}: {err.strerror}") from err

    def delete(self, word: str) -> str:
        """Remove a conversation for good and return its id; raise UserError if it is in use."""
        conversation = self.find(word)
        with WriterLock(self.get_folder(conversation)):
            shutil.rmtree(self.get_folder(conversation))
        return conversation.conversation_id

    def read(self, name: str) -> Conversation:
        """Return one of `list_ids`; raise UserError if its file is not what was written."""
        path = self.folder / name / FILE
        try:
            return Conversation.model_validate_json(path.read_bytes())
        except OSError as err:
            raise UserError(f"cannot read {str(path)!r}: {err.strerror}") from err
        except ValidationError as err:
            raise UserError(f"{path} is not what was written: {explain_validation(err, Conversation)}") from err
