"""What a model is asked: templates with what was found and the query in them."""

from evograft_playbook.prompts.prompt_builder import Prompt, PromptBuilder

__all__ = ["Prompt", "PromptBuilder"]
