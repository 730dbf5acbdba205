import pytest


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repo"
    (root / "app").mkdir(parents=True)
    (root / "app" / "main.py").write_text("import sys\n\n\ndef main():\n    sys.exit(0)\n")
    (root / "README.md").write_text("# app\n")
    (root / ".env").write_text("PASSWORD=hunter2hunter2\n")
    return root
