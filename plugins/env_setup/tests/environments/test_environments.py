import pytest
import yaml

from evograft.errors import UserError
from evograft_env_setup.environments import Environments
from evograft_env_setup.options import EnvSetupOptions
from evograft_env_setup.planning.outlook import load_environments

CHECK = {"command": "true", "expected_output": ""}


def test_the_specified_environments_come_in_the_order_of_ties_with_their_descriptions():
    described = {name: each.description for name, each in Environments.shipped().items()}
    assert list(described.items())[:5] == [
        ("python", "Python 3.11 with pip"),
        ("miniforge", "Miniforge with conda, for scientific computing and data science"),
        ("node", "Node.js with npm"),
        ("java", "Java with Maven/Gradle"),
        ("go", "Go with modules"),
    ]
    assert list(described)[5:] == ["rust"]


def test_the_last_recipe_of_each_fits_any_folder():
    assert all(each.recipes[-1].needs == () for each in Environments.shipped().values())


def test_a_users_own_file_holds_unless_another_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load_environments(EnvSetupOptions())["go"].image == "golang:1"
    own, other = tmp_path / "evograft" / "environments.yaml", tmp_path / "other.yaml"
    own.parent.mkdir()
    own.write_text("go: {image: own}")
    other.write_text("rust: {image: other}")
    assert load_environments(EnvSetupOptions())["go"].image == "own"
    assert load_environments(EnvSetupOptions(environments=str(other)))["go"].image == "golang:1"
    own.write_text("go: [")
    with pytest.raises(UserError, match=r"environments: can't read .*/evograft/environments.yaml"):
        load_environments(EnvSetupOptions())


def test_a_user_changes_an_entry_and_adds_another(tmp_path):
    file = tmp_path / "environments.yaml"
    entry = {
        "description": "PHP",
        "image": "php:8",
        "signs": ["composer.json"],
        "recipes": [{"steps": ["composer install"]}],
    }
    file.write_text(
        yaml.safe_dump({"python": {"image": "registry.example/python:3.13"}, "php": {**entry, "verification": [CHECK]}})
    )
    environments = Environments.with_file(file)
    assert environments["python"].image == "registry.example/python:3.13"
    assert environments["python"].description == "Python 3.11 with pip"
    assert environments["php"].recipes[0].steps[0].command == "composer install"
    assert list(environments)[-1] == "php"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python: {imge: x}", "environments: python: imge: Extra inputs are not permitted; did you mean 'image'?"),
        ("php: {image: php}", "environments: php: description: Field required"),
        ("[a]", "is no mapping of names to entries"),
        ("python: x", "is no mapping of names to entries"),
        ("a: [", "can't read"),
        ('python: {recipes: [{steps: ["echo a\\0b"]}]}', "environments: python: recipes.0.steps.0.command: "),
        (f"python: {{recipes: [{{steps: [{'x' * 10_001}]}}]}}", "at most 10000"),
        ('python: {verification: [{command: "", expected_output: ""}]}', "verification.0.command: "),
        ("python: {recipes: []}", "environments: python: recipes: the last one has to fit any folder"),
        ("python: {recipes: [{needs: [a], steps: [b]}]}", "recipes: the last one has to fit any folder"),
        ("python: {verification: []}", "environments: python: verification: each recipe has to be verified"),
        ("python: {variables: {A=B: c}}", "variables.A=B"),
        ('python: {variables: {A: "\\0"}}', "variables.A: "),
    ],
)
def test_what_is_wrong_with_a_users_file_is_told_in_one_line(tmp_path, text, message):
    (tmp_path / "e.yaml").write_text(text)
    with pytest.raises(UserError, match=r"^environments: ") as told:
        Environments.with_file(tmp_path / "e.yaml")
    assert message in str(told.value)
    assert "\n" not in str(told.value)


def test_a_file_of_the_users_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(UserError, match=r"can't read .*gone.yaml.*: No such file"):
        Environments.with_file(tmp_path / "gone.yaml")
