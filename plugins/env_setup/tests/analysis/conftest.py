import pytest

from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer


@pytest.fixture
def analyzed(tmp_path):
    """Writes files, given by path as text or bytes, and analyses the folder that they are in."""

    def write_and_analyze(files, **options):
        for path, content in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content.encode() if isinstance(content, str) else content)
        return EnvironmentAnalyzer(tmp_path, **options).analyze()

    return write_and_analyze
