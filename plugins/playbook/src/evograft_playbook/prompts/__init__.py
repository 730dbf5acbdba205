"""What a model is asked: templates with what was found and the query in them."""

from evograft_playbook.prompts.prompt_builder import PlaybookPrompt, PromptBuilder

__all__ = ["PlaybookPrompt", "PromptBuilder"]
