"""The playbook: keeps what was learned, and answers with it."""
