import os

import pytest

from evograft_env_setup.analysis import detection
from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
from evograft_env_setup.manifests.formats import FORMATS


def findings(analysis):
    return {each.file: each.what for each in analysis.findings}


def test_every_file_of_the_table_is_found_in_the_root_and_one_level_below(analyzed):
    names = [*FORMATS, "requirements.txt", "requirements-dev.txt", "dev-requirements.txt"]
    found = analyzed({f"{folder}{name}": "" for folder in ("", "part/") for name in names})
    assert set(found.detected_files) == {f"{folder}{name}" for folder in ("", "part/") for name in names}


def test_the_root_comes_first_and_deeper_folders_by_option_only(analyzed):
    files = {"z.toml": "", "a/go.mod": "", "pom.xml": "", "a/b/package.json": "", "requirements/base.txt": ""}
    assert list(analyzed(files).detected_files) == ["pom.xml", "a/go.mod", "requirements/base.txt"]
    assert "a/b/package.json" in analyzed({}, depth=2).detected_files
    assert list(analyzed({}, depth=0).detected_files) == ["pom.xml"]


def test_what_others_have_written_and_what_is_hidden_is_passed_over(analyzed):
    files = ["node_modules/package.json", ".venv/setup.py", "vendor/go.mod", ".devcontainer/devcontainer.json"]
    assert list(analyzed(dict.fromkeys(files, "{}")).detected_files) == [".devcontainer/devcontainer.json"]


def test_the_two_steps_find_what_one_does(analyzed, tmp_path):
    whole = analyzed({"requirements.txt": "flask\n", "package.json": "{"})
    analyzer = EnvironmentAnalyzer(tmp_path)
    files = analyzer.detect_environment_files()
    assert files == {"package.json": "{", "requirements.txt": "flask\n"}
    assert analyzer.analyze_environment_files(files) == whole


def test_lists_that_a_list_includes_are_read_and_count_wherever_they_lie(analyzed):
    found = analyzed(
        {
            "requirements.txt": "-r deep/down/base.in\nflask\n",
            "deep/down/base.in": "-r ../more.txt\nhttpx\n",
            "deep/more.txt": "click\n",
        }
    )
    assert [each.name for each in found.dependencies] == ["flask", "httpx", "click"]
    assert "deep/down/base.in" in found.detected_files


def test_lists_that_include_one_another_are_read_once(analyzed):
    found = analyzed({"requirements.txt": "-r b.txt\na\n", "b.txt": "-r requirements.txt\nb\n"})
    assert sorted(each.name for each in found.dependencies) == ["a", "b"]


@pytest.mark.parametrize("written", ["../secret.txt", "/etc/passwd", "sub/../../secret.txt", "https://x.example/r.txt"])
def test_nothing_outside_of_the_repository_is_included(analyzed, tmp_path, written):
    (tmp_path.parent / "secret.txt").write_text("secret-package\n")
    found = analyzed({"requirements.txt": f"-r {written}\n"})
    assert list(found.detected_files) == ["requirements.txt"]
    assert "which is not followed" in findings(found)["requirements.txt"]


def test_a_list_that_is_included_and_missing_is_a_finding(analyzed):
    assert findings(analyzed({"requirements.txt": "-r gone.txt\n"})) == {
        "gone.txt": "can't be reached: No such file or directory"
    }


def test_a_link_within_the_repository_is_read_and_one_that_leads_out_is_not(analyzed, tmp_path):
    (tmp_path.parent / "outside.txt").write_text("secret\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "requirements.txt").symlink_to("real.txt")
    (tmp_path / "go.mod").symlink_to("../outside.txt")
    (tmp_path / "pom.xml").symlink_to("pom.xml")
    (tmp_path / "round").symlink_to(".", target_is_directory=True)
    found = analyzed({"real.txt": "flask\n"}, depth=5)
    assert found.detected_files == {"requirements.txt": "flask\n"}
    assert findings(found) == {
        "go.mod": "is a link to the outside of the repository, which is not followed",
        "pom.xml": "can't be reached: its links run in a circle",
    }


def test_pipes_folders_and_closed_files_are_findings(analyzed, tmp_path):
    os.mkfifo(tmp_path / "requirements.txt")
    (tmp_path / "Makefile").mkdir()
    assert findings(analyzed({})) == {"requirements.txt": "is no plain file", "Makefile": "is no plain file"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
def test_requirements_in_unicode_of_any_form_are_read(analyzed, encoding):
    found = analyzed({"requirements.txt": "requests==2.31.0\nflask>=3\n".encode(encoding)})
    assert [each.name for each in found.dependencies] == ["requests", "flask"]


def test_another_encoding_is_read_and_told(analyzed):
    found = analyzed({"requirements.txt": "# für die Größe\nflask\n".encode("cp1252")})
    assert [each.name for each in found.dependencies] == ["flask"]
    assert "save it as UTF-8" in findings(found)["requirements.txt"]


def test_bytes_that_are_no_text_are_a_finding(analyzed):
    found = analyzed({"package.json": bytes(range(256)) * 40, "go.mod": b"module x\0\0\0y"})
    assert set(findings(found)) == {"package.json", "go.mod"}
    assert found.detected_files == {}


def test_of_a_file_that_is_too_large_only_the_beginning_is_kept(analyzed):
    text = '{"dependencies": {"express": "1"}, "x": "' + "y" * 600_000 + '"}'
    found = analyzed({"package.json": text, "package-lock.json": "{" + " " * 3_000_000})
    assert found.environment_type == "node"
    assert found.detected_files["package.json"].endswith("y\n[cut here: the file has 600,043 bytes]\n")
    assert findings(found) == {"package.json": "has 600,043 bytes, and only up to 524,288 are read"}


def test_names_that_could_steer_a_terminal_are_left_out_and_shown_as_escapes(analyzed, tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    (folder / "go.mod").write_text("module x")
    found = analyzed({"\x1b[31m/go.mod": "module x", "tür/go.mod": "module y"})
    assert list(found.detected_files) == ["tür/go.mod"]
    assert findings(found) == {
        "\\x1b[31m/go.mod": "was not read: its name has characters that can't be shown",
        "caf\\xe9/go.mod": "was not read: its name has characters that can't be shown",
        "tür/go.mod": "has a path with characters that are given to no command",
    }


def test_so_many_files_are_read_and_no_more(analyzed, monkeypatch):
    monkeypatch.setattr(detection, "MOST_FILES", 3)
    found = analyzed({f"p{number}/go.mod": "module x" for number in range(5)})
    assert len(found.detected_files) == 3
    assert findings(found)["p4/go.mod"] == "was not read: there are more than 3 such files"


def test_so_much_is_read_and_no_more(analyzed):
    large = "#" * (256 * 1024 - 1) + "\n"
    found = analyzed(
        {"a/requirements.txt": large, "b/requirements.txt": large, "b/poetry.lock": "[", "b/pyproject.toml": ""}
    )
    assert findings(found) == {"b/requirements.txt": "was not read: the files before it are too large in all"} | {
        "b/pyproject.toml": "was not read: the files before it are too large in all"
    }
    assert "b/poetry.lock" in found.detected_files


def test_folders_are_looked_into_up_to_a_number(analyzed, monkeypatch):
    monkeypatch.setattr(detection, "MOST_FOLDERS", 2)
    found = analyzed({f"p{number}/go.mod": "module x" for number in range(3)})
    assert list(found.detected_files) == ["p0/go.mod", "p1/go.mod"]
    assert findings(found) == {".": "has more than 2 folders: the others were not looked into"}


def test_any_depth_costs_no_more_than_the_folders_that_there_are(analyzed):
    files = {"a/b/c/requirements.txt": "flask\n"}
    assert list(analyzed(files, depth=10**30).detected_files) == ["a/b/c/requirements.txt"]


def test_what_the_list_of_the_root_includes_is_read_first_and_its_hashes_use_up_no_room(analyzed):
    hashes = " \\\n".join(f"    --hash=sha256:{number:064x}" for number in range(9))
    locked = "".join(f"package-{number}==1.0 \\\n{hashes}\n    # via something\n" for number in range(300))
    plain = "".join(f"tool-{number}\n" for number in range(4000))
    found = analyzed(
        {
            "requirements.txt": "-r requirements/main.txt\n-r requirements/deploy.txt\n",
            "requirements/deploy.txt": locked.replace("package", "deploy"),
            "requirements/docs.txt": plain,
            "requirements/lint.txt": plain,
            "requirements/main.txt": locked,
            "package.json": '{"dependencies": {"a": "1"}}',
        }
    )
    assert found.environment_type == "python"
    assert sum(each.name.startswith(("package-", "deploy-")) for each in found.dependencies) == 600
    assert set(findings(found)) == {"requirements/lint.txt", "package.json"}
