"""Files that are made to be dear to read, each analysed in a process of its own that may take 2 s of CPU and 200 MB."""

import json
import os
import resource
import subprocess
import sys

import pytest

SECONDS = 2
MEGABYTES = 200
ANALYSE = r"""
import json, re, sys
from pathlib import Path
from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
findings = {}
for root in sys.argv[1:]:
    findings |= {each.file: each.what for each in EnvironmentAnalyzer(Path(root)).analyze().findings}
peak = int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) // 1024
print(json.dumps({"peak": peak, "findings": findings}))
"""


def analysed(*folders):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    command = [sys.executable, "-c", ANALYSE, *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=limit)
    told = json.loads(done.stdout)
    assert told["peak"] < MEGABYTES
    return told["findings"]


def billion_laughs():
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    return "\n".join(levels + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)])


def merging():
    levels = ["a0: &a0 {x: 1}"]
    return "\n".join(levels + [f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)])


ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
DEAR = {
    "truncated JSON": ("package.json", '{"dependencies": {"a": "1", '),
    "deep JSON": ("package.json", "[" * 500_000),
    "YAML bomb": ("environment.yml", billion_laughs()),
    "merging YAML": ("docker-compose.yml", merging()),
    "deep YAML": ("environment.yml", "{a: " * 30_000),
    "XML entities": ("pom.xml", f'<!DOCTYPE p [<!ENTITY e0 "x">{ENTITIES}]><project>&e9;</project>'),
    "deep XML": ("pom.xml", "<a>" * 170_000),
    "a key of many parts": ("pyproject.toml", "a." * 100_000 + "a = 1"),
    "deep TOML": ("pyproject.toml", "a = " + "[" * 200_000),
    "deep Python": ("setup.py", "-" * 100_000 + "1"),
    "nested literals of Ruby": ("Gemfile", "%w(" * 10_000),
    "50 MB": ("package.json", '{"dependencies": {' + " " * 50_000_000),
    "50 MB of requirements": ("requirements.txt", "flask\n" * 8_400_000),
    "no UTF-8": ("pom.xml", b"<project>\x81\x8d\x8f\x90\x9d</project>"),
    "bytes": ("Cargo.toml", bytes(range(256)) * 1000),
}


@pytest.mark.parametrize("case", DEAR)
def test_a_dear_file_is_a_finding_within_two_seconds_and_200_megabytes(tmp_path, case):
    name, content = DEAR[case]
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    assert name in analysed(tmp_path)


ACCEPTED = {
    "defaults of INI": (
        "setup.cfg",
        "[DEFAULT]\n" + "".join(f"k{n}=\n" for n in range(6000)) + "".join(f"[s{n}]\n" for n in range(9000)),
    ),
    "a number to the base of 60": ("environment.yml", "a: " + "1:" * 60_000 + "1"),
    "blanks of Gradle": ("build.gradle", ("api" + " " * 990 + "\n") * 256),
    "nested markers": ("requirements.txt", ("a; " + "(" * 1900 + "\n") * 130),
    "blanks of pip": ("requirements.txt", (" \\\n" * 80_000)),
    "blanks of INI": ("setup.cfg", "[a]\n" + ("a" + " " * 5000 + "b\n") * 25),
    "many dependencies": ("package.json", json.dumps({"dependencies": {f"p{n}": "1" for n in range(30_000)}})),
}


def test_files_that_are_dear_by_their_patterns_alone_are_read_within_the_same_all_together(tmp_path):
    for case, (name, content) in ACCEPTED.items():
        (tmp_path / case).mkdir()
        (tmp_path / case / name).write_text(content)
    analysed(*(tmp_path / case for case in ACCEPTED))


def test_links_in_circles_and_pipes_hold_nobody_up(tmp_path):
    (tmp_path / "pom.xml").symlink_to("pom.xml")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").symlink_to("..", target_is_directory=True)
    os.mkfifo(tmp_path / "a" / "requirements.txt")
    assert set(analysed(tmp_path)) == {"pom.xml", "a/requirements.txt"}


def test_many_lists_that_include_one_another_take_no_longer_than_one(tmp_path):
    lines = "a\n" * 600 + "".join(f"-r ../part{number}/requirements.txt\n" for number in range(100))
    for number in range(200):
        folder = tmp_path / f"part{number}"
        folder.mkdir()
        (folder / "requirements.txt").write_text(lines)
    assert "was not read: the files before it are too large in all" in set(analysed(tmp_path).values())
