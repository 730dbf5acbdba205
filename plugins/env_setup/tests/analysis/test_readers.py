import json
from pathlib import Path

import pytest

from evograft_env_setup.analysis.analyzer import EnvironmentAnalyzer
from evograft_env_setup.manifests.formats import find_format
from evograft_env_setup.manifests.manifest import UnreadableManifest


def read(path, text):
    return find_format(path).read(text, path)


def asked(manifest, purpose="run"):
    return {each.name: each.asked for each in manifest.dependencies if each.purpose == purpose}


def test_a_list_of_requirements_is_read_as_pip_reads_it():
    manifest = read(
        "requirements.txt",
        "# what we need\n"
        "--index-url https://packages.example/simple\n"
        "-r base.txt\n--requirement=more/other.txt\n-c constraints.txt\n"
        "requests[socks] >= 2.0 ; python_version < '3.9'  # a remark\n"
        "numpy==1.26 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        "-e git+https://git.example/tool.git#egg=tool\n-e .\n./local\nfoo @ https://x.example/foo.zip\n",
    )
    assert asked(manifest) == {
        "requests": ">=2.0",
        "numpy": "==1.26",
        "tool": "git+https://git.example/tool.git#egg=tool",
        "foo": "https://x.example/foo.zip",
    }
    assert manifest.includes == ("base.txt", "more/other.txt")
    assert [each.name for each in manifest.dependencies if each.conditional] == ["requests"]
    assert manifest.findings == ()


def test_a_line_that_pip_would_refuse_is_told_and_the_others_count():
    manifest = read("requirements.txt", "flask\nthis is no requirement\n--no-such-option\n-r 'open\nclick\n")
    assert list(asked(manifest)) == ["flask", "click"]
    assert manifest.findings == (
        "'this is no requirement' is no requirement",
        "'--no-such-option' is no option of pip's",
        "\"-r 'open\" is no option of pip's",
    )


@pytest.mark.parametrize("path", ["requirements-dev.txt", "test-requirements.txt", "requirements/tests.txt"])
def test_lists_for_those_who_work_on_a_project_are_known_by_their_names(path):
    assert asked(read(path, "pytest\n"), "test") == {"pytest": ""}


def test_pyproject_says_what_a_project_its_extras_and_its_groups_need():
    manifest = read(
        "pyproject.toml",
        '[project]\nname = "x"\nrequires-python = ">=3.11"\ndependencies = ["httpx>=0.27", "!"]\n'
        '[project.optional-dependencies]\ntest = ["pytest"]\nplots = ["matplotlib"]\n'
        '[dependency-groups]\ndev = ["ruff", {include-group = "docs"}]\ndocs = ["mkdocs"]\n',
    )
    assert asked(manifest) == {"httpx": ">=0.27"}
    assert asked(manifest, "test") == {"ruff": ""}
    assert asked(manifest, "optional") == {"pytest": "", "matplotlib": "", "mkdocs": ""}
    assert manifest.versions == {"python": ">=3.11"}
    assert manifest.traits == {"package", "extra test", "group dev"}
    assert manifest.findings == ("'!' is no requirement",)


def test_poetry_has_tables_of_its_own():
    manifest = read(
        "pyproject.toml",
        '[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3"\nredis = {version = "^5", optional = true}\n'
        '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n',
    )
    assert asked(manifest) == {"flask": "^3"}
    assert asked(manifest, "test") == {"pytest": "^8"}
    assert asked(manifest, "optional") == {"redis": "^5"}
    assert manifest.versions == {"python": "^3.11"}
    assert "poetry" in manifest.traits


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "--cov=x -n auto"\nasyncio_mode = "auto"\n'),
        ("setup.cfg", "[tool:pytest]\naddopts = --cov=x -n auto\nasyncio_mode = auto\n"),
        ("pytest.ini", "[pytest]\naddopts = --cov=x -n auto\nasyncio_mode = auto\n"),
        ("tox.ini", "[pytest]\naddopts = --cov=x -n auto\nasyncio_mode = auto\n"),
    ],
)
def test_a_section_of_pytest_asks_for_it_and_for_the_plugins_whose_options_it_has(path, text):
    assert set(asked(read(path, text), "tool")) == {"pytest", "pytest-asyncio", "pytest-cov", "pytest-xdist"}


def test_tox_names_tools_that_nothing_else_installs():
    manifest = read(
        "tox.ini",
        "[testenv]\ndeps =\n    pytest<9\n    py311: coverage[toml]\n    -r base.txt\n    {[x]deps}\n    .[all]\n",
    )
    assert asked(manifest, "tool") == {"pytest": "<9", "coverage": ""}


def test_setup_cfg_has_lists_of_requirements():
    manifest = read(
        "setup.cfg",
        "[metadata]\nname = x\n[options]\npython_requires = >=3.9\ninstall_requires =\n    attrs  # old\n    # none\n    six;python_version<'3'\n"
        "[options.extras_require]\ntest = pytest\n",
    )
    assert asked(manifest) == {"attrs": "", "six": ""}
    assert manifest.versions == {"python": ">=3.9"}
    assert manifest.traits == {"package", "extra test"}


def test_setup_py_is_read_without_being_run(tmp_path):
    ran = tmp_path / "ran"
    manifest = read(
        "setup.py",
        f"open({str(ran)!r}, 'w')\nfrom setuptools import setup\nNEEDED = ['requests>=2', 'click']\n"
        "setup(name='x', install_requires=NEEDED, tests_require=['pytest'], python_requires='>=3.8',\n"
        "      extras_require={'dev': ['black']})\n",
    )
    assert not ran.exists()
    assert asked(manifest) == {"requests": ">=2", "click": ""}
    assert asked(manifest, "tool") == {"pytest": ""}
    assert manifest.traits == {"package", "extra dev"}
    assert manifest.versions == {"python": ">=3.8"}


def test_what_setup_py_computes_is_a_finding():
    manifest = read("setup.py", "from setuptools import setup\nsetup(install_requires=open('r').read().split())\n")
    assert manifest.findings == ("install_requires is computed: only running it would tell",)


def test_a_pipfile_has_packages_for_running_and_for_work():
    manifest = read(
        "Pipfile",
        '[packages]\nflask = "*"\nboto3 = {version = ">=1"}\n[dev-packages]\npytest = "*"\n[requires]\npython_version = "3.11"\n',
    )
    assert asked(manifest) == {"flask": "*", "boto3": ">=1"}
    assert asked(manifest, "test") == {"pytest": "*"}
    assert manifest.versions == {"python": "3.11"}


def test_conda_lists_packages_of_its_own_and_of_pips():
    manifest = read(
        "environment.yml",
        "name: x\nchannels: [conda-forge]\ndependencies:\n- python=3.10\n- numpy>=1.2\n- conda-forge::gdal=3.6=h1\n"
        "- pip:\n  - requests==2.31.0\n  - -r more.txt\n  - -e git+https://example.org/clip.git@main#egg=clip\n",
    )
    assert [(each.name, each.asked, each.ecosystem) for each in manifest.dependencies] == [
        ("numpy", ">=1.2", "conda"),
        ("gdal", "3.6=h1", "conda"),
        ("requests", "==2.31.0", "python"),
        ("clip", "git+https://example.org/clip.git@main#egg=clip", "python"),
    ]
    assert manifest.includes == ("more.txt",)
    assert manifest.versions == {"python": "3.10"}


def test_package_json_tells_what_is_run_and_what_is_a_helper():
    manifest = read(
        "package.json",
        json.dumps(
            {
                "dependencies": {"express": "^4"},
                "devDependencies": {"jest": "^29"},
                "engines": {"node": ">=20"},
                "packageManager": "pnpm@8.6.0+sha256.aa",
            }
        ),
    )
    assert asked(manifest) == {"express": "^4"}
    assert asked(manifest, "test") == {"jest": "^29"}
    assert manifest.versions == {"node": ">=20", "pnpm": "8.6.0"}
    assert manifest.traits == frozenset()
    assert read("package.json", '{"devDependencies": {"husky": "1"}}').traits == {"helper"}


def test_a_section_of_package_json_that_is_a_list_is_a_finding():
    assert read("package.json", '{"dependencies": ["express"]}').findings == ("'dependencies' is no object",)


def test_a_pom_names_artifacts_by_group_and_the_java_it_wants():
    manifest = read(
        "pom.xml",
        '<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0">'
        "<properties><maven.compiler.source>17</maven.compiler.source></properties><dependencies>"
        "<dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId><version>33</version></dependency>"
        "<dependency><groupId>junit</groupId><artifactId>junit</artifactId><scope>test</scope></dependency>"
        "<dependency/></dependencies></project>",
    )
    assert asked(manifest) == {"com.google.guava:guava": "33"}
    assert asked(manifest, "test") == {"junit:junit": ""}
    assert manifest.versions == {"java": "17"}
    assert manifest.findings == ("has a dependency without an artifactId",)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "build.gradle",
            "dependencies {\n  implementation 'a.b:c:1.2'\n  testImplementation \"j:u\"\n}\nsourceCompatibility = 17\n",
        ),
        (
            "build.gradle.kts",
            'dependencies {\n  implementation("a.b:c:1.2")\n  testImplementation("j:u")\n}\njava { toolchain { languageVersion.set(JavaLanguageVersion.of(17)) } }\n',
        ),
    ],
)
def test_the_usual_lines_of_gradle_are_recognised(path, text):
    manifest = read(path, text)
    assert asked(manifest) == {"a.b:c": "1.2"}
    assert asked(manifest, "test") == {"j:u": ""}
    assert manifest.versions == {"java": "17"}


def test_what_gradle_needs_while_one_works_on_the_project_is_recognised():
    manifest = read(
        "build.gradle",
        "developmentOnly 'a:devtools'\ncheckstyle 'b:checkstyle:1'\nimplementation platform('c:bom:2')\n",
    )
    assert asked(manifest) == {"c:bom": "2"}
    assert asked(manifest, "test") == {"a:devtools": "", "b:checkstyle": "1"}


CATALOGUE = """
[versions]
spring = "6.1"

[libraries]
spring-core = { module = "org.spring:core", version.ref = "spring" }
guava = "com.guava:guava:33.0"
junit_api = { group = "org.junit", name = "api", version = { strictly = "5" } }
broken = { name = "x" }
unused = "a:unused:1"

[bundles]
web = ["spring-core", "guava"]
"""
GRADLE = """
dependencies {
    implementation(libs.bundles.web)
    testImplementation(libs.junit.api)
    api(platform(libs.nowhere.bom))
}
"""


def test_names_of_a_version_catalogue_are_the_packages_that_they_stand_for():
    files = {"build.gradle.kts": GRADLE, "gradle/libs.versions.toml": CATALOGUE}
    analysis = EnvironmentAnalyzer(Path()).analyze_environment_files(files)
    assert [(each.name, each.asked, each.purpose) for each in analysis.dependencies] == [
        ("org.spring:core", "6.1", "run"),
        ("com.guava:guava", "33.0", "run"),
        ("org.junit:api", "", "test"),
        ("libs.nowhere.bom", "", "run"),
    ]


def test_a_gradle_project_with_a_catalogue_is_none_of_its_helpers_in_javascript():
    helper = '{"devDependencies": {"husky": "9"}, "scripts": {"prepare": "husky"}}'
    files = {"build.gradle.kts": GRADLE, "gradle/libs.versions.toml": CATALOGUE, "package.json": helper}
    assert EnvironmentAnalyzer(Path()).analyze_environment_files(files).environment_type == "java"


def test_go_mod_names_the_modules_that_are_used_directly():
    manifest = read(
        "go.mod",
        "module x.example/y\n\ngo 1.22\n\nrequire a.example/b v1.0.0\nrequire (\n\tc.example/d v2.0.0\n"
        "\te.example/f v3.0.0 // indirect\n)\nreplace a.example/b => ../b\n",
    )
    assert asked(manifest) == {"a.example/b": "v1.0.0", "c.example/d": "v2.0.0"}
    assert manifest.versions == {"go": "1.22"}


def test_cargo_has_tables_for_all_and_for_some_platforms():
    manifest = read(
        "Cargo.toml",
        '[package]\nname = "x"\nrust-version = "1.75"\n[dependencies]\nserde = "1"\nold = {package = "new", version = "2"}\n'
        '[dev-dependencies]\nproptest = "1"\n[target."cfg(unix)".dependencies]\nlibc = "0.2"\n',
    )
    assert asked(manifest) == {"serde": "1", "new": "2", "libc": "0.2"}
    assert asked(manifest, "test") == {"proptest": "1"}
    assert manifest.versions == {"rust": "1.75"}


def test_a_gemfile_is_parsed_and_not_run():
    manifest = read(
        "Gemfile",
        'source "https://rubygems.org"\nruby "3.2.2"\ngem "rails", "~> 7.1", require: false\n'
        "group :development, :test do\n  gem 'rspec'\nend\nKernel.gem('no')\n",
    )
    assert asked(manifest) == {"rails": "~> 7.1"}
    assert asked(manifest, "test") == {"rspec": ""}
    assert manifest.versions == {"ruby": "3.2.2"}


def test_composer_names_packages_beside_php_itself():
    manifest = read(
        "composer.json", '{"require": {"php": ">=8.1", "ext-json": "*", "a/b": "^1"}, "require-dev": {"c/d": "2"}}'
    )
    assert asked(manifest) == {"a/b": "^1"}
    assert asked(manifest, "test") == {"c/d": "2"}
    assert manifest.versions == {"php": ">=8.1"}


@pytest.mark.parametrize(
    ("path", "text", "versions"),
    [
        (
            "Dockerfile",
            "ARG V=3.11\nFROM python:${V}-slim AS base\nFROM base\nFROM r.example:5000/x/node:20@sha256:aa\n",
            {"python": "3.11-slim", "node": "20"},
        ),
        ("docker-compose.yml", "services:\n  db: {image: 'postgres:15'}\n  app: {build: .}\n", {"postgres": "15"}),
        ("devcontainer.json", '{ // ours\n "image": "mcr.example/devcontainers/python:3.12", }', {"python": "3.12"}),
        ("devcontainer.json", '{"image": "mcr.example/devcontainers/java:0-17-bullseye"}', {"java": "17-bullseye"}),
        ("devcontainer.json", '{"image": "mcr.example/devcontainers/base:ubuntu"}', {}),
        ("docker-compose.yml", "services: {a: {image: 'own:docs'}, b: {image: own}, c: {image: 'db:latest'}}", {}),
        (
            "pom.xml",
            "<project><properties><maven.compiler.release>${a}</maven.compiler.release><java.version>21</java.version></properties></project>",
            {"java": "21"},
        ),
        (".python-version", "3.11.4\n3.10\n", {"python": "3.11.4"}),
        (".nvmrc", "v18  # old\n", {"node": "v18"}),
        (".tool-versions", "python 3.11.4 3.10\nnodejs 20\n", {"python": "3.11.4", "node": "20"}),
    ],
)
def test_files_about_versions_and_images_tell_which(path, text, versions):
    assert read(path, text).versions == versions


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("package.json", '{"dependencies": {"a": ', "is no JSON: "),
        ("package-lock.json", '{"packages": {', "is no JSON: "),
        ("package.json", "[]", "is no JSON mapping but list"),
        ("package.json", "[" * 100_000, "is no JSON: it is nested too deeply"),
        ("pyproject.toml", "[project\n", "is no TOML: "),
        ("pyproject.toml", "a." * 20_000 + "a = 1", "has lines with more dots than are read"),
        ("Cargo.toml", "a = " + "[" * 100_000, "is no TOML: it is nested too deeply"),
        ("environment.yml", "dependencies: [a\n b: c", "is no YAML: "),
        ("environment.yml", "[" * 100_000, "is nested too deeply"),
        ("environment.yml", "", "is no YAML mapping but empty"),
        ("pom.xml", "<project><dependencies>", "is no XML: "),
        ("pom.xml", "<web-app/>", "is no project of Maven's"),
        ("pom.xml", '<!DOCTYPE a [<!ENTITY b "c">]><project>&b;</project>', "declares XML entities"),
        (
            "pom.xml",
            '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><project>&b;</project>',
            "declares XML entities",
        ),
        ("setup.py", "setup(", "is no Python: "),
        ("setup.py", "x = " + "(" * 10_000, "is no Python: "),
        ("setup.cfg", "metadata\n", "is no INI file: "),
        ("Gemfile", "group do", "is no Ruby"),
        ("Gemfile", "%w(" * 1000, "has more literals"),
        ("devcontainer.json", '{"image": ', "is no JSON: "),
        ("Dockerfile", "ARG x=1 y\nFROM $x\n", "is no Dockerfile: "),
        ("Dockerfile", "ARG\nFROM a\n", "is no Dockerfile: "),
    ],
)
def test_a_broken_manifest_says_what_is_wrong_with_it(path, text, reason):
    with pytest.raises(UnreadableManifest, match="^" + reason.replace("(", r"\(")):
        read(path, text)


def test_a_yaml_document_that_grows_by_its_aliases_is_not_read():
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 12)]
    with pytest.raises(UnreadableManifest, match="grows too much by its aliases"):
        read("docker-compose.yml", "\n".join(levels))


def test_a_few_aliases_are_no_bomb():
    text = "x: &common\n  image: redis:7\nservices:\n  one: *common\n  two: *common\n"
    assert read("docker-compose.yml", text).versions == {"redis": "7"}
