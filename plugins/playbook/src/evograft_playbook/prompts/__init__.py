"""Prompts for a model: templates with the query and what was found."""

from evograft_playbook.prompts.prompt_builder import PlaybookPrompt, PromptBuilder

__all__ = ["PlaybookPrompt", "PromptBuilder"]
