"""What sessions have shown, kept for later ones: results, code that helped, prompts that worked, what models cost."""
